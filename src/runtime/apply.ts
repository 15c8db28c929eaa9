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
import { endLeft } from './end-left.ts';
import { gatherFacts } from './gather-facts.ts';
import { type Loaded, loadRun, unleased } from './load.ts';

/** A run moves on only if nothing moved under it: after this many tries something is wrong with us. */
const MAX_TRIES = 50;

export interface ApplyOptions {
  /** Decides on the row it will be committed against; a Rejection leaves everything as it is. */
  readonly input: (at: At) => Input | Rejection;
  /** Who holds the run after the commit; asked anew for each try. */
  readonly context?: (at: At) => TransitionContext;
  /** The row a drive still has in hand from its last commit; the guard finds out if it is old. */
  readonly held?: Loaded | null;
  /** Texts the input brought along; those a record names are on disk before the commit. */
  readonly texts?: ReadonlyMap<Hash, string>;
}

export interface Applied {
  readonly def: Workflow;
  readonly change: Change;
  /** The run after the commit. */
  readonly at: At;
  /** What was delivered afterwards came back to this run: `at` is old already. */
  readonly moved: boolean;
}

/**
 * Commit, then act: one input becomes one transaction, whoever brings it. A stale row is read again and decided
 * again. Messages written for other runs are delivered afterwards; a crash in between leaves them in the inbox.
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

/** Everything the input changes: the run itself first, then children it spawns. Texts it names are on disk. */
async function decide(
  deps: Deps,
  { def, at }: Loaded,
  input: Input,
  options: ApplyOptions,
): Promise<[Change, ...Change[]] | Rejection> {
  const context = options.context?.(at) ?? unleased(deps, at, 'engine');
  const change = asBug(at.run.id, () => transition(def, at, input, context));
  if (isRejection(change)) return change;
  // A text is a file, synced and renamed, before a commit names it.
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

/** The same, with messages delivered that the commit wrote for other runs. */
async function deliverFor(deps: Deps, after: Applied): Promise<Applied> {
  const { run } = after.change;
  const delivered = await deliver(deps);
  const now = delivered > 0 ? await deps.store.load(run.id) : run;
  return { ...after, moved: now?.revision !== run.revision };
}

/** Other runs were told something: by a message, by the end of this one, or by a decision they rest on. */
function hasMail({ run, records, inbox_added }: Change): boolean {
  const superseded = records.some(
    ({ record }) => record.kind === 'knowledge_status' && record.status === 'Superseded',
  );
  return inbox_added.length > 0 || run.status === 'ended' || superseded;
}

/** Somebody else owns the subject the move claims: the workflow is told so instead. */
async function takenSignal(
  deps: Deps,
  { subject, by }: { subject: string; by: RunId },
): Promise<ApplyOptions['input']> {
  const other = await deps.store.load(by);
  const known = other && { workflow: other.workflow, phase: other.phase, title: other.title };
  const signal = { type: 'subject_taken', subject, run: by, ...known, at: deps.clock.now() } as const;
  return () => ({ kind: 'signal', signal, inbox: null });
}

/** A person who asked for the child is told why not; in the middle of a run it is a bug. */
function refuseChild(id: RunId, input: Input, refusal: Rejection): Rejection {
  if (input.kind === 'signal' || input.kind === 'answer') return refusal;
  throw new InvariantError(`${id}: a child was refused: ${refusal.rejection}`);
}

/** Applies what other runs sent, oldest first, and says how much. A run that has ended takes nothing more. */
export async function deliver(deps: Deps, run?: RunId): Promise<number> {
  const items = await deps.store.pending(run);
  for (const item of items) {
    const input: Input = { kind: 'signal', signal: item.signal, inbox: item.id };
    await apply(deps, item.run, { input: () => input });
  }
  return items.length;
}

/** Those of the texts that the change names. */
function textsOf({ records }: Change, texts: ApplyOptions['texts']): string[] {
  return records.flatMap(({ record }) => (record.kind === 'artefact' ? (texts?.get(record.hash) ?? []) : []));
}

/** Children are rows of the parent's own transaction. */
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
    const lease = { holder: null, epoch: 0, at_rest: false, drive: null };
    const context = { now: facts.now, by: `run:${run.id}`, hash: deps.hash, lease };
    children.push(
      createRun(def, { id, move, policy: facts.policy, parent: run.id, parent_key: key }, context),
    );
  }
  return children;
}

/** The id says which turn and key made the child; tickets have the next numbers, counted again when they are taken. */
function childIds(deps: Deps, run: Run): (def: Workflow, key: string) => Promise<RunId> {
  const project = ticketKey(run.policy);
  let number: number | null = null;
  return async ({ prefix, numbered }, key) => {
    if (!numbered) return `${prefix}-${deps.hash(`${run.id}/${run.turn}/${key}`).slice(7, 15)}`;
    number = number === null ? await deps.store.nextNumber(project) : number + 1;
    return `${project}-${number}`;
  };
}
