import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileArtefacts } from './adapters/artefacts-file/artefacts.ts';
import { randomIds, systemClock } from './adapters/clock.ts';
import { createProcesses } from './adapters/processes/processes.ts';
import { limitProcesses } from './adapters/processes/slots.ts';
import type { Surroundings } from './adapters/sandbox/room.ts';
import { openSqliteStore } from './adapters/store-sqlite/open.ts';
import type { AgentFound } from './contract/agent-found.ts';
import type { Msg } from './contract/brief.ts';
import type { Hash, Instant } from './contract/ids.ts';
import type { Containment, Policy, Run } from './contract/run.ts';
import type { Repaired, Traces } from './contract/upkeep.ts';
import { BACK_OFF_POLICY } from './engine/back-off.ts';
import { isContained } from './engine/containment.ts';
import { AdapterError } from './engine/errors.ts';
import { sandboxNotice, unsandboxedBecause } from './engine/unsandboxed.ts';
import { findLocation, type Location, outsideEnvironment, stateHome } from './find-location.ts';
import { type Lazy, lazily } from './open-lazily.ts';
import { personConfigFile } from './person-config-file.ts';
import type { Agent } from './ports/agent.ts';
import type { Artefacts } from './ports/artefacts.ts';
import type { CodeHost } from './ports/code-host.ts';
import type { HookRoom } from './ports/hook-room.ts';
import type { Outside } from './ports/outside.ts';
import type { Processes } from './ports/processes.ts';
import type { Workspace } from './ports/workspace.ts';
import { readConfig, readSettings, sandboxSettings, toPolicy } from './read-config.ts';
import { configError } from './read-settings-file.ts';
import type { Deps } from './runtime/deps.ts';
import { sleepBy } from './runtime/sleep.ts';
import { cliTexts, texts } from './texts.ts';
import { loadOperations, loadWorkflow, strangeRoles } from './workflow-table.ts';

const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'TERM', 'USER', 'SHELL'];

/**
 * Everything the runtime needs, with the real adapters. Opens the store. The other adapters are loaded on first use.
 */
export async function createDeps(location: Location): Promise<Deps> {
  const clock = systemClock();
  const artefacts = createFileArtefacts(path.join(location.home, 'artefacts'));
  const processes = processesOf(location);
  const workspace = lazyWorkspace(location, async () => (await readConfig(location.root)).namespace);
  // A run stores its namespace at its start, so its steps do not need to read baton.yaml.
  const folders = new Map<string, Lazy>();
  const folderOf = (policy: Policy) => {
    const { namespace } = policy;
    const key = `${namespace} ${isContained(policy)}`;
    const folder = folders.get(key) ?? lazyWorkspace(location, async () => namespace, policy);
    folders.set(key, folder);
    return folder;
  };
  const file = path.join(location.home, 'baton.db');
  const store = await openSqliteStore({ file, now: clock.now, backups: true, readable: true });
  const environment = pickEnvironment();
  return {
    store,
    artefacts,
    processes,
    workspace,
    ready: ({ policy }) => {
      if (policy.tree === 'checkout') void folderOf(policy).open();
    },
    treeOf: (run) => (run.policy.tree === 'clone' ? lazyTree(location, run) : folderOf(run.policy)),
    clock,
    sleep: sleepBy(clock),
    backoff_policy: BACK_OFF_POLICY,
    ids: randomIds(),
    hash: hashText,
    texts,
    surfaceTexts: cliTexts,
    workflow: loadWorkflow,
    operations: loadOperations,
    agent: (policy, role) => loadAgent(policy, role, { artefacts, processes, ...location, now: clock.now }),
    orders: async () => (await loadAgents()).openOrders({ home: location.home, now: clock.now }),
    host: (policy) => lazyHost(location, policy, { processes, environment, now: clock.now }),
    outside: {},
    collect: (live) => collectOldTrees(location, clock.now(), live),
    leftovers: async () =>
      (await import('./adapters/workspace/leftovers.ts')).findLeftovers(await leftoversContext(location)),
    calls: path.join(location.home, 'calls'),
    policy: () => policyOf(location.root),
    containment: (policy) => containmentOf(location.root, policy),
    warnings: (policy) => warningsOf(location.root, policy),
    trust: async () =>
      (await import('./runtime/settings.ts')).readTrust({ store }).then(({ level }) => level),
    attend_minutes: async () => (await readConfig(location.root)).attend_minutes,
    environment,
    store_spend_ms: 5_000,
    poll_ms: 250,
  };
}

