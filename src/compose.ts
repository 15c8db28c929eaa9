import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileArtefacts } from './adapters/artefacts-file/artefacts.ts';
import { createProcesses } from './adapters/processes/processes.ts';
import { limitProcesses } from './adapters/processes/slots.ts';
import { randomIds } from './adapters/random-ids.ts';
import { openSqliteStore } from './adapters/store-sqlite/open.ts';
import { systemClock } from './adapters/system-clock.ts';
import type { AgentFound } from './contract/agent-found.ts';
import type { Hash, Instant } from './contract/ids.ts';
import type { Policy, Run } from './contract/run.ts';
import { PACE } from './engine/back-off.ts';
import { findPlace, type Place, stateHome } from './find-place.ts';
import { type Lazy, lazily } from './open-lazily.ts';
import type { Agent } from './ports/agent.ts';
import type { Artefacts } from './ports/artefacts.ts';
import type { CodeHost } from './ports/code-host.ts';
import type { Outside } from './ports/outside.ts';
import type { Processes } from './ports/processes.ts';
import type { Workspace } from './ports/workspace.ts';
import { configError, readConfig, toPolicy } from './read-config.ts';
import type { Deps } from './runtime/deps.ts';
import { sleepBy } from './runtime/sleep.ts';
import { loadWorkflow, strangeRoles } from './workflow-table.ts';

const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'TERM', 'USER', 'SHELL'];

/** Everything the runtime needs, with the real adapters. The store is opened; the rest is loaded when it is used. */
export async function createDeps(place: Place): Promise<Deps> {
  const clock = systemClock();
  const artefacts = createFileArtefacts(path.join(place.home, 'artefacts'));
  const processes = placeProcesses(place);
  const workspace = lazyWorkspace(place, async () => (await readConfig(place.root)).namespace);
  // A run has frozen its namespace at its start: for its steps baton.yaml need not be read.
  const folders = new Map<string, Lazy>();
  const folderOf = (namespace: string) => {
    const folder = folders.get(namespace) ?? lazyWorkspace(place, async () => namespace);
    folders.set(namespace, folder);
    return folder;
  };
  const store = await openSqliteStore({ file: path.join(place.home, 'baton.db'), now: clock.now });
  const environment = pickEnvironment();
  return {
    store,
    artefacts,
    processes,
    workspace,
    ready: ({ policy }) => {
      if (policy.tree === 'checkout') void folderOf(policy.namespace).open();
    },
    treeOf: (run) => (run.policy.tree === 'clone' ? lazyTree(place, run) : folderOf(run.policy.namespace)),
    clock,
    sleep: sleepBy(clock),
    pace: PACE,
    ids: randomIds(),
    hash: hashText,
    workflow: loadWorkflow,
    agent: (policy, role) =>
      loadAgent(policy, role, {
        artefacts,
        processes,
        home: place.home,
        root: place.root,
        now: clock.now,
      }),
    orders: async () => (await loadAgents()).openOrders({ home: place.home, now: clock.now }),
    host: (policy) => lazyHost(place, policy, { processes, environment, now: clock.now }),
    outside: {},
    collect: (live) => collectOldTrees(place, clock.now(), live),
    calls: path.join(place.home, 'calls'),
    policy: () => policyOf(place.root),
    dial: async () => (await import('./runtime/settings.ts')).readTrust({ store }).then(({ level }) => level),
    watch_minutes: async () => (await readConfig(place.root)).watch_minutes,
    environment,
    keep_spend_ms: 5_000,
    poll_ms: 250,
  };
}

/** What a run that starts now keeps of the settings. A role nobody has would never be played: it is refused. */
async function policyOf(root: string): Promise<Policy> {
  const config = await readConfig(root);
  const named = Object.keys(config.roles);
  const strange = await strangeRoles(named, { at: (role) => `roles.${role}`, dotted: false });
  if (strange.length > 0) throw configError(strange.join('\n'));
  return toPolicy(config);
}

export function hashText(text: string): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', text)}`;
}

/** The agent a run was started with, or that of one of its roles. */
async function loadAgent(policy: Policy, role: string | undefined, parts: AgentParts): Promise<Agent> {
  const name = (role === undefined ? undefined : policy.by_role?.[role]?.agent) ?? policy.agent;
  if (name === 'rehearsal') return loadRehearsal(policy, parts);
  const { openAgent } = await loadAgents();
  return openAgent(name, policy, {
    ...parts,
    state: stateHome(),
    env: process.env,
    worker: (kind) => workerArgv(`${kind}-worker`),
  });
}

function loadAgents(): Promise<typeof import('./adapters/agents.ts')> {
  return import('./adapters/agents.ts');
}

