import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { AGENT_KINDS, type AgentKindName, AgentSettings } from '../contract/agent-settings.ts';
import type { Instant } from '../contract/ids.ts';
import type { Policy } from '../contract/run.ts';
import { isContained } from '../engine/containment.ts';
import { type AdapterError, failure } from '../engine/errors.ts';
import { findProgram } from '../files/find-program.ts';
import type { Agent } from '../ports/agent.ts';
import type { Orders } from '../ports/orders.ts';
import type { Processes } from '../ports/processes.ts';
import { createProcessAgent } from './agent-process/agent.ts';
import { agentRoom, type RoomOf } from './agent-process/agent-room.ts';
import { chosenClouds } from './agent-process/command-line.ts';
import { type AgentKind, programOf, type Setup } from './agent-process/kind.ts';
import { limitProcesses } from './processes/slots.ts';

/** Every kind of agent that is a program. Each is loaded when it is used. */
const KINDS: Readonly<Record<Exclude<AgentKindName, 'pull'>, () => Promise<AgentKind>>> = {
  claude: async () => (await import('./agent-claude/kind.ts')).claude,
  codex: async () => (await import('./agent-codex/kind.ts')).codex,
  gemini: async () => (await import('./agent-gemini/kind.ts')).gemini,
  opencode: async () => (await import('./agent-opencode/kind.ts')).opencode,
  acp: async () => (await import('./agent-acp/kind.ts')).acp,
  command: async () => (await import('./agent-command/kind.ts')).command,
};

export interface AgentParts extends Pick<Setup, 'env' | 'worker'> {
  readonly processes: Processes;
  /** The person's folder. A program given as a path is looked up there, not in the tree that a worker writes. */
  readonly root: string;
  readonly home: string;
  readonly now: () => Instant;
}

/** Opens an agent by name: an entry of `agents` in baton.yaml, or a kind with its defaults. */
export async function openAgent(name: string, policy: Policy, parts: AgentParts): Promise<Agent> {
  const settings = policy.agents?.[name] ?? AgentSettings.parse({});
  if ((settings.kind ?? name) === 'pull') {
    const { createPullAgent } = await import('./agent-pull/agent.ts');
    return createPullAgent({ name, dir: ordersIn(parts.home), now: parts.now, poll_ms: POLL_MS });
  }
  const kind = await loadKind(settings.kind ?? name);
  if (!kind) throw noSuchAgent(name, policy);
  const command = settings.command ?? kind.command;
  if (!command) throw failure('agent_without_command', `agents.${name}.command: name the program to start`);
  const [named = '', ...first] = command;
  const program = findProgram(named, parts.env.PATH ?? '', parts.root);
  if (!program) throw failure('agent_not_installed', `agent "${name}": no program "${named}" on the PATH`);
  const { env, worker, home } = parts;
  const found = { ...settings, command: [program, ...first] };
  const processes = limitProcesses(parts.processes, {
    dir: path.join(home, 'at-once', name),
    most: async () => settings.at_once,
  });
  const driving = {
    processes,
    stall_ms: settings.stall_minutes * 60_000,
    room: await roomOf(policy, kind, { ...parts, settings: found }),
  };
  return createProcessAgent(
    driving,
    programOf(kind, { name, settings: found, env, worker, contained: isContained(policy) }),
  );
}

const POLL_MS = 250;

/** The open work orders of `pull` agents. */
export async function openOrders({ home, now }: Pick<AgentParts, 'home' | 'now'>): Promise<Orders> {
  const { createOrders } = await import('./agent-pull/orders.ts');
  return createOrders({ dir: ordersIn(home), now });
}

function ordersIn(home: string): string {
  return path.join(home, 'orders');
}

/**
 * The sandbox of this kind's workers. The kind's own folders are writable, and the login of a chosen cloud is readable.
 */
async function roomOf(policy: Policy, kind: AgentKind, { env, settings }: Opened): Promise<RoomOf> {
  if (!isContained(policy)) return () => null;
  const home = env.HOME || homedir();
  const logins = chosenClouds(kind, env).flatMap(({ login }) => login.map((name) => path.join(home, name)));
  const show = [...(kind.reads?.(env, home) ?? []), ...logins];
  const write = await makeFolders(agentFolders(kind, { settings, env, home }));
  return agentRoom(policy, { programs: settings.command.slice(0, 1), show, write });
}

interface Opened extends AgentParts {
  /** Its command starts with the path of the program. */
  readonly settings: AgentSettings & { readonly command: readonly string[] };
}

/** Creates the missing folders and returns all of them. If one cannot be created, its worker fails and says so. */
async function makeFolders({ made, others }: AgentFolders): Promise<string[]> {
  await Promise.all(made.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => null)));
  return [...made, ...others];
}

/** Title and capabilities of a kind, for the table of agents. */
export async function describeKind(name: AgentKindName): Promise<Pick<AgentKind, 'title' | 'capabilities'>> {
  return name === 'pull' ? (await import('./agent-pull/agent.ts')).pull : await KINDS[name]();
}

export async function loadKind(name: string): Promise<AgentKind | null> {
  return Object.hasOwn(KINDS, name) ? await KINDS[name as keyof typeof KINDS]() : null;
}

function noSuchAgent(name: string, { agents = {} }: Policy): AdapterError {
  const known = ['rehearsal', ...AGENT_KINDS, ...Object.keys(agents)];
  return failure('no_such_agent', `agent "${name}"; there are ${[...new Set(known)].join(', ')}`);
}

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