/** Repairs the store of a folder. Null if no run was started there. */
export async function repairLocation(folder: string): Promise<Repaired | null> {
  const location = await findLocation(folder, false);
  if (!location) return null;
  const { repairStore } = await import('./adapters/store-sqlite/repair.ts');
  return repairStore({ file: path.join(location.home, 'baton.db'), now: systemClock().now });
}

/**
 * Finds what Baton left in a folder's repository, with a function that removes it. Null if no run was started there.
 */
export async function tracesOf(
  folder: string,
): Promise<{ readonly found: Traces; remove(branches: boolean): Promise<void> } | null> {
  const location = await findLocation(folder, false);
  if (!location) return null;
  const { findTraces, removeTraces } = await import('./adapters/workspace/own-traces.ts');
  const where = await leftoversContext(location);
  return { found: await findTraces(where), remove: (branches) => removeTraces(where, branches) };
}

/**
 * The policy that a run starting now stores. A role that no workflow has is refused, because nothing would ever play
 * it.
 */
async function policyOf(root: string): Promise<Policy> {
  const settings = await readSettings(root);
  const named = Object.keys(settings.config.roles);
  const strange = await strangeRoles(named, { at: (role) => `roles.${role}`, dotted: false });
  if (strange.length > 0) throw configError(strange.join('\n'));
  const { readReference } = await import('./prove-person.ts');
  return { ...toPolicy(settings), reference: readReference() };
}

/** Resolves how a run that starts now is contained. */
async function containmentOf(root: string, policy: Policy): Promise<Containment> {
  const { check_network } = await sandboxSettings(root);
  const { sandbox = 'off' } = policy;
  const { resolveContainment } = await import('./adapters/sandbox/probe.ts');
  const { findBwrap } = await import('./adapters/sandbox/outside-path.ts');
  const bwrap = findBwrap(outsideEnvironment(root).PATH ?? '');
  return resolveContainment(bwrap, { ...policy, sandbox, check_network });
}

/** Returns what a person should know before a run with this policy starts in the folder. */
async function warningsOf(root: string, policy: Policy): Promise<Msg[]> {
  const { warnings } = await readSettings(root);
  const why = unsandboxedBecause(policy);
  return [...warnings, ...(why === null ? [] : [await sandboxWarning(why)])];
}

async function sandboxWarning(why: string): Promise<Msg> {
  const { installHere } = await import('./adapters/sandbox/probe.ts');
  return sandboxNotice(why, { install: await installHere(), settings: personConfigFile().name });
}

/** Returns the warnings for a run that would start in the folder now. Unusable settings are a warning too. */
export async function folderWarnings(folder: string): Promise<Msg[]> {
  const root = (await findLocation(folder, false))?.root ?? folder;
  try {
    const policy = await policyOf(root);
    return await warningsOf(root, { ...policy, containment: await containmentOf(root, policy) });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return [{ msg: 'engine.settings.refused', args: { detail: error.failure.detail } }];
  }
}

export function hashText(text: string): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', text)}`;
}

