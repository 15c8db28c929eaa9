import { readFileSync } from 'node:fs';
import { access, mkdir, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileArtefacts } from './adapters/artefacts-file/artefacts.ts';
import { createProcesses } from './adapters/processes/processes.ts';
import { limitProcesses } from './adapters/processes/slots.ts';
import { randomIds } from './adapters/random-ids.ts';
import { openSqliteStore } from './adapters/store-sqlite/open.ts';
import { systemClock } from './adapters/system-clock.ts';
import { repositoryId } from './adapters/workspace/repository-id.ts';
import type { AgentFound } from './contract/agent-found.ts';
import type { Hash, Instant } from './contract/ids.ts';
import type { Policy, Run } from './contract/run.ts';
import { PACE } from './engine/back-off.ts';
import type { Workflow } from './engine/workflow.ts';
import type { Agent } from './ports/agent.ts';
import type { Artefacts } from './ports/artefacts.ts';
import type { CodeHost } from './ports/code-host.ts';
import type { Outside } from './ports/outside.ts';
import type { Processes } from './ports/processes.ts';
import type { Workspace } from './ports/workspace.ts';
import { readConfig, toPolicy } from './read-config.ts';
import type { Deps } from './runtime/deps.ts';
import { sleepBy } from './runtime/sleep.ts';
import { toAdapterError } from './runtime/system-failure.ts';

const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'TERM', 'USER', 'SHELL'];

/** Where a folder's runs live: outside the folder, in the person's state directory. */
export interface Place {
  readonly root: string;
  readonly home: string;
}

/** The state directory for a folder; null when nothing was started there and nothing may be created. */
export async function findPlace(folder: string, create: boolean): Promise<Place | null> {
  const found = await repositoryId(folder, { create });
  if (!found) return null;
  const home = path.join(stateHome(), found.id);
  if (create) await makeHome(home);
  else if (!(await exists(path.join(home, 'baton.db')))) return null;
  return { root: found.root, home };
}

/**
 * A path as it is seen from the top of the repository, where runs know their places. `./` and `../` are meant from the
 * folder the command was given in, and so is what stands there; any other path is from the top already, and one that
 * leads out stays as it was typed, for the rules to refuse.
 */
export async function fromRoot(folder: string, typed: string): Promise<string> {
  const found = await repositoryId(folder, { create: false });
  if (!found || typed === '') return typed;
  const here = path.resolve(await realpath(folder), typed);
  const meant = /^\.\.?(\/|$)/.test(typed) || (await exists(here));
  const inside = path.relative(found.root, here);
  return meant && inside !== '' && !inside.startsWith('..') ? inside : typed;
}

async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toAdapterError(await plainReason(home, error)) ?? error;
  }
}

/** Making several folders at once, Node calls a read-only disk a missing folder; the first one alone tells it right. */
async function plainReason(home: string, error: unknown): Promise<unknown> {
  let first = home;
  while (!(await exists(path.dirname(first)))) first = path.dirname(first);
  return mkdir(first).then(
    () => error,
    (reason: unknown) => reason,
  );
}

function stateHome(): string {
  const { BATON_HOME, XDG_STATE_HOME } = process.env;
  if (BATON_HOME) return path.resolve(BATON_HOME);
  const state =
    XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME)
      ? XDG_STATE_HOME
      : path.join(homedir(), '.local', 'state');
  return path.join(state, 'baton');
}

/** Everything the runtime needs, with the real adapters. The store is opened; the rest is loaded when it is used. */
export async function createDeps(place: Place): Promise<Deps> {
  const clock = systemClock();
  const artefacts = createFileArtefacts(path.join(place.home, 'artefacts'));
  const processes = limitProcesses(createProcesses(placeName(place)), {
    dir: path.join(place.home, 'at-once'),
    most: async () => (await readConfig(place.root)).at_once,
  });
  const workspace = lazyWorkspace(place, async () => (await readConfig(place.root)).namespace);
  // A run has frozen its namespace at its start: for its steps baton.yaml need not be read.
  const folders = new Map<string, Lazy>();
  const folderOf = (namespace: string) =>
    folders.get(namespace) ??
    kept(
      folders,
      namespace,
      lazyWorkspace(place, async () => namespace),
    );
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
    policy: async () => toPolicy(await readConfig(place.root)),
    dial: async () => (await import('./runtime/settings.ts')).readTrust({ store }).then(({ level }) => level),
    watch_minutes: async () => (await readConfig(place.root)).watch_minutes,
    environment,
    keep_spend_ms: 5_000,
    poll_ms: 250,
  };
}

export function hashText(text: string): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').hash('sha256', text)}`;
}

const WORKFLOWS: Readonly<Record<string, () => Promise<Workflow>>> = {
  spec: async () => (await import('./workflows/spec/workflow.ts')).specWorkflow,
  approve: async () => (await import('./workflows/approve/workflow.ts')).approveWorkflow,
  deliver: async () => (await import('./workflows/deliver/workflow.ts')).deliverWorkflow,
  conduct: async () => (await import('./workflows/conduct/workflow.ts')).conductWorkflow,
};

