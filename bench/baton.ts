import { hash } from 'node:crypto';
import path from 'node:path';
import { REHEARSAL_CAN } from '../src/adapters/agent-rehearsal/agent.ts';
import { createFileArtefacts } from '../src/adapters/artefacts-file/artefacts.ts';
import { randomIds, systemClock } from '../src/adapters/clock.ts';
import { createProcesses } from '../src/adapters/processes/processes.ts';
import { openSqliteStore } from '../src/adapters/store-sqlite/open.ts';
import type { Policy } from '../src/contract/run.ts';
import { BACK_OFF_POLICY } from '../src/engine/back-off.ts';
import { isRejection, type Rejection } from '../src/engine/rejection.ts';
import type { Agent, AgentCall } from '../src/ports/agent.ts';
import type { Processes } from '../src/ports/processes.ts';
import type { Workspace } from '../src/ports/workspace.ts';
import type { Api } from '../src/runtime/api.ts';
import type { Deps } from '../src/runtime/deps.ts';
import { createApi } from '../src/runtime/service.ts';
import type { DriveHandle, StopPoint } from '../src/runtime/views.ts';
import { loadOperations } from '../src/workflow-table.ts';
import { callerOf } from '../test/support/caller.ts';
import { type Contender, PAYLOAD } from './job.ts';
import { benchWorkflow, words } from './workflow.ts';

/** Called when a worker starts; it ends when the promise does. */
export type Work = (call: AgentCall) => Promise<void>;

export interface Baton extends Contender {
  readonly api: Api;
  /** A run of that many steps with gates after some of them, driven to its first rest. */
  start(name: string, steps: number, gates: number[]): Promise<StopPoint>;
}

/**
 * The real store, the real runtime and the real API. Not real are the worker, which answers inside this process and
 * has no processes to sweep, and the workspace, which has no tree to compare.
 */
export async function openBaton(home: string, work: Work): Promise<Baton> {
  const api = createApi(await benchDeps(home, work), callerOf(PERSON, 'bench'));
  const rest = async (handle: DriveHandle): Promise<StopPoint> => {
    const was_idle = await handle.advance();
    await handle.close();
    return was_idle;
  };
  const start = async (name: string, steps: number, gates: number[]) => {
    const handle = await api.start({ workflow: 'bench', input: { name, steps, gates }, ...START });
    return rest(accepted(handle));
  };
  const answer = async ({ gate }: StopPoint): Promise<StopPoint> => {
    if (!gate) throw new Error('the run is not at a gate');
    const input = { option: 'go', text: null, fields: {}, digest: gate.digest, typed: null };
    const receipt = accepted(await api.answer({ gate: gate.id, answer: input, drive: { attended: false } }));
    if (!receipt.handle) throw new Error('the answer opened no drive');
    return rest(receipt.handle);
  };
  return {
    api,
    start,
    one: async (id) => {
      const end = await answer(await answer(await start(id, 7, [2, 5])));
      if (end.outcome !== 'done') throw new Error(`the run ended as ${end.outcome}`);
    },
    close: () => api.close(),
  };
}

const PERSON = { person: 'Bench', surface: 'test', proof: 'composition' } as const;
const START = {
  agent: null,
  script: null,
  in_place: false,
  unattended: false,
  attended: false,
};

function accepted<T extends object>(value: T | Rejection): T {
  if (isRejection(value)) throw new Error(`refused: ${JSON.stringify(value)}`);
  return value;
}

/** What compose.ts puts together, with the benchmark's workflow, worker and workspace. */
export async function benchDeps(home: string, work: Work): Promise<Deps> {
  const clock = systemClock();
  const ids = randomIds();
  const policy: Policy = {
    namespace: 'baton',
    agent: 'rehearsal',
    script: null,
    in_place: false,
    tree: 'checkout',
    unattended: false,
    budget: { money_usd: null, tokens: null, worker_minutes: null, attempts: null },
  };
  const agent = inProcessAgent(work);
  const workspace = memoryWorkspace();
  return {
    store: await openSqliteStore({ file: path.join(home, 'baton.db'), now: clock.now }),
    artefacts: createFileArtefacts(path.join(home, 'artefacts')),
    processes: withoutWorkers(createProcesses()),
    workspace,
    treeOf: () => workspace,
    clock,
    sleep: async () => undefined,
    backoff_policy: BACK_OFF_POLICY,
    // Longer than a person's: the benchmark makes more runs than one folder ever has.
    ids: { short: (n) => ids.short(n + 4) },
    orders: () => Promise.reject(new Error('nobody outside works here')),
    trust: async () => 'balanced',
    attend_minutes: async () => 1,
    hash: (text) => `sha256:${hash('sha256', text)}`,
    texts: { message: (id) => words[id], prompt: () => 'You are a worker of the benchmark.' },
    workflow: async (name) => (name === 'bench' ? benchWorkflow : undefined),
    operations: loadOperations,
    agent: async () => agent,
    outside: {},
    calls: path.join(home, 'calls'),
    policy: async () => policy,
    environment: {},
    store_spend_ms: 5_000,
    poll_ms: 250,
  };
}

function inProcessAgent(work: Work): Agent {
  return {
    name: 'bench',
    capabilities: REHEARSAL_CAN,
    rehearsal: true,
    isFinished: async () => false,
    async *run(call) {
      await work(call);
      yield { type: 'result', value: { step: call.nth, out: PAYLOAD } };
      yield { type: 'usage', usage: { money_usd: 0.01, tokens: 100 } };
      yield { type: 'ended', outcome: 'finished', detail: '' };
    },
  };
}

function withoutWorkers(processes: Processes): Processes {
  return { ...processes, killLeftovers: async () => ({ ended: [], left: [], programs: [] }) };
}

function memoryWorkspace(): Workspace {
  const nothing = async () => {
    throw new Error('the benchmark has no such step');
  };
  return {
    root: path.sep,
    facts: async () => ({ folder: 'bench', git: null }),
    checkReference: nothing,
    query: nothing,
    perform: nothing,
    lookup: nothing,
    fingerprint: async () => '',
    changedSince: async () => [],
    controls: async () => ({}),
    noteIgnored: async () => undefined,
    snapshot: async () => 'unchanged',
    restore: nothing,
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
  };
}
