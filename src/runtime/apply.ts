import type { Change } from '../contract/change.ts';
import type { Hash, RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { asBug, InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import { isRejection, type Rejection } from '../engine/rejection.ts';
import { ticketKey } from '../engine/ticket-id.ts';
import { createRun, transition } from '../engine/transition.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';
import { gatherFacts } from './gather-facts.ts';
import { holderState } from './holder.ts';
import { type Loaded, loadRun, unleased } from './load.ts';

/** An input is applied only to the row it was decided on. After this many failed tries we assume a bug of ours. */
const MAX_TRIES = 50;

export interface ApplyOptions {
  /** Decides on the row that the commit is guarded by. A Rejection leaves everything unchanged. */
  readonly input: (at: At) => Input | Rejection;
  /** Who holds the run after the commit. Called again for each try. */
  readonly context?: (at: At) => TransitionContext;
  /** The row that a drive holds from its last commit. The guard detects if it is stale. */
  readonly held?: Loaded | null;
  /** Texts that belong to the input. Those named by a record are written to disk before the commit. */
  readonly texts?: ReadonlyMap<Hash, string>;
}

export interface Applied {
  readonly def: Workflow;
  readonly change: Change;
  /** The run after the commit. */
  readonly at: At;
  /** True if the messages applied afterwards changed this run. `at` is then stale. */
  readonly moved: boolean;
}

/**
 * Commit, then act: each input becomes one transaction, whichever caller applies it. If the row is stale, it is loaded
 * and decided on again. Messages for other runs are applied afterwards. After a crash in between they are still in the
 * inbox.
 */
export async function apply(deps: Deps, id: RunId, options: ApplyOptions): Promise<Applied | Rejection> {
  let now = options;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const tried = await applyOnce(deps, id, now);
    if (tried.kind === 'settled') return tried.end;
    now = { ...options, input: tried.input ?? options.input, held: null };
  }
  throw new InvariantError(`${id}: the row moved ${MAX_TRIES} times while an input was applied`);
}

type Tried =
  | { readonly kind: 'settled'; readonly end: Applied | Rejection }
  | { readonly kind: 'again'; readonly input: ApplyOptions['input'] | null };

async function applyOnce(deps: Deps, id: RunId, options: ApplyOptions): Promise<Tried> {
  const settled = (end: Applied | Rejection): Tried => ({ kind: 'settled', end });
  const loaded = options.held ?? (await loadRun(deps, id));
  if (isRejection(loaded)) return settled(loaded);
  const input = options.input(loaded.at);
  if (isRejection(input)) return settled(input);
  const changes = await decide(deps, loaded, input, options);
  if (isRejection(changes)) return settled(changes);
  const result = await deps.store.commit(changes);
  if (result.kind === 'committed') {
    if (input.kind === 'signal') await endLeft(deps, loaded.at.run, changes[0].run);
    const end = applied(loaded, changes[0]);
    return settled(hasMail(changes[0]) ? await deliverFor(deps, end) : end);
  }
  return { kind: 'again', input: result.kind === 'subject_taken' ? await takenSignal(deps, result) : null };
}

/**
 * All changes that the input causes: first of the run itself, then of the children it spawns. Writes the texts they
 * name.
 */
async function decide(
  deps: Deps,
  { def, at }: Loaded,
  input: Input,
  options: ApplyOptions,
): Promise<[Change, ...Change[]] | Rejection> {
  const context = options.context?.(at) ?? unleased(deps, at, 'engine');
  const change = asBug(at.run.id, () => transition(def, at, input, context));
  if (isRejection(change)) return change;
  // A text must be a synced and renamed file before a commit names it.
  for (const text of textsOf(change, options.texts)) await deps.artefacts.put(text);
  const spawns = change.records.some(({ record }) => record.kind === 'spawn');
  const children = spawns ? await spawned(deps, change) : [];
  return isRejection(children) ? refuseChild(at.run.id, input, children) : [change, ...children];
}

/** The run after its commit. */
function applied({ def, at }: Loaded, change: Change): Applied {
  const gate = change.gate_opened ?? (change.gate_closed ? null : at.gate);
  return { def, change, at: { run: change.run, gate }, moved: false };
}

/** Applies the messages that the commit wrote for other runs. */
async function deliverFor(deps: Deps, after: Applied): Promise<Applied> {
  const { run } = after.change;
  const delivered = await deliver(deps);
  const now = delivered > 0 ? await deps.store.load(run.id) : run;
  return { ...after, moved: now?.revision !== run.revision };
}

/** True if other runs must be notified: by a message, by the end of this run, or because a decision was superseded. */
function hasMail({ run, records, inbox_added }: Change): boolean {
  const superseded = records.some(
    ({ record }) => record.kind === 'knowledge_status' && record.status === 'Superseded',
  );
  return inbox_added.length > 0 || run.status === 'ended' || superseded;
}

/** Another run owns the subject that the move claims. The workflow gets this signal instead. */
async function takenSignal(
  deps: Deps,
  { subject, by }: { subject: string; by: RunId },
): Promise<ApplyOptions['input']> {
  const other = await deps.store.load(by);
  const known = other && { workflow: other.workflow, phase: other.phase, title: other.title };
  const signal = { type: 'subject_taken', subject, run: by, ...known, at: deps.clock.now() } as const;
  return () => ({ kind: 'signal', signal, inbox: null });
}

/** A person who asked for the child gets the reason. In the middle of a run it is a bug. */
function refuseChild(id: RunId, input: Input, refusal: Rejection): Rejection {
  if (input.kind === 'signal' || input.kind === 'answer') return refusal;
  throw new InvariantError(`${id}: a child was refused: ${refusal.rejection}`);
}

/**
 * Applies the messages in the inbox, oldest first, and returns their number. A run that has ended accepts no more
 * messages.
 */
export async function deliver(deps: Deps, run?: RunId): Promise<number> {
  const items = await deps.store.pending(run);
  for (const item of items) {
    const input: Input = { kind: 'signal', signal: item.signal, inbox: item.id };
    await apply(deps, item.run, { input: () => input });
  }
  return items.length;
}

/** The texts that the change names. */
function textsOf({ records }: Change, texts: ApplyOptions['texts']): string[] {
  return records.flatMap(({ record }) => (record.kind === 'artefact' ? (texts?.get(record.hash) ?? []) : []));
}

/** Creates the children. They are rows of the parent's own transaction. */
async function spawned(deps: Deps, change: Change): Promise<Change[] | Rejection> {
  const children: Change[] = [];
  const { run } = change;
  const idOf = childIds(deps, run);
  for (const { record } of change.records) {
    if (record.kind !== 'spawn') continue;
    const { key, workflow } = record;
    const def = await deps.workflow(workflow);
    if (!def) throw new InvariantError(`${run.id} spawns unknown workflow '${workflow}'`);
    const id = await idOf(def, key);
    const input = def.input.parse(record.input);
    const facts = await gatherFacts(deps, { run: id, def, input, policy: run.policy, parent: run });
    if (isRejection(facts)) return facts;
    const live = facts.live.filter((other) => other.run !== run.id || run.status !== 'ended');
    const move = def.start(input, { ...facts, live });
    if (isRejection(move)) return move;
    const lease = { holder: null, epoch: 0, while_idle: false, drive: null };
    const context = { now: facts.now, by: `run:${run.id}`, hash: deps.hash, lease };
    children.push(
      createRun(def, { id, move, policy: facts.policy, parent: run.id, parent_key: key }, context),
    );
  }
  return children;
}

/** A child's id is a hash of parent, turn and key. Tickets get the next number instead, computed again for each try. */
function childIds(deps: Deps, run: Run): (def: Workflow, key: string) => Promise<RunId> {
  const project = ticketKey(run.policy);
  let number: number | null = null;
  return async ({ prefix, numbered }, key) => {
    if (!numbered) return `${prefix}-${deps.hash(`${run.id}/${run.turn}/${key}`).slice(7, 15)}`;
    number = number === null ? await deps.store.nextNumber(project) : number + 1;
    return `${project}-${number}`;
  };
}

/**
 * A signal has moved the run away from a step whose process is dead. Ends what that process left running, because no
 * drive takes this step over any more. A live holder ends its own processes.
 */
async function endLeft(deps: Deps, before: Run, after: Run): Promise<void> {
  const { id, turn, step, holder } = before;
  const isWork = step.kind === 'work' || step.kind === 'check' || step.kind === 'query';
  if (!isWork || turn === after.turn || holder === null) return;
  if ((await holderState(deps, before)) === 'dead') await deps.processes.killLeftovers(`${id}/${turn}`);
}
