import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { AGENT_KINDS, type AgentKindName, AgentSettings } from '../contract/agent-settings.ts';
import type { Instant } from '../contract/ids.ts';
import type { Policy } from '../contract/run.ts';
import { isContained } from '../engine/containment.ts';
import { type AdapterError, failure } from '../engine/errors.ts';
import type { Agent } from '../ports/agent.ts';
import type { Orders } from '../ports/orders.ts';
import type { Processes } from '../ports/processes.ts';
import { type AgentFolders, agentFolders } from './agent-folders.ts';
import { createProcessAgent } from './agent-process/agent.ts';
import { agentRoom, type RoomOf } from './agent-process/agent-room.ts';
import { chosenClouds } from './agent-process/command-line.ts';
import { findProgram } from './agent-process/find-program.ts';
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
  const program = findProgram(named, parts.env, parts.root);
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
