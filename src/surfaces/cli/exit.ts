import type { RunStatus } from '../../contract/run.ts';
import { REJECTIONS, type RejectionCode } from '../../engine/rejection.ts';

/** The whole table. Scripts rely on it; a number never changes its meaning. */
export const EXIT = { done: 0, error: 1, usage: 2, refused: 3, waiting: 4, halted: 5 } as const;

/** Refusals of what was typed are usage, refusals after a look at the world are refused. */
export function exitOfRejection(code: RejectionCode): number {
  return EXIT[REJECTIONS[code]];
}

const REFUSED_FAILURES: ReadonlySet<string> = new Set(['config_refused', 'config_unreadable']);

/** A config that is not taken is a refusal; all else the world does to us is an error. */
export function exitOfFailure(code: string): number {
  return REFUSED_FAILURES.has(code) ? EXIT.refused : EXIT.error;
}

const OF_STATUS: Readonly<Record<RunStatus, number>> = {
  ended: EXIT.done,
  waiting: EXIT.waiting,
  halted: EXIT.halted,
  sleeping: EXIT.halted,
  working: EXIT.halted,
};

/** What a command that drove a run returns when the run came to rest. */
export function exitOfStatus(status: RunStatus): number {
  return OF_STATUS[status];
}
