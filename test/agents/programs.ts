import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** The real programs the tests run, each at one version, so that a run of the tests says the same everywhere. */
export type ProgramName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'claude-acp';

interface Pinned {
  readonly package: string;
  readonly version: string;
  /** The program inside the folder it was installed into; its own file, since install scripts are not run. */
  readonly file: string;
}

const HOST = `${process.platform}-${process.arch}`;

const PROGRAMS: Readonly<Record<ProgramName, Pinned>> = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    file: `node_modules/@anthropic-ai/claude-code-${HOST}/claude`,
  },
  codex: { package: '@openai/codex', version: '0.166.0', file: 'node_modules/.bin/codex' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', file: 'node_modules/.bin/gemini' },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    file: `node_modules/opencode-${HOST}/bin/opencode`,
  },
  'claude-acp': {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    file: 'node_modules/.bin/claude-agent-acp',
  },
};

export type Installed =
  | { readonly ok: true; readonly version: string; readonly file: string }
  | { readonly ok: false; readonly version: string; readonly reason: string };

/** Written last, so that a folder without it is a broken install and made again. */
const MARKER = 'installed.json';
const PATIENCE_MS = 10 * 60_000;

/**
 * Puts a program into the cache, once per version, with the machine's npm as it is configured. Whatever stands in the
 * way is told as a reason: the tests of that program are then skipped, and say so.
 */
export async function installProgram(name: ProgramName): Promise<Installed> {
  const { package: source, version, file } = PROGRAMS[name];
  const folder = path.join(cacheFolder(), `${name}-${version}`);
  const program = path.join(folder, file);
  try {
    if (!(await exists(path.join(folder, MARKER)))) {
      await mkdir(folder, { recursive: true });
      await npmInstall(folder, `${source}@${version}`);
      await access(program);
      await writeFile(path.join(folder, MARKER), JSON.stringify({ source, version }));
    }
    return { ok: true, version, file: program };
  } catch (error) {
    return { ok: false, version, reason: reasonOf(error) };
  }
}

export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { BATON_AGENTS_CACHE: own, XDG_CACHE_HOME: xdg } = env;
  return own || path.join(xdg || path.join(homedir(), '.cache'), 'baton-agents');
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Install scripts of strangers are not run; nothing these programs need comes from one. */
async function npmInstall(folder: string, source: string): Promise<void> {
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['install', '--prefix', folder, ...flags, source], {
    cwd: folder,
    timeout: PATIENCE_MS,
  });
}

/** npm's own first words, or ours. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const said = (stderr || message || String(error)).split('\n').filter((line) => line.trim() !== '');
  return said.slice(0, 3).join(' | ');
}
