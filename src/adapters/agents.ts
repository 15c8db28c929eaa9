import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { AGENT_KINDS, type AgentKindName, AgentSettings } from '../contract/agent-settings.ts';
import type { Instant } from '../contract/ids.ts';
import type { Policy } from '../contract/run.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Agent } from '../ports/agent.ts';
import type { Orders } from '../ports/orders.ts';
import type { Processes } from '../ports/processes.ts';
import { createProcessAgent, type Driving } from './agent-process/agent.ts';
import { chosenClouds } from './agent-process/command-line.ts';
import { findProgram } from './agent-process/find-program.ts';
import { type AgentKind, programOf, type Setup } from './agent-process/kind.ts';
import { limitProcesses } from './processes/slots.ts';

/** Every kind of agent that is a program, loaded when it is used. */
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
  /** The person's folder: a program named by a path is looked for there, not in the tree a worker writes. */
  readonly root: string;
  readonly home: string;
  /** The state of all repositories: no worker sees it. */
  readonly state: string;
  readonly now: () => Instant;
}

/** An agent by its name: an entry of `agents` in baton.yaml, or a kind as it is. */
export async function openAgent(name: string, policy: Policy, parts: AgentParts): Promise<Agent> {
  const settings = policy.agents?.[name] ?? AgentSettings.parse({});
  if ((settings.kind ?? name) === 'pull') return openPull(name, parts);
  const kind = await loadKind(settings.kind ?? name);
  if (!kind) throw noSuchAgent(name, policy);
  const command = settings.command ?? kind.command;
  if (!command) throw failure('agent_without_command', `agents.${name}.command: name the program to start`);
  const [named = '', ...first] = command;
  const program = findProgram(named, parts.env, parts.root);
  if (!program) throw failure('agent_not_installed', `agent "${name}": no program "${named}" on the PATH`);
  const { env, worker, home } = parts;
  const processes = limitProcesses(parts.processes, {
    dir: path.join(home, 'at-once', name),
    most: async () => settings.at_once,
  });
  const driving = {
    processes,
    stall_ms: settings.stall_minutes * 60_000,
    contain: await containment(policy, kind, parts),
  };
  const found = { ...settings, command: [program, ...first] };
  return createProcessAgent(driving, programOf(kind, { name, settings: found, env, worker }));
}

const LOOK_MS = 250;

async function openPull(name: string, { home, now }: AgentParts): Promise<Agent> {
  const { createPullAgent } = await import('./agent-pull/agent.ts');
  return createPullAgent({ name, dir: ordersIn(home), now, poll_ms: LOOK_MS });
}

/** The orders `pull` has put out. */
export async function openOrders({ home, now }: Pick<AgentParts, 'home' | 'now'>): Promise<Orders> {
  const { createOrders } = await import('./agent-pull/orders.ts');
  return createOrders({ dir: ordersIn(home), now });
}

function ordersIn(home: string): string {
  return path.join(home, 'orders');
}

/** How workers of this kind are locked into their tree; null: not at all. */
async function containment(
  { sandbox = 'off', tree: works_in }: Policy,
  kind: AgentKind,
  { state, env }: AgentParts,
): Promise<Driving['contain']> {
  if (sandbox === 'off') return null;
  const { canContain, contain, secretsOf, servicesIn } = await import('./sandbox/contain.ts');
  if (!(await canContain())) {
    if (sandbox === 'auto') return null;
    throw failure(
      'no_sandbox',
      'sandbox: required, but bwrap cannot be used here; install bubblewrap, or say `sandbox: auto` in baton.yaml',
    );
  }
  const person = env.HOME || homedir();
  const own = await ownPlaces(kind, env, person);
  const needed = chosenClouds(kind, env).flatMap(({ login }) => login.map((name) => path.join(person, name)));
  const secrets = secretsOf(person).filter((place) => !needed.includes(place));
  const hidden = [...servicesIn('/run'), state, ...secrets];
  return (command, { cwd: tree, dir, result_file, profile }) => ({
    ...command,
    argv: contain(command.argv, {
      tree,
      writes: profile.kind === 'writes',
      kept: works_in === 'clone' ? [] : [path.join(tree, '.git')],
      dir,
      out: path.dirname(result_file),
      own,
      hidden,
      programs: (env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute),
    }),
    env: { ...command.env, TMPDIR: '/tmp' },
  });
}

/** Where the program may write besides. A folder that cannot be made is one its worker will complain about itself. */
async function ownPlaces({ folders, others }: AgentKind, env: Setup['env'], home: string): Promise<string[]> {
  const made = folders(env, home);
  await Promise.all(made.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => null)));
  return [...made, ...(others?.(env, home) ?? [])];
}

/** What the table of agents says of one. */
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

function failure(code: string, detail: string): AdapterError {
  return new AdapterError({ code, retry: 'permanent', detail });
}
