import type { RunStatus } from '../../contract/run.ts';
import { REJECTIONS, type RejectionCode } from '../../engine/rejection.ts';

/** All exit codes. Scripts depend on them, so a number never changes its meaning. */
export const EXIT = { done: 0, error: 1, usage: 2, refused: 3, waiting: 4, halted: 5 } as const;

/** A refusal of the typed input is `usage`. A refusal after checking the world is `refused`. */
export function exitOfRejection(code: RejectionCode): number {
  return EXIT[REJECTIONS[code]];
}

const REFUSED_FAILURES: ReadonlySet<string> = new Set([
  ...['config_refused', 'config_unreadable'],
  ...['folder_missing', 'repository_unreadable', 'no_work_tree', 'git_refused'],
]);

/**
 * A config, folder or repository that Baton does not accept is a refusal.
 * Every other failure of the world is an error.
 */
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

/** The exit code of a command that drove a run, by the status in which the run waits or ended. */
export function exitOfStatus(status: RunStatus): number {
  return OF_STATUS[status];
}

/** What a command cannot do, with its exit code. Thrown anywhere in a command, and printed once by the dispatcher. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly exit: number;
  /** The first line names the thing. The others say what is allowed and what to do. */
  readonly lines: readonly string[];
  /** Further fields of the error with `--json`. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(exit: number, lines: readonly string[], more: Readonly<Record<string, unknown>> = {}) {
    super(lines[0] ?? '');
    this.exit = exit;
    this.lines = lines;
    this.more = more;
  }
}

/** Ends the command with an error. */
export function refuse(
  exit: number,
  lines: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): never {
  throw new Refused(exit, lines, more);
}
