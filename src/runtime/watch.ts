import type { Gate } from '../contract/gate.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { RunStatus } from '../contract/run.ts';
import type { TicketState } from '../contract/ticket.ts';
import { type Rejection, reject } from '../engine/rejection.ts';
import type { Deps } from './deps.ts';

/** What a watcher compares from one read to the next. */
export interface WatchedRun {
  readonly phase: string;
  readonly status: RunStatus;
  readonly gate: Pick<Gate, 'id' | 'class' | 'iteration'> | null;
  /** How the gate of the read before was answered, if it was. */
  readonly answered: string | null;
}

/** What became of a pause (CON-74). */
export type WatchEnd = 'parked' | 'state-advanced' | 'reshape' | 'discuss' | 'answers' | 'resolved';

/** How long to wait before the next look: often at first, then seldom. Each row holds until that much has passed. */
const SCHEDULE = [
  { until: 60_000, every: 10_000 },
  { until: 180_000, every: 30_000 },
  { until: Number.POSITIVE_INFINITY, every: 60_000 },
] as const;

/** Milliseconds to the next look of a client that has watched for so long. */
export function watchDelay(elapsed: number): number {
  return (SCHEDULE.find(({ until }) => elapsed < until) ?? SCHEDULE[2]).every;
}

const PARKED: TicketState = 'Parked';

/**
 * What happened between two reads that follow each other; null while the pause goes on, or while there is none yet. A
 * gate that came and went since is seen too: another gate, or the same one drafted anew, means that this one is over.
 */
export function classifyWatch(before: WatchedRun, after: WatchedRun): WatchEnd | null {
  const { gate } = before;
  if (!gate) return null;
  if (gate.id === after.gate?.id) return gate.iteration === after.gate.iteration ? null : 'reshape';
  if (after.phase === PARKED) return 'parked';
  if (after.phase !== before.phase || after.status === 'ended') return 'state-advanced';
  if (after.answered === 'reshape' || after.answered === 'discuss') return after.answered;
  return gate.class === 'question' && after.answered !== null ? 'answers' : 'resolved';
}

/**
 * Watches a run for a client that waits, and no longer than a watch lasts; the pause stays when it is over. Each read
 * is compared with the one before, so that a gate which opens meanwhile is watched like one that was open (S7).
 */
export async function watchRun(
  deps: Deps,
  id: RunId,
  signal: AbortSignal,
): Promise<WatchEnd | 'expired' | Rejection> {
  const begin = Date.parse(deps.clock.now());
  const length = (await deps.watch_minutes()) * 60_000;
  let before = await readWatched(deps, id, null);
  for (;;) {
    const elapsed = Date.parse(deps.clock.now()) - begin;
    if (!before) return reject('no_such_run', { run: id });
    if (signal.aborted || elapsed >= length) return 'expired';
    await deps.sleep(instant(begin + Math.min(elapsed + watchDelay(elapsed), length)), signal);
    const after = await readWatched(deps, id, before);
    const end = after && classifyWatch(before, after);
    if (end) return end;
    before = after;
  }
}

async function readWatched(deps: Deps, id: RunId, before: WatchedRun | null): Promise<WatchedRun | null> {
  const run = await deps.store.load(id);
  if (!run) return null;
  const [gate = null] = await deps.store.openGates(id);
  const was = before?.gate;
  const answer = was ? await deps.store.answerOf(was.id, was.iteration) : undefined;
  const { phase, status } = run;
  return { phase, status, gate, answered: answer?.option ?? null };
}

function instant(ms: number): Instant {
  return new Date(ms).toISOString();
}
