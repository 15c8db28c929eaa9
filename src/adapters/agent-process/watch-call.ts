import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentCall } from '../../ports/agent.ts';
import type { Processes, Running } from '../../ports/processes.ts';
import { callFiles } from './call-files.ts';
import type { Program } from './program.ts';

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How long a program may take to end by itself after it was asked to; a sweep follows whatever it does. */
const INTERRUPT_MS = 2000;

/** Why we ended a worker. */
export type StopReason = 'aborted' | 'deadline' | 'stalled';

export interface Watch {
  /** Settles when a stop has been carried out. */
  readonly stopped: Promise<void>;
  reason(): StopReason | null;
  /** A sign of life. */
  heard(): void;
  /** The worker has ended in time; reading its last words may take longer. */
  disarm(): void;
  remove(): void;
}

/** What is watched. */
export interface Watched {
  readonly call: AgentCall;
  readonly program: Program;
  readonly processes: Processes;
  readonly running: Running;
  readonly signal: AbortSignal;
  readonly stall_ms: number;
}

/** Ends the call's processes when it is aborted, too late, or silent for too long. */
export function watchCall(watched: Watched): Watch {
  const { call, signal } = watched;
  let reason: StopReason | null = null;
  const stop = Promise.withResolvers<void>();
  const end = (why: StopReason) => {
    if (reason !== null) return;
    reason = why;
    stopWorker(watched).then(stop.resolve, stop.reject);
  };
  const abort = () => end('aborted');
  const timerFor = (ms: number, why: StopReason) => setTimeout(end, Math.min(ms, LONGEST_TIMER_MS), why);
  const deadline = timerFor(call.deadline_ms, 'deadline');
  const stall = timerFor(watched.stall_ms, 'stalled');
  const disarm = () => {
    clearTimeout(deadline);
    clearTimeout(stall);
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  stop.promise.catch(() => {});
  return {
    stopped: stop.promise,
    reason: () => reason,
    heard: () => void stall.refresh(),
    disarm,
    remove() {
      disarm();
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Asked first where the program ends what it started by itself; then everything with the mark is ended. */
async function stopWorker({ processes, program, call, running }: Watched): Promise<void> {
  await writeFile(callFiles(call.dir).stopped, '');
  if (program.capabilities.cancel !== 'terminate') {
    running.interrupt();
    await Promise.race([running.exit, wait(INTERRUPT_MS, undefined, { ref: false })]);
  }
  await processes.sweep(call.key);
}
