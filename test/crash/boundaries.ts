import type { Agent } from '../../src/ports/agent.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { Processes } from '../../src/ports/processes.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { leaveHalf } from './folder.ts';

/**
 * Called at every place where the process may be killed; it does not return at the chosen one. `last` is what else
 * happens to the world in that moment.
 */
export type Boundary = (label: string, last?: () => void) => void;

/** Where a life may die, who is told of starts, and what is being done to the world: equal words, equal worlds. */
export interface Watch {
  readonly at: Boundary;
  readonly onStart: OnStart;
  readonly tell: (doing: unknown) => void;
}

/** Told when a worker or a check is started, with its mark. */
type OnStart = (call_id: string) => void;

const STORE_WRITES = [
  'commit',
  'storeResult',
  'storeAttempt',
  'storeDraft',
  'takeLease',
  'releaseLease',
  'recordStarted',
  'addSpend',
] as const;

/** Writes that say which process works, and nothing of the run. */
const OF_THIS_PROCESS = new Set(['takeLease', 'releaseLease', 'recordStarted']);

/**
 * The composition with a boundary before and after every write of the store, every text kept, every write to a tree,
 * and before, within and after every worker and check. Nothing in src knows about it.
 */
export function withBoundaries(deps: Deps, watch: Watch): Deps {
  return {
    ...deps,
    store: wrapStore(deps.store, watch),
    processes: wrapProcesses(deps.processes, watch),
    artefacts: { ...deps.artefacts, put: around(watch, 'artefact', deps.artefacts.put) },
    workspace: wrapTree(deps.workspace, watch),
    treeOf: (run) => wrapTree(deps.treeOf(run), watch),
    outside: deps.outside.deploy ? { deploy: wrapOutside(deps.outside.deploy, watch) } : {},
    ...(deps.host ? { host: wrapHost(deps.host, watch) } : {}),
    agent: async (policy, role) => wrapAgent(await deps.agent(policy, role), watch),
  };
}

function wrapStore(store: Store, watch: Watch): Store {
  const wrapped: Record<string, unknown> = { ...store };
  for (const name of STORE_WRITES)
    wrapped[name] = around(watch, name, store[name] as (...args: never[]) => Promise<unknown>);
  const commit: Store['commit'] = (changes) => {
    const label = changes.some(({ answer }) => answer !== null) ? 'answering commit' : 'commit';
    return around(watch, label, store.commit)(changes as never);
  };
  return { ...wrapped, commit } as unknown as Store;
}

function wrapTree(tree: Workspace, watch: Watch): Workspace {
  return {
    ...tree,
    perform: around(watch, 'write', tree.perform),
    snapshot: around(watch, 'snapshot', tree.snapshot),
    restore: around(watch, 'restore', tree.restore),
  };
}

function wrapOutside(location: Outside, watch: Watch, label = 'deploy'): Outside {
  return { ...location, perform: around(watch, label, location.perform) };
}

function wrapHost(open: NonNullable<Deps['host']>, watch: Watch): NonNullable<Deps['host']> {
  return (policy) => {
    const host = open(policy);
    return {
      ...host,
      changes: wrapOutside(host.changes, watch, 'change'),
      deploys: wrapOutside(host.deploys, watch),
    };
  };
}

function around<Args extends never[], Result>(
  { at, tell }: Watch,
  label: string,
  call: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    if (!OF_THIS_PROCESS.has(label)) tell(args);
    at(`before ${label}`);
    const result = await call(...args);
    at(`after ${label}`);
    return result;
  };
}

/** The runtime itself starts only checks; workers are started by the agent. */
function wrapProcesses(processes: Processes, { at, onStart, tell }: Watch): Processes {
  return {
    ...processes,
    spawn: async (spec) => {
      tell([spec.argv, spec.call_id]);
      at('before check');
      onStart(spec.call_id);
      const running = await processes.spawn(spec);
      at('while check');
      return running;
    },
  };
}

function wrapAgent(agent: Agent, { at, onStart, tell }: Watch): Agent {
  return {
    ...agent,
    async *run(call, signal) {
      tell(call);
      at(`before worker ${call.role}`);
      for await (const event of agent.run(call, signal)) {
        if (event.type === 'started') {
          onStart(call.key);
          at(`while worker ${call.role}`);
          if (call.profile.kind === 'writes')
            at(`half worker ${call.role}`, () => halve(event.pid, call.cwd));
        }
        if (event.type === 'ended') at(`after worker ${call.role}`);
        yield event;
      }
    },
  };
}

/** The worker dies with us in the middle of its edits. */
function halve(pid: number, cwd: string): void {
  process.kill(pid, 'SIGKILL');
  leaveHalf(cwd);
}

/** A boundary before every git program of the adapters, so that a write dies between two of its commands. */
export function betweenGitCommands(at: Boundary): void {
  const programs = process.getBuiltinModule('node:child_process');
  const { execFile } = programs;
  const wrapped = (file: string, args: readonly string[], ...rest: unknown[]) => {
    if (file === 'git') at(`before git ${args.find((arg) => /^[a-z][a-z-]+$/.test(arg)) ?? ''}`);
    return (execFile as (...all: unknown[]) => unknown)(file, args, ...rest);
  };
  programs.execFile = wrapped as never;
}
