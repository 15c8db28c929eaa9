import type { Gate } from '../contract/gate.ts';
import type { RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import { type Rejection, reject } from '../engine/rejection.ts';
import { transition } from '../engine/transition.ts';
import type { BaseState, Workflow } from '../engine/workflow.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';

export interface Loaded {
  readonly def: Workflow;
  readonly at: At;
}

/**
 * Reads one run from the store: its row and the gate it waits at. The schema validates the state here, once. A state of
 * an older version is migrated by its own event. A newer or damaged state is refused and left unchanged.
 */
export async function loadRun(deps: Deps, id: RunId): Promise<Loaded | Rejection> {
  const run = await deps.store.load(id);
  if (!run) return reject('no_such_run', { run: id });
  const def = await deps.workflow(run.workflow);
  if (!def) return reject('unknown_workflow', { run: id, workflow: run.workflow });
  if (run.version > def.version) {
    return reject('newer_version', { run: id, version: run.version, known: def.version });
  }
  const gate = await gateOf(deps, run);
  if (gate === 'moved') return loadRun(deps, id);
  if (gate === 'missing')
    return reject('state_corrupt', { run: id, field: 'gate', problem: 'not stored or not open' });
  if (run.version < def.version) return migrate(deps, { def, at: { run, gate } });
  const parsed = def.state.safeParse(run.state);
  if (parsed.success) return { def, at: { run, gate } };
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  return reject('state_corrupt', { run: id, field, problem: issue?.message ?? 'unreadable' });
}

/** The open gate that a run waits at. `moved`: the run was changed between our two reads. */
async function gateOf(deps: Deps, run: Run): Promise<Gate | null | 'moved' | 'missing'> {
  const id = run.trouble?.gate ?? (run.step.kind === 'gate' ? run.step.gate : null);
  if (id === null) return null;
  const gate = await deps.store.gate(id);
  if (gate?.status === 'open') return gate;
  const now = await deps.store.load(run.id);
  return now?.revision === run.revision ? 'missing' : 'moved';
}

async function migrate(deps: Deps, loaded: Loaded): Promise<Loaded | Rejection> {
  const { def, at } = loaded;
  let state: Record<string, unknown> = { ...at.run.state };
  for (let version = at.run.version; version < def.version; version++) {
    const step = def.migrations.find((migration) => migration.from === version);
    if (!step) return reject('newer_version', { run: at.run.id, version, known: def.version });
    state = step.migrate(state);
  }
  const parsed = def.state.safeParse(state);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? '';
    return reject('state_corrupt', { run: at.run.id, field, problem: 'migration' });
  }
  const input: Input = { kind: 'migrate', state: parsed.data as BaseState, version: def.version };
  const change = transition(def, at, input, unleased(deps, at, 'engine'));
  if ('rejection' in change) return change;
  await deps.store.commit([change]);
  return loadRun(deps, at.run.id);
}

/** Context of an input that is applied without driving the run. The lease stays with its holder. */
export function unleased(deps: Deps, at: At, by: string): TransitionContext {
  const { holder, epoch } = at.run;
  const lease = { holder, epoch, while_idle: true, drive: null, performs: false } as const;
  return { now: deps.clock.now(), by, hash: deps.hash, lease };
}

/** True if stored data of one run cannot be read. Other runs are not affected. */
export function isDamage(error: unknown): error is AdapterError {
  return error instanceof AdapterError && error.failure.code === 'store_corrupt';
}