/** Loads the agent that a run was started with, or the agent of one of its roles. */
async function loadAgent(policy: Policy, role: string | undefined, parts: AgentParts): Promise<Agent> {
  const name = (role === undefined ? undefined : policy.by_role?.[role]?.agent) ?? policy.agent;
  if (name === 'rehearsal') return loadRehearsal(policy, parts);
  const { openAgent } = await loadAgents();
  return openAgent(name, policy, {
    ...parts,
    env: process.env,
    worker: (kind) => workerArgv(`${kind}-worker`),
  });
}

function loadAgents(): Promise<typeof import('./adapters/agents.ts')> {
  return import('./adapters/agents.ts');
}

/**
 * Agents of this machine and of the folder's baton.yaml. If the settings cannot be read, only the agents of this
 * machine are returned.
 */
export async function findAgents(folder: string): Promise<readonly AgentFound[]> {
  const root = (await findLocation(folder, false))?.root ?? folder;
  const settings = await readSettings(root).catch(() => null);
  const { discoverAgents } = await import('./adapters/discover-agents.ts');
  return discoverAgents(settings?.agents ?? {}, process.env, { root, state: stateHome() });
}

interface AgentParts {
  readonly artefacts: Artefacts;
  readonly processes: Processes;
  readonly home: string;
  readonly root: string;
  readonly now: () => Instant;
}

/** Parses the script from the artefact that was stored when the run started. */
async function loadRehearsal(policy: Policy, { artefacts, processes }: AgentParts): Promise<Agent> {
  const { createRehearsalAgent } = await import('./adapters/agent-rehearsal/agent.ts');
  const { parseStoredScript } = await import('./adapters/agent-rehearsal/script.ts');
  const script =
    policy.script === null ? null : parseStoredScript(await artefacts.get(policy.script as Hash));
  const { agentRoom } = await import('./adapters/agent-process/agent-room.ts');
  const room = agentRoom(policy);
  return createRehearsalAgent({
    ...{ processes, argv: workerArgv('rehearsal-worker'), script, env: process.env, room },
  });
}

const WORKERS = {
  'rehearsal-worker': 'adapters/agent-rehearsal/worker.ts',
  'acp-worker': 'adapters/agent-acp/worker.ts',
  'command-worker': 'adapters/agent-command/worker.ts',
} as const;

/**
 * Command line of one of Baton's own workers: next to this file in the bundle, in its adapter's folder in the source.
 */
function workerArgv(name: keyof typeof WORKERS): string[] {
  const here = fileURLToPath(import.meta.url);
  const file = here.endsWith('.ts') ? WORKERS[name] : `${name}.cjs`;
  return [process.execPath, path.join(path.dirname(here), file)];
}

/** Name of a workspace as its processes carry it in their environment. */
function locationName({ home }: Location): string {
  return hashText(home).slice(7, 19);
}

/**
 * The location name is computed when a process is started or swept. A listing of runs needs neither and saves the 5 ms
 * for the hash.
 */
function processesOf(location: Location): Processes {
  let surroundings: Promise<Surroundings> | null = null;
  return limitProcesses(
    createProcesses(
      () => locationName(location),
      async (spec) => {
        surroundings ??= surroundingsOf(location);
        const { show } = await sandboxSettings(location.root);
        const { enterRoom } = await import('./adapters/sandbox/room.ts');
        return enterRoom(spec, { ...(await surroundings), show });
      },
    ),
    {
      dir: path.join(location.home, 'at-once'),
      most: async () => (await readConfig(location.root)).at_once,
    },
  );
}

async function surroundingsOf({ root, home }: Location): Promise<Surroundings> {
  const { makeSurroundings } = await import('./adapters/sandbox/surroundings.ts');
  const programs = [process.execPath, fileURLToPath(import.meta.url)];
  return makeSurroundings({ root, home, state: stateHome(), env: process.env, programs });
}

/** The person's environment for git. With the workspace name in it, hooks and pushes are found like workers. */
export function locationEnvironment(location: Location): NodeJS.ProcessEnv {
  return { ...outsideEnvironment(location.root), BATON_WORKSPACE: locationName(location) };
}

