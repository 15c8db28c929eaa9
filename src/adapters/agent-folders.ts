import path from 'node:path';
import type { AgentSettings } from '../contract/agent-settings.ts';
import type { AgentKind, Setup } from './agent-process/kind.ts';

/** Folders outside its tree that a program may write in a sandbox. */
export interface AgentFolders {
  /** Created if missing, because the program could not create them in a sandbox. */
  readonly made: readonly string[];
  /** Used only if they exist. */
  readonly others: readonly string[];
}

interface KnownProgram {
  /** Below the home folder. */
  readonly folders: readonly string[];
  readonly others?: readonly string[];
}

const CLAUDE: KnownProgram = { folders: ['.claude'], others: ['.claude.json'] };
const CODEX: KnownProgram = { folders: ['.codex'] };

/** Folders with the login, sessions and logs of programs that run as `acp` or `command`, by program name. */
const KNOWN: Readonly<Record<string, KnownProgram>> = {
  claude: CLAUDE,
  'claude-agent-acp': CLAUDE,
  'claude-code-acp': CLAUDE,
  codex: CODEX,
  'codex-acp': CODEX,
  gemini: { folders: ['.gemini'] },
  opencode: {
    folders: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
  },
  copilot: { folders: ['.copilot'] },
  kimi: { folders: ['.kimi', '.kimi-code', '.cache/kimi-code'] },
  qwen: { folders: ['.qwen'] },
  goose: { folders: ['.config/goose', '.local/share/goose', '.local/state/goose'] },
};

/** Programs that only start another program, which their first plain argument names. */
const RUNNERS: ReadonlySet<string> = new Set(['node', 'npx', 'bunx', 'bun', 'pnpm', 'uvx', 'python3', 'env']);

interface Found {
  readonly settings: Pick<AgentSettings, 'folders' | 'command'>;
  readonly env: Setup['env'];
  readonly home: string;
}

/**
 * The folders of a kind, and those that the person added. A kind that can drive any program also gets the folders of
 * the known program it drives.
 */
export function agentFolders(
  { folders, others, command: own }: Pick<AgentKind, 'folders' | 'others' | 'command'>,
  { settings, env, home }: Found,
): AgentFolders {
  const known = own === null ? KNOWN[programName(settings.command ?? [])] : undefined;
  const inHome = (names: readonly string[] = []) => names.map((name) => locationOf(name, env, home));
  const added = (settings.folders ?? []).map((name) =>
    name.startsWith('~/') ? path.join(home, name.slice(2)) : name,
  );
  return {
    made: [...folders(env, home), ...inHome(known?.folders), ...added],
    others: [...(others?.(env, home) ?? []), ...inHome(known?.others)],
  };
}

/** A folder below the home, or its location according to the variables that reach a worker. */
function locationOf(name: string, env: Setup['env'], home: string): string {
  const moved = MOVED.find(([base, variable]) => name.startsWith(base) && env[variable]);
  return moved ? path.join(env[moved[1]] ?? '', name.slice(moved[0].length)) : path.join(home, name);
}

const MOVED = [
  ['.config/', 'XDG_CONFIG_HOME'],
  ['.local/share/', 'XDG_DATA_HOME'],
  ['.cache/', 'XDG_CACHE_HOME'],
] as const;

/** The name of the program that a command really starts, without folder, extension, scope and version. */
function programName(command: readonly string[]): string {
  const [first = '', ...rest] = command.map(plainName);
  if (!RUNNERS.has(first)) return first;
  return rest.find((word, n) => !command[n + 1]?.startsWith('-') && word !== '') ?? first;
}

function plainName(word: string): string {
  return path.basename(word).replace(/(?<=.)@.*$|\.(?:[cm]?js|ts|sh|py|exe)$/, '');
}
