import type { Answer } from '../contract/answer.ts';
import type { Gate } from '../contract/gate.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { RunStatus } from '../contract/run.ts';
import type { TicketState } from '../contract/ticket.ts';
import { type Rejection, reject } from '../engine/rejection.ts';
import type { Deps } from './deps.ts';

/** What a watcher compares between two reads. */
export interface WatchedRun {
  readonly phase: string;
  readonly status: RunStatus;
  readonly gate: Pick<Gate, 'id' | 'class' | 'iteration'> | null;
  /** The answer to the gate of the previous read. Null if it has none. */
  readonly answered: string | null;
}

/** How a pause ended (CON-74). */
export type WatchEnd = 'parked' | 'state-advanced' | 'reshape' | 'discuss' | 'answers' | 'resolved';

/** Intervals between two queries, growing with the time watched. Each row applies until `until` has passed. */
const SCHEDULE = [
  { until: 60_000, every: 10_000 },
  { until: 180_000, every: 30_000 },
  { until: Number.POSITIVE_INFINITY, every: 60_000 },
] as const;

/** Milliseconds to the next query of a client that has watched for `elapsed` milliseconds. */
export function watchDelay(elapsed: number): number {
  return (SCHEDULE.find(({ until }) => elapsed < until) ?? SCHEDULE[2]).every;
}

const PARKED: TicketState = 'Parked';

/**
 * What happened between two consecutive reads. Null while the pause continues or before it begins. A gate that came and
 * went between the reads is also detected: another gate, or the same one redrafted, means that this pause is over.
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
 * Watches a run for a waiting client, not longer than a watch lasts. The pause itself stays after that. Each read is
 * compared with the previous one, so that a gate that opens in the meantime is watched too (S7).
 */
export async function watchRun(
  deps: Deps,
  id: RunId,
  signal: AbortSignal,
): Promise<WatchEnd | 'expired' | Rejection> {
  const begin = Date.parse(deps.clock.now());
  const length = (await deps.attend_minutes()) * 60_000;
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
  const answer = was ? await appliedAnswer(deps, was) : undefined;
  const { phase, status } = run;
  return { phase, status, gate, answered: answer?.option ?? null };
}

/** The answer that settled the gate. An answer stored for a withdrawn gate does not count. */
async function appliedAnswer(
  { store }: Deps,
  { id, iteration }: Pick<Gate, 'id' | 'iteration'>,
): Promise<Answer | undefined> {
  const answer = await store.answerOf(id, iteration);
  return answer && (await store.gate(id))?.status === 'withdrawn' ? undefined : answer;
}

function instant(ms: number): Instant {
  return new Date(ms).toISOString();
}