/** The person's folder, opened on first use, because a listing of runs must not pay for a query to git. */
function lazyWorkspace({ root, home }: Location, namespace: () => Promise<string>, policy?: Policy): Lazy {
  return lazily(root, async () => {
    const { openWorkspace } = await import('./adapters/workspace/checkout/open.ts');
    const environment = locationEnvironment({ root, home });
    const room = hookRoomOf({ root, home }, policy, null);
    const named = { namespace: await namespace(), isTop: true, state: home };
    return openWorkspace({ root, ...named, environment, hookRoom: room });
  });
}

/** The room in which commit hooks of a run execute files of the change. Undefined if the run has no sandbox. */
function hookRoomOf(
  location: Location,
  policy: Policy | undefined,
  run: string | null,
): HookRoom | undefined {
  if (policy === undefined || !isContained(policy)) return undefined;
  return async (plan) => {
    const { hookRoom } = await import('./adapters/sandbox/hook-room.ts');
    const surroundings = async () => {
      const { show } = await sandboxSettings(location.root);
      return { ...(await surroundingsOf(location)), show };
    };
    // The room keeps PATH as it is: a program of the repository can do no harm inside it.
    return hookRoom(surroundings, { ...locationEnvironment(location), PATH: process.env.PATH }, run)(plan);
  };
}

/** A run's own clone. */
function lazyTree({ root, home }: Location, { id, policy }: Pick<Run, 'id' | 'policy'>): Workspace {
  const dir = path.join(home, 'trees', id);
  return lazily(path.join(dir, 'tree'), async () => {
    const { openTree } = await import('./adapters/workspace/clone/open.ts');
    const environment = locationEnvironment({ root, home });
    const room = hookRoomOf({ root, home }, policy, id);
    const { namespace } = policy;
    return openTree({ person: root, dir, run: id, namespace, environment, hookRoom: room });
  });
}

/** Removes trees that were not used for the configured time. A tree that cannot be removed is tried again next time. */
async function collectOldTrees(location: Location, now: string, live: readonly string[]): Promise<number> {
  const { collectTrees } = await import('./adapters/workspace/clone/collect.ts');
  const keep = (await readConfig(location.root)).keep_trees_days;
  const { removeLeftovers } = await import('./adapters/workspace/leftovers.ts');
  await removeLeftovers(await leftoversContext(location));
  const environment = locationEnvironment(location);
  const where = { home: location.home, person: location.root, environment };
  return (await collectTrees({ ...where, now, keep, live })).removed.length;
}

async function leftoversContext({ root, home }: Location) {
  const { namespace } = await readConfig(root).catch(() => ({ namespace: 'baton' }));
  return { root, home, namespace, environment: locationEnvironment({ root, home }) };
}

/** The remote of the person's repository as a code host, with the settings that the run was started with. */
function lazyHost({ root, home }: Location, { namespace, release }: Policy, parts: HostParts): CodeHost {
  const open = async () => {
    const { openLocalHost } = await import('./adapters/host-git/open.ts');
    const { commandRunner } = await import('./runtime/run-command.ts');
    const { ReleaseConfig } = await import('./contract/config.ts');
    const environment = locationEnvironment({ root, home });
    // Release commands run with the person's keys, so they get the PATH that holds no program of the repository.
    const { PATH = '' } = environment;
    return openLocalHost({
      ...{ person: root, dir: path.join(home, 'host'), namespace, now: parts.now },
      release: release ?? ReleaseConfig.parse({}),
      run: commandRunner({ ...parts, environment: { ...parts.environment, PATH } }),
      environment,
    });
  };
  const outside = (of: 'changes' | 'deploys'): Outside => ({
    perform: async (op, keep) => (await open())[of].perform(op, keep),
    lookup: async (op) => (await open())[of].lookup?.(op) ?? 'unknown',
  });
  return {
    query: async (query, call) => (await open()).query(query, call),
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
