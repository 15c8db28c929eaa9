import type { Change } from '../contract/change.ts';
import type { Hash, RunId } from '../contract/ids.ts';
import { InvariantError } from '../engine/errors.ts';
import { isRejection, type Rejection } from '../engine/rejection.ts';
import { createRun, type Input, transition } from '../engine/transition.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { StartFacts, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import { type Loaded, loadRun, unleased } from './load.ts';

/** A run moves on only if nothing moved under it: after this many tries something is wrong with us. */
const MAX_TRIES = 50;

export interface ApplyOptions {
  /** Decides on the row it will be committed against; a Rejection leaves everything as it is. */
  readonly input: (at: At) => Input | Rejection;
  /** Who holds the run after the commit; asked anew for each try. */
  readonly context?: (at: At) => TransitionContext;
  /** The row a drive still has in hand from its last commit; the guard finds out if it is old. */
  readonly held?: Loaded;
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
  let loaded: Loaded | Rejection = options.held ?? (await loadRun(deps, id));
  let taken: Input | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (isRejection(loaded)) return loaded;
    const { def, at } = loaded;
    const input = taken ?? options.input(at);
    if (isRejection(input)) return input;
    const context = options.context?.(at) ?? unleased(deps, at, 'engine');
    const change = transition(def, at, input, context);
    if (isRejection(change)) return change;
    await keepTexts(deps, change, options.texts);
    const children = await spawned(deps, change);
    const result = await deps.store.commit([change, ...children]);
    if (result.kind === 'committed') {
      const gate = change.gate_opened ?? (change.gate_closed ? null : at.gate);
      const applied = { def, change, at: { run: change.run, gate } };
      if (change.inbox_added.length === 0 && change.run.status !== 'ended') return { ...applied, moved: false };
      await deliver(deps);
      return { ...applied, moved: (await deps.store.load(id))?.revision !== change.run.revision };
    }
    taken = null;
    if (result.kind === 'subject_taken') {
      const { subject, by } = result;
      const signal = { type: 'subject_taken', subject, run: by, at: deps.clock.now() } as const;
      taken = { kind: 'signal', signal, inbox: null };
    }
    loaded = await loadRun(deps, id);
  }
  throw new InvariantError(`${id}: the row moved ${MAX_TRIES} times while an input was applied`);
}

/** Applies what other runs sent, oldest first. A run that has ended takes nothing more. */
export async function deliver(deps: Deps, run?: RunId): Promise<void> {
  for (const item of await deps.store.pending(run)) {
    const input: Input = { kind: 'signal', signal: item.signal, inbox: item.id };
    await apply(deps, item.run, { input: () => input });
  }
}

/** A text is a file, synced and renamed, before a commit names it. */
async function keepTexts(deps: Deps, change: Change, texts: ApplyOptions['texts']): Promise<void> {
  if (!texts || texts.size === 0) return;
  for (const { record } of change.records) {
    const text = record.kind === 'artefact' ? texts.get(record.hash) : undefined;
    if (text !== undefined) await deps.artefacts.put(text);
  }
}

/** Children are rows of the parent's own transaction; the id says which turn and key made them. */
async function spawned(deps: Deps, change: Change): Promise<Change[]> {
  const children: Change[] = [];
  for (const { record } of change.records) {
    if (record.kind !== 'spawn') continue;
    const def = await deps.workflow(record.workflow);
    if (!def) throw new InvariantError(`${change.run.id} spawns unknown workflow '${record.workflow}'`);
    const { run } = change;
    const id = `${def.prefix}-${deps.hash(`${run.id}/${run.turn}/${record.key}`).slice(7, 15)}`;
    const { policy } = run;
    const facts: StartFacts = {
      now: deps.clock.now(),
      run: id,
      short_id: id.slice(3),
      ...(await deps.workspace.facts()),
      policy,
      reference: null,
      live: [],
    };
    const move = def.start(record.input, facts);
    if (isRejection(move)) throw new InvariantError(`${change.run.id}: child refused: ${move.rejection}`);
    const lease = { holder: null, epoch: 0, at_rest: false, drive: null };
    const context = { now: facts.now, by: `run:${run.id}`, hash: deps.hash, lease };
    children.push(createRun(def, { id, move, policy, parent: run.id, parent_key: record.key }, context));
  }
  return children;
}
