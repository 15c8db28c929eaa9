import type { Effect } from '../contract/change.ts';
import type { RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import { oneAtATime } from '../engine/one-at-a-time.ts';
import { isRejection } from '../engine/rejection.ts';
import { waitsForChildren } from '../engine/waits-for-children.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import { type Applied, apply, deliver } from './apply.ts';
import { watchFacts } from './await-change.ts';
import type { Breakers } from './breakers.ts';
import { decideGate, obeyTrust, type Standing, standingOf } from './delegate-gate.ts';
import type { Deps } from './deps.ts';
import type { Children, OpenChild } from './drive-children.ts';
import { modeOf, staysAt } from './drive-row.ts';
import { haltBroken } from './halt-broken.ts';
import { type Loaded, loadRun } from './load.ts';
import { createMeter } from './meter.ts';
import { reportMissing, textsOf } from './missing-artefacts.ts';
import { perform } from './perform.ts';
import { reportOverview, reportRefused, reportStep } from './report.ts';
import { stopPointOf, withChild } from './stop-point.ts';
import type { Progress, StopPoint } from './views.ts';

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

/** The mode where no gate is ever delegated. */
const CONTROLLED = { kind: 'controlled' } as const;

/** Abort reason, created once, because a new error object for each abort costs as much as a write. */
export const MOVED = new Error('the run has moved');

/** What a drive holds: the row of its last commit and the effects that this commit opened. */
export interface Hand {
  loaded: Loaded | null;
  opened: readonly Effect[] | null;
  /** The step being performed, so that an input of this process can interrupt it. */
  performing: { readonly turn: number; readonly stop: AbortController } | null;
  /** The last event this drive knows. Any event after it came from another process. */
  seq: number | null;
}

/** A running drive: its seed, what it holds, and whether it was closed. */
export interface Driving {
  readonly deps: Deps;
  readonly seed: DriveSeed;
  readonly hand: Hand;
  readonly children: Children;
  readonly isClosed: () => boolean;
  readonly accept: (applied: Applied) => void;
}

/** Takes inputs until the run waits or ends. */
export async function advance(driving: Driving): Promise<StopPoint> {
  const watched = { turn: -1 };
  const stopWatching = watchRow(driving);
  try {
    for (;;) {
      const point = await advanceOnce(driving, watched);
      if (point) return point;
    }
  } finally {
    stopWatching();
  }
}

/** Takes one input. Null if the loop must query again, a stop point if nothing more happens by itself. */
async function advanceOnce(driving: Driving, watched: { turn: number }): Promise<StopPoint | null> {
  const { deps, seed, hand, isClosed } = driving;
  const held = takeHand(hand);
  // Where gates are delegated, the row is loaded anew each time (CON-23).
  const loaded = held.loaded && !held.loaded.def.delegate ? held.loaded : await reload(deps, seed.id);
  const { run } = loaded.at;
  const opened = held.opened?.[0]?.turn === run.turn ? held.opened : null;
  hand.seq ??= run.seq;
  if (run.seq > hand.seq) await reportRefused(deps, seed, hand, run.seq);
  if (run.epoch !== seed.epoch)
    return stopPointOf(loaded.at, run.holder ? `${run.holder.host}:${run.holder.pid}` : '-');
  if (isClosed()) return stopPointOf(loaded.at, null);
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

/**
 * A bug of ours halts only this run. A run that is already halted or ended is left unchanged and the error is thrown.
 */
async function haltFor(
  { deps, seed, accept }: Driving,
  { halt, status }: Run,
  error: unknown,
): Promise<void> {
  if (!(error instanceof InvariantError) || halt || status === 'ended') throw error;
  const halted = await haltBroken(deps, seed.id, error);
  if (halted) accept(halted);
}

/**
 * Where gates are delegated, the drive and the trust level are checked before each input, whatever the run does (S2).
 */
async function takeDelegated(driving: Driving, seen: Snapshot): Promise<StopPoint | null> {
  const { deps, seed, hand, accept } = driving;
  const standing = await standingOf(deps, seen.loaded.at);
  const denied = await obeyTrust({ deps, seed, standing }, seen.loaded);
  if (!denied) return takeInput(driving, { ...seen, standing });
  accept(denied);
  hand.opened = seen.opened;
  return null;
}

/** Takes and clears what the drive holds, so that it is used only once. */
function takeHand(hand: Hand): Pick<Hand, 'loaded' | 'opened'> {
  const { loaded, opened } = hand;
  hand.loaded = null;
  hand.opened = null;
  return { loaded, opened };
}

/** What one pass of the drive works with. */
interface Snapshot {
  readonly loaded: Loaded;
  readonly opened: readonly Effect[] | null;
  /** Null where no gate is ever delegated. */
  readonly standing: Standing | null;
}

/** Performs the step or wakes the wait, and commits the result. */
async function takeInput(driving: Driving, seen: Snapshot): Promise<StopPoint | null> {
  const { deps, seed } = driving;
  const { loaded, opened, standing } = seen;
  const { run } = loaded.at;
  reportOverview(seed, loaded, standing ? modeOf(standing.drive) : CONTROLLED);
  const input = isIdle(run) ? wake(deps, run) : await performStep(driving, loaded, opened);
  if (input === 'point') return becomeIdle(driving, seen);
  const applied = input === 'reload' ? null : await commit(deps, seed, loaded, input);
  if (applied) driving.accept(applied);
  return null;
}

/** Where gates are delegated, the drive decides first: it accepts the gate and continues, or records its pause. */
async function becomeIdle(
  { deps, seed, hand, children, accept }: Driving,
  { loaded, standing }: Snapshot,
): Promise<StopPoint | null> {
  if (waitsForChildren(loaded.at.run)) return waitWithChildren({ hand, children }, loaded);
  if (!standing) return withChild(deps, stopPointOf(loaded.at, null));
  const decided = await decideGate({ deps, seed, standing }, loaded);
  if (decided.kind === 'lost') return null;
  if (decided.applied) accept(decided.applied);
  if (decided.kind === 'moved') return null;
  const { at, pause } = decided;
  return withChild(deps, { ...stopPointOf(at, null), pause, mode: standing.drive.mode });
}

/** Waits while the run's children are driven. An input for the run stops them. Returns where the run is. */
async function waitWithChildren(
  { hand, children }: Pick<Driving, 'hand' | 'children'>,
  { at }: Loaded,
): Promise<StopPoint | null> {
  const stop = new AbortController();
  hand.performing = { turn: at.run.turn, stop };
  return children.advance(at, stop.signal).finally(() => {
    hand.performing = null;
  });
}

/**
 * True if waiting signals were applied, or if a fact that the gate depends on changed. The facts are checked once per
 * gate.
 */
async function hasNews(deps: Deps, loaded: Loaded, watched: boolean): Promise<boolean> {
  if ((await deliver(deps, loaded.at.run.id)) > 0) return true;
  return !watched && loaded.at.run.step.kind === 'gate' && (await watchFacts(deps, loaded));
}

/** Nothing is performed at a gate, in a wait, before a trouble gate, while halted, or after the end. */
function isIdle(run: Run): boolean {
  const { kind } = run.step;
  return run.halt !== null || run.trouble !== null || kind === 'gate' || kind === 'wait' || kind === 'end';
}

type StepResult = {
  readonly input: Input;
  readonly texts: ReadonlyMap<`sha256:${string}`, string>;
  readonly turn: number;
};

async function performStep(
  { deps, seed, hand, isClosed, accept }: Driving,
  loaded: Loaded,
  opened: readonly Effect[] | null,
): Promise<StepResult | 'point' | 'reload'> {
  const { def, at } = loaded;
  const { run } = at;
  const effects = opened ?? (await deps.store.effects(run.id, run.turn));
  const texts = textsOf(effects);
  const told = texts.size > 0 ? await reportMissing(deps, loaded, texts) : null;
  if (told) {
    accept(told);
    return 'reload';
  }
  if (effects.some((effect) => effect.started_at === null)) {
    await deps.store.recordStarted(run.id, run.turn, seed.epoch, deps.clock.now());
  }
  // A step that was taken over: workers report their own progress, checks report nothing until they end.
  if (opened === null && run.step.kind === 'check') reportStep(seed, run, effects);
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
    if (performed.kind === 'interrupted') return isClosed() ? 'point' : 'reload';
    return { input: performed.input, texts: performed.texts, turn: run.turn };
  } finally {
    hand.performing = null;
  }
}

/** Commits under the lease. Null if the run was taken over or moved to another turn. The next pass finds out which. */
async function commit(
  deps: Deps,
  seed: DriveSeed,
  held: Loaded,
  stepResult: StepResult,
): Promise<Applied | null> {
  const { input, texts, turn } = stepResult;
  const while_idle = staysAt(held.def, seed.attended);
  const context = (): TransitionContext => ({
    now: deps.clock.now(),
    by: 'engine',
    hash: deps.hash,
    lease: { holder: deps.processes.self(), epoch: seed.epoch, while_idle, drive: null },
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

function wake(deps: Deps, run: Run): StepResult | 'point' {
  const { step } = run;
  const now = deps.clock.now();
  if (run.halt || run.trouble || step.kind !== 'wait' || step.until.kind !== 'time' || step.until.at > now)
    return 'point';
  const outcome = { kind: 'woken', at: now } as const;
  return { input: { kind: 'outcome', outcome, results: new Map() }, texts: new Map(), turn: run.turn };
}

/** True if the run no longer performs this step, or if this process no longer holds it. */
export function hasMoved(row: Run, turn: number, epoch: number): boolean {
  return row.turn !== turn || row.halt !== null || row.epoch !== epoch;
}

/**
 * Runs while a drive is open, because another process may stop the run, interrupt the step or take over the lease. One
 * timer for the whole drive: with a timer and listeners per step, each step cost more than the one before.
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
    if (row) await reportRefused(deps, seed, hand, row.seq);
  };
  const timer = setInterval(() => void look().catch(nextTime), deps.poll_ms);
  return () => clearInterval(timer);
}

/** A failed query is ignored. If the store is really gone, the next commit reports it. */
function nextTime(): void {}

async function reload(deps: Deps, id: RunId): Promise<Loaded> {
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) throw new InvariantError(`${id} cannot be loaded: ${loaded.rejection}`);
  return loaded;
}
