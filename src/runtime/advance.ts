import type { Effect } from '../contract/change.ts';
import type { RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import { isRejection } from '../engine/rejection.ts';
import { waitsForChildren } from '../engine/waits-for-children.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { Progress, Rest } from './api.ts';
import { type Applied, apply, deliver } from './apply.ts';
import { watchFacts } from './await-change.ts';
import type { Breakers } from './breakers.ts';
import { decideGate, obeyDial, type Standing, standingOf } from './delegate-gate.ts';
import type { Deps } from './deps.ts';
import type { Children, OpenChild } from './drive-children.ts';
import { modeOf, staysAt } from './drive-row.ts';
import { haltBroken } from './halt-broken.ts';
import { oneAtATime } from './job.ts';
import { type Loaded, loadRun } from './load.ts';
import { createMeter } from './meter.ts';
import { tellMissing, textsOf } from './missing-artefacts.ts';
import { perform } from './perform.ts';
import { restOf, withChild } from './rest.ts';
import { tellOverview, tellRefused, tellStep } from './tell.ts';

export interface DriveSeed {
  readonly id: RunId;
  readonly epoch: number;
  readonly attended: boolean;
  readonly tell: (progress: Progress) => void;
  readonly breakers: Breakers;
  readonly openChild: OpenChild;
  /** The row and effects of the commit that took the lease, if that commit also moved the run. */
  readonly applied: Applied | null;
  readonly onClose: () => void;
}

/** Where no gate is ever delegated. */
const CONTROLLED = { kind: 'controlled' } as const;

/** Reason of an abort: made once, because a reason of its own for each costs as much as a write. */
export const MOVED = new Error('the run has moved');

/** What a drive has in hand: the row of its last commit and the effects that commit opened. */
export interface Hand {
  loaded: Loaded | null;
  opened: readonly Effect[] | null;
  /** The step being performed, so that an input of this same process can interrupt it. */
  performing: { readonly turn: number; readonly stop: AbortController } | null;
  /** The last event this drive knows of; what comes between is of other processes. */
  seq: number | null;
}

/** A drive at work: what it was opened with, what it has in hand, and whether it was closed. */
export interface Driving {
  readonly deps: Deps;
  readonly seed: DriveSeed;
  readonly hand: Hand;
  readonly children: Children;
  readonly isClosed: () => boolean;
  readonly accept: (applied: Applied) => void;
}

/** Takes inputs until the run rests. */
export async function advance(driving: Driving): Promise<Rest> {
  const watched = { turn: -1 };
  const stopWatching = watchRow(driving);
  try {
    for (;;) {
      const rest = await advanceOnce(driving, watched);
      if (rest) return rest;
    }
  } finally {
    stopWatching();
  }
}

/** One input taken, or null to look again; a rest when nothing more happens by itself. */
async function advanceOnce(driving: Driving, watched: { turn: number }): Promise<Rest | null> {
  const { deps, seed, hand, isClosed } = driving;
  const held = takeHand(hand);
  // Where gates are delegated the row is read anew each time (CON-23).
  const loaded = held.loaded && !held.loaded.def.delegate ? held.loaded : await reload(deps, seed.id);
  const { run } = loaded.at;
  const opened = held.opened?.[0]?.turn === run.turn ? held.opened : null;
  hand.seq ??= run.seq;
  if (run.seq > hand.seq) await tellRefused(deps, seed, hand, run.seq);
  if (run.epoch !== seed.epoch)
    return restOf(loaded.at, run.holder ? `${run.holder.host}:${run.holder.pid}` : '-');
  if (isClosed()) return restOf(loaded.at, null);
  const news = opened === null && (await hasNews(deps, loaded, watched.turn === run.turn));
  watched.turn = run.turn;
  if (news) return null;
  const seen = { loaded, opened, standing: null };
  try {
    return await (loaded.def.delegate ? takeDelegated(driving, seen) : takeInput(driving, seen));
  } catch (error) {
    await haltFor(driving, run, error);
    return null;
  }
}

/** Our own bug halts this run and no other; one that stands still already is left as it is. */
async function haltFor(
  { deps, seed, accept }: Driving,
  { halt, status }: Run,
  error: unknown,
): Promise<void> {
  if (!(error instanceof InvariantError) || halt || status === 'ended') throw error;
  const halted = await haltBroken(deps, seed.id, error);
  if (halted) accept(halted);
}

/** Where gates are delegated the drive and the dial are looked at before each input, whatever the run does (S2). */
async function takeDelegated(driving: Driving, seen: Seen): Promise<Rest | null> {
  const { deps, seed, hand, accept } = driving;
  const standing = await standingOf(deps, seen.loaded.at);
  const denied = await obeyDial({ deps, seed, standing }, seen.loaded);
  if (!denied) return takeInput(driving, { ...seen, standing });
  accept(denied);
  hand.opened = seen.opened;
  return null;
}

/** What is in hand is used once. */
function takeHand(hand: Hand): Pick<Hand, 'loaded' | 'opened'> {
  const { loaded, opened } = hand;
  hand.loaded = null;
  hand.opened = null;
  return { loaded, opened };
}

/** What one look of the drive goes by. */
interface Seen {
  readonly loaded: Loaded;
  readonly opened: readonly Effect[] | null;
  /** Null where no gate is ever delegated. */
  readonly standing: Standing | null;
}

/** Performs the step or wakes the wait, and commits what came of it. */
async function takeInput(driving: Driving, seen: Seen): Promise<Rest | null> {
  const { deps, seed } = driving;
  const { loaded, opened, standing } = seen;
  const { run } = loaded.at;
  tellOverview(seed, loaded, standing ? modeOf(standing.drive) : CONTROLLED);
  const input = isResting(run) ? wake(deps, run) : await performStep(driving, loaded, opened);
  if (input === 'rest') return comeToRest(driving, seen);
  const applied = input === 'reload' ? null : await commit(deps, seed, loaded, input);
  if (applied) driving.accept(applied);
  return null;
}

/** Where gates are delegated the drive has its say first: it goes on by itself, or its pause is on record. */
async function comeToRest(
  { deps, seed, hand, children, accept }: Driving,
  { loaded, standing }: Seen,
): Promise<Rest | null> {
  if (waitsForChildren(loaded.at.run)) return restWithChildren({ hand, children }, loaded);
  if (!standing) return withChild(deps, restOf(loaded.at, null));
  const decided = await decideGate({ deps, seed, standing }, loaded);
  if (decided.kind === 'lost') return null;
  if (decided.applied) accept(decided.applied);
  if (decided.kind === 'moved') return null;
  const { at, pause } = decided;
  return withChild(deps, { ...restOf(at, null), pause, mode: standing.drive.mode });
}

/** Where the run stands; one that waits for its children is carried on by them, until an input stops them. */
async function restWithChildren(
  { hand, children }: Pick<Driving, 'hand' | 'children'>,
  { at }: Loaded,
): Promise<Rest | null> {
  const stop = new AbortController();
  hand.performing = { turn: at.run.turn, stop };
  return children.advance(at, stop.signal).finally(() => {
    hand.performing = null;
  });
}

/** Signals that wait for the run, or a fact its gate stands on that changed; looked at once per gate. */
async function hasNews(deps: Deps, loaded: Loaded, watched: boolean): Promise<boolean> {
  if ((await deliver(deps, loaded.at.run.id)) > 0) return true;
  return !watched && loaded.at.run.step.kind === 'gate' && (await watchFacts(deps, loaded));
}

/** Nothing is performed at a gate, in a wait, before a trouble gate, while halted, or after the end. */
function isResting(run: Run): boolean {
  const { kind } = run.step;
  return run.halt !== null || run.trouble !== null || kind === 'gate' || kind === 'wait' || kind === 'end';
}

type Brought = {
  readonly input: Input;
  readonly texts: ReadonlyMap<`sha256:${string}`, string>;
  readonly turn: number;
};

async function performStep(
  { deps, seed, hand, isClosed, accept }: Driving,
  loaded: Loaded,
  opened: readonly Effect[] | null,
): Promise<Brought | 'rest' | 'reload'> {
  const { def, at } = loaded;
  const { run } = at;
  const effects = opened ?? (await deps.store.effects(run.id, run.turn));
  const texts = textsOf(effects);
  const told = texts.size > 0 ? await tellMissing(deps, loaded, texts) : null;
  if (told) {
    accept(told);
    return 'reload';
  }
  if (effects.some((effect) => effect.started_at === null)) {
    await deps.store.markStarted(run.id, run.turn, seed.epoch, deps.clock.now());
  }
  // Taken over: workers say themselves that they work, checks say nothing for as long as they take.
  if (opened === null && run.step.kind === 'check') tellStep(seed, run, effects);
  const stop = new AbortController();
  hand.performing = { turn: run.turn, stop };
  try {
    const ctx = {
      run,
      def,
      tree: deps.treeOf(run),
      signal: stop.signal,
      tell: seed.tell,
      meter: createMeter(deps, run),
      breakers: seed.breakers,
      troubled: effects.length > 1 ? new AbortController() : null,
      taken_over: opened === null,
      alone: oneAtATime(),
    };
    const performed = await perform(deps, effects, ctx);
    if (performed.kind === 'interrupted') return isClosed() ? 'rest' : 'reload';
    return { input: performed.input, texts: performed.texts, turn: run.turn };
  } finally {
    hand.performing = null;
  }
}

/** Commits under the lease. Null when the run was taken over or moved to another turn: the next look tells. */
async function commit(deps: Deps, seed: DriveSeed, held: Loaded, brought: Brought): Promise<Applied | null> {
  const { input, texts, turn } = brought;
  const at_rest = staysAt(held.def, seed.attended);
  const context = (): TransitionContext => ({
    now: deps.clock.now(),
    by: 'engine',
    hash: deps.hash,
    lease: { holder: deps.processes.self(), epoch: seed.epoch, at_rest, drive: null },
  });
  const decide = (at: At) => {
    const lost = at.run.epoch !== seed.epoch || at.run.turn !== turn;
    return lost
      ? ({ rejection: 'wrong_moment', message: { msg: 'engine.rejection.wrong_moment' } } as const)
      : input;
  };
  const applied = await apply(deps, seed.id, { input: decide, context, held, texts });
  return isRejection(applied) ? null : applied;
}

function wake(deps: Deps, run: Run): Brought | 'rest' {
  const { step } = run;
  const now = deps.clock.now();
  if (run.halt || run.trouble || step.kind !== 'wait' || step.until.kind !== 'time' || step.until.at > now)
    return 'rest';
  const outcome = { kind: 'woken', at: now } as const;
  return { input: { kind: 'outcome', outcome, results: new Map() }, texts: new Map(), turn: run.turn };
}

/** The step being performed is no longer what the run does, or no longer ours to do. */
export function hasMoved(row: Run, turn: number, epoch: number): boolean {
  return row.turn !== turn || row.halt !== null || row.epoch !== epoch;
}

/**
 * While a drive goes on: another process may stop the run, interrupt the step or take the lease over. One timer for
 * the whole drive: with a timer and listeners per step each step was dearer than the one before.
 */
function watchRow({ deps, seed, hand }: Driving): () => void {
  let seen: number | null = null;
  const look = async () => {
    const { performing } = hand;
    const version = deps.store.version();
    if (version === seen || !performing) return;
    seen = version;
    const row = await deps.store.load(seed.id);
    if (!row || hasMoved(row, performing.turn, seed.epoch)) performing.stop.abort(MOVED);
    if (row) await tellRefused(deps, seed, hand, row.seq);
  };
  const timer = setInterval(() => void look().catch(nextTime), deps.poll_ms);
  return () => clearInterval(timer);
}

/** A look that fails is no news: if the store is really gone, the next commit says so. */
function nextTime(): void {}

async function reload(deps: Deps, id: RunId): Promise<Loaded> {
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) throw new InvariantError(`${id} cannot be loaded: ${loaded.rejection}`);
  return loaded;
}
