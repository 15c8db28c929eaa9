import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentCall } from '../../ports/agent.ts';
import type { Processes, Running } from '../../ports/processes.ts';
import { callFiles } from './call-files.ts';
import type { Program } from './program.ts';

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How long a program may take to end after an interrupt. Its leftovers are killed in any case. */
const INTERRUPT_MS = 1000;

/** Why we ended a worker. */
export type StopReason = 'aborted' | 'deadline' | 'stalled';

export interface Watch {
  /** Settles when the stop is complete. */
  readonly stopped: Promise<void>;
  reason(): StopReason | null;
  /** Called at each output of the worker. Restarts the stall timer. */
  streamState(): void;
  /** Stops the timers: the worker has ended in time, but reading its last words may take longer. */
  disarm(): void;
  remove(): void;
}

/** A running call, and what can stop it. */
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
    streamState: () => void stall.refresh(),
    disarm,
    remove() {
      disarm();
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Interrupts the worker first if its program ends its own processes. Then kills everything with the call id. */
async function stopWorker({ processes, program, call, running }: Watched): Promise<void> {
  await writeFile(callFiles(call.dir).stopped, '');
  if (program.capabilities.cancel !== 'terminate') {
    running.interrupt();
    await Promise.race([running.exit, wait(INTERRUPT_MS, undefined, { ref: false })]);
  }
  // Processes that ignored the interrupt get no more time: everything must be gone within 2 s after Ctrl-C.
  await processes.killLeftovers(call.key, undefined, program.capabilities.cancel !== 'terminate');
}