/** Agents of this machine and of the folder's baton.yaml; a file that cannot be read names none. */
export async function findAgents(folder: string): Promise<readonly AgentFound[]> {
  const root = (await findPlace(folder, false))?.root ?? folder;
  const config = await readConfig(root).catch(() => null);
  const { discoverAgents } = await import('./adapters/discover-agents.ts');
  return discoverAgents(config?.agents ?? {}, process.env, root);
}

interface AgentParts {
  readonly artefacts: Artefacts;
  readonly processes: Processes;
  readonly home: string;
  readonly root: string;
  readonly now: () => Instant;
}

/** A score is thawed from the artefact frozen at the start. */
async function loadRehearsal(policy: Policy, { artefacts, processes }: AgentParts): Promise<Agent> {
  const { createRehearsalAgent } = await import('./adapters/agent-rehearsal/agent.ts');
  const { thawScore } = await import('./adapters/agent-rehearsal/score.ts');
  const score = policy.score === null ? null : thawScore(await artefacts.get(policy.score as Hash));
  return createRehearsalAgent({ processes, argv: workerArgv('rehearsal-worker'), score, env: process.env });
}

const WORKERS = {
  'rehearsal-worker': 'adapters/agent-rehearsal/worker.ts',
  'acp-worker': 'adapters/agent-acp/worker.ts',
  'command-worker': 'adapters/agent-command/worker.ts',
} as const;

/** A worker of ours: beside this file in the bundle, and in its adapter's folder in the source. */
function workerArgv(name: keyof typeof WORKERS): string[] {
  const here = fileURLToPath(import.meta.url);
  const file = here.endsWith('.ts') ? WORKERS[name] : `${name}.cjs`;
  return [process.execPath, path.join(path.dirname(here), file)];
}

/** A workspace as the processes that work for it carry it. */
function placeName({ home }: Place): string {
  return hashText(home).slice(7, 19);
}

/** Named when a process is started or swept: a listing does neither, and the hash would cost it 5 ms. */
function placeProcesses(place: Place): Processes {
  return limitProcesses(
    createProcesses(() => placeName(place)),
    {
      dir: path.join(place.home, 'at-once'),
      most: async () => (await readConfig(place.root)).at_once,
    },
  );
}

/** The person's environment for git: hooks and pushes are found by the same marks as workers. */
export function placeEnvironment(place: Place): NodeJS.ProcessEnv {
  return { ...process.env, BATON_PLACE: placeName(place) };
}

/** The person's folder, opened on first use: listing runs must not cost a look at git. */
function lazyWorkspace({ root, home }: Place, namespace: () => Promise<string>): Lazy {
  return lazily(root, async () => {
    const { openWorkspace } = await import('./adapters/workspace/workspace.ts');
    const environment = placeEnvironment({ root, home });
    return openWorkspace({ root, namespace: await namespace(), isTop: true, state: home, environment });
  });
}

/** A run's own clone. */
function lazyTree({ root, home }: Place, { id, policy }: Pick<Run, 'id' | 'policy'>): Workspace {
  const dir = path.join(home, 'trees', id);
  return lazily(path.join(dir, 'tree'), async () => {
    const { openTree } = await import('./adapters/workspace/clone/open.ts');
    const environment = placeEnvironment({ root, home });
    return openTree({ person: root, dir, run: id, namespace: policy.namespace, environment });
  });
}

/** Trees nobody used for the configured time are removed; one that cannot be stays for the next time. */
async function collectOldTrees(place: Place, now: string, live: readonly string[]): Promise<number> {
  const { collectTrees } = await import('./adapters/workspace/clone/collect.ts');
  const keep = (await readConfig(place.root)).keep_trees_days;
  return (await collectTrees({ home: place.home, now, keep, live })).removed.length;
}

/** The remote of the person's repository as a code host, with the settings the run was started with. */
function lazyHost({ root, home }: Place, { namespace, release }: Policy, parts: HostParts): CodeHost {
  const open = async () => {
    const { openLocalHost } = await import('./adapters/workspace/host/open.ts');
    const { commandRunner } = await import('./runtime/run-command.ts');
    const { ReleaseConfig } = await import('./contract/config.ts');
    return openLocalHost({
      ...{ person: root, dir: path.join(home, 'host'), namespace, now: parts.now },
      release: release ?? ReleaseConfig.parse({}),
      run: commandRunner(parts),
      environment: placeEnvironment({ root, home }),
    });
  };
  const outside = (of: 'changes' | 'deploys'): Outside => ({
    perform: async (op, keep) => (await open())[of].perform(op, keep),
    lookup: async (op) => (await open())[of].lookup?.(op) ?? 'unknown',
  });
  return {
    look: async (look, call) => (await open()).look(look, call),
    changes: outside('changes'),
    deploys: outside('deploys'),
  };
}

interface HostParts extends Pick<Deps, 'processes' | 'environment'> {
  readonly now: () => Instant;
}

function pickEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
