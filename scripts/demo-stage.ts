import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SAMPLE, UNCOMMITTED } from './demo-sample.ts';

const MARGIN = '   ';
const WIDTH = Math.max(60, Math.min(process.stdout.columns ?? 80, 100));

/** Where the demo plays: all of it under one temporary folder that is kept for looking at. */
export interface Stage {
  readonly base: string;
  /** The sample repository: one commit, and a little the person has not committed. */
  readonly folder: string;
  /** Stands where `~/.local/state/baton` stands for a person. */
  readonly state: string;
}

/** Makes the sample repository, the script beside it, and an empty state directory. */
export function setStage(): Stage {
  const base = mkdtempSync(path.join(tmpdir(), 'baton-demo-'));
  const stage = { base, folder: path.join(base, 'photos'), state: path.join(base, 'state') };
  mkdirSync(stage.state, { mode: 0o700 });
  copyFileSync(new URL('demo-script.yaml', import.meta.url), path.join(base, 'script.yaml'));
  writeFiles(stage.folder, SAMPLE);
  git(stage, 'init', '-q', '-b', 'main');
  git(stage, 'config', 'user.name', 'Demo Person');
  git(stage, 'config', 'user.email', 'demo@example.org');
  git(stage, 'add', '.');
  git(stage, 'commit', '-q', '-m', 'photos: start');
  writeFiles(stage.folder, UNCOMMITTED);
  return stage;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export function git({ folder }: Pick<Stage, 'folder'>, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What a person would notice of their checkout: branch, commit, index, and every byte of every file. */
export function checkoutOf(stage: Stage): string {
  const files = globSync('**/*', { cwd: stage.folder, exclude: (name) => name === '.git' }).sort();
  const hash = createHash('sha256');
  for (const name of files) {
    const file = path.join(stage.folder, name);
    hash.update(`${name}\0`).update(statSync(file).isFile() ? readFileSync(file) : '');
  }
  const known = [
    git(stage, 'symbolic-ref', 'HEAD'),
    git(stage, 'rev-parse', 'HEAD'),
    git(stage, 'ls-files', '-s'),
  ];
  return [...known, hash.digest('hex')].join('\n');
}

/** Runs the tests of a checkout as a person would: how many there are, and how many pass. */
export function runTests(folder: string): { ok: boolean; text: string } {
  const done = spawnSync('npm', ['test'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const count = (what: string) => new RegExp(`^\\W* ${what} (\\d+)$`, 'm').exec(done.stdout)?.[1] ?? '?';
  return { ok: done.status === 0, text: `${count('pass')} of ${count('tests')} tests pass` };
}

/** A line of the story itself, or the title of a part of it. */
export function tell(text: string): void {
  console.log('');
  for (const line of wrap(text, WIDTH)) console.log(line);
}

/** The demo's own words. */
export function say(text: string): void {
  for (const line of wrap(text, WIDTH - MARGIN.length)) console.log(MARGIN + line);
}

/** One thing that happened. */
export function happened(text: string): void {
  for (const [i, line] of wrap(text, WIDTH - MARGIN.length - 2).entries())
    console.log(`${MARGIN}${i === 0 ? '' : '  '}${line}`);
}

/** A command as a person would type it, and why. */
export function typed(argv: readonly string[], remark: string | null = null): void {
  const shown = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  const whole = remark === null ? `$ ${shown}` : `$ ${shown}   (${remark})`;
  for (const [i, line] of wrap(whole, WIDTH - MARGIN.length - 4).entries())
    console.log(`${MARGIN}${i === 0 ? '' : '    '}${line}`);
}

export interface ProcessRun {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and all it printed was taken: an exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

type Take = (line: string) => void;

/** Starts `baton <argv>` in a process of its own, with the demo's composition. */
export function startProcessRun(stage: Stage, argv: readonly string[], take: Take): ProcessRun {
  return start(stage, new URL('./demo-process-run.ts', import.meta.url), [String(WIDTH), ...argv], {
    take,
    session: false,
  });
}

/** The command as it is shipped, in a session without a terminal. */
export function startShipped(stage: Stage, argv: readonly string[], take: Take): ProcessRun {
  return start(stage, new URL('../src/main.ts', import.meta.url), argv, { take, session: true });
}

function start(
  stage: Stage,
  script: URL,
  args: readonly string[],
  { take, session }: { readonly take: Take; readonly session: boolean },
): ProcessRun {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    cwd: stage.folder,
    detached: session,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      BATON_HOME: stage.state,
      XDG_CONFIG_HOME: stage.state,
      USER: 'demo',
      LC_ALL: 'C.UTF-8',
      NO_COLOR: '1',
    },
  });
  const shown = [child.stdout, child.stderr].map(
    (input) => new Promise<void>((done) => createInterface({ input }).on('line', take).on('close', done)),
  );
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  return { child, ended: Promise.all(shown).then(() => ended) };
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > width / 3 ? space : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