function loadWorkflow(name: string): Promise<Workflow | undefined> {
  return Object.hasOwn(WORKFLOWS, name)
    ? (WORKFLOWS[name]?.() ?? Promise.resolve(undefined))
    : Promise.resolve(undefined);
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
  const { thawScore } = await loadScores();
  const score = policy.score === null ? null : thawScore(await artefacts.get(policy.score as Hash));
  return createRehearsalAgent({ processes, argv: workerArgv('rehearsal-worker'), score, env: process.env });
}

/** Reading and freezing of rehearsal scores. */
function loadScores(): Promise<typeof import('./adapters/agent-rehearsal/score.ts')> {
  return import('./adapters/agent-rehearsal/score.ts');
}

type CheckedScore =
  | { readonly ok: true; readonly frozen: string }
  | { readonly ok: false; readonly errors: readonly string[] };

/** A score as a run would keep it, or what is wrong with it. A role nobody has would never be played: it is refused. */
export async function checkScore(text: string, file: string): Promise<CheckedScore> {
  const { freezeScore, parseScore } = await loadScores();
  const parsed = parseScore(text, { file, readFile: (name) => readFileSync(name, 'utf8') });
  if (!parsed.ok)
    return {
      ok: false,
      errors: parsed.errors.map((e) => `${file}:${e.line}:${e.column} ${e.field}: ${e.message}`),
    };
  const errors = await strangeRoles(text, file, Object.keys(parsed.score.roles));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, frozen: freezeScore(parsed.score) };
}

async function strangeRoles(text: string, file: string, named: readonly string[]): Promise<string[]> {
  const workflows = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  const known = workflows.flatMap(({ name, roles }) =>
    Object.keys(roles).flatMap((role) => [role, `${name}.${role}`]),
  );
  const strange = named.filter((role) => role !== 'else' && !known.includes(role));
  if (strange.length === 0) return [];
  const { nearest } = await import('./adapters/agent-rehearsal/nearest.ts');
  const place = await placeIn(text);
  const lists = workflows.map(({ name, roles }) => [name, Object.keys(roles).join(', ')] as const);
  const allowed = lists.flatMap(([name, roles]) => (roles === '' ? [] : [`roles of ${name}: ${roles}`]));
  return [
    ...strange.map((role) => {
      const close = nearest(role, known);
      const hint = close === null ? '' : `; did you mean "${close}"?`;
      return `${file}:${place(role)} roles.${role}: no such role${hint}`;
    }),
    ...allowed,
  ];
}

/** Where a role is written, as `line:column`; the score was read already, so the text has it. */
async function placeIn(text: string): Promise<(role: string) => string> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const roles = parseDocument(text, { lineCounter }).get('roles', true);
  return (role) => {
    const keys = isMap(roles) ? roles.items.map(({ key }) => key).filter(isScalar) : [];
    const { line, col } = lineCounter.linePos(keys.find(({ value }) => value === role)?.range?.[0] ?? 0);
    return `${line}:${col}`;
  };
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

/** The person's environment for git: hooks and pushes are found by the same marks as workers. */
export function placeEnvironment(place: Place): NodeJS.ProcessEnv {
  return { ...process.env, BATON_PLACE: placeName(place) };
}

/** The person's folder, opened on first use: listing runs must not cost a look at git. */
function lazyWorkspace({ root, home }: Place, namespace: () => Promise<string>): Lazy {
  return lazily(root, async () => {
    const { openWorkspace } = await import('./adapters/workspace/workspace.ts');
    const environment = placeEnvironment({ root, home });
    return openWorkspace({ root, namespace: await namespace(), state: home, environment });
  });
}

function kept<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
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

/** A workspace that is opened by its first use, or ahead of it; why it cannot be opened is told to the use. */
interface Lazy extends Workspace {
  open(): Promise<unknown>;
}

function lazily(root: string, make: () => Promise<Workspace>): Lazy {
  let opened: Promise<Workspace> | null = null;
  const open = () => {
    opened ??= make();
    return opened;
  };
  return {
    root,
    open: () => open().catch(() => undefined),
    facts: async () => (await open()).facts(),
    checkReference: async (file) => (await open()).checkReference(file),
    look: async (look, keep) => (await open()).look(look, keep),
    perform: async (op, keep) => (await open()).perform(op, keep),
    lookup: async (op) => (await open()).lookup(op),
    mark: async () => (await open()).mark(),
    changedSince: async (mark) => (await open()).changedSince(mark),
    snapshot: async (name) => (await open()).snapshot(name),
    restore: async (name) => (await open()).restore(name),
    freeBytes: async () => (await open()).freeBytes(),
  };
}

function pickEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Keeps the stack of our own bug beside the runs; null when even that fails. */
export async function keepTrace(error: unknown): Promise<string | null> {
  const dir = path.join(stateHome(), 'traces');
  const file = path.join(dir, `${new Date().toISOString().replaceAll(':', '-')}.txt`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(file, error instanceof Error ? (error.stack ?? error.message) : String(error));
    return file;
  } catch {
    return null; // the disk is the problem: the message on screen must do
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
