import type { CheckNote } from '../contract/outcome.ts';

/** One shell command line in a folder that Baton owns. */
export interface CommandCall {
  readonly line: string;
  readonly cwd: string;
  /** Effect id. Baton uses it to find and end everything the line started. */
  readonly effect: string;
  /** In addition to the environment that every Baton command sees. */
  readonly env: Readonly<Record<string, string>>;
  /** The output is written to this file while the line runs. */
  readonly stdout: string;
  readonly timeout_seconds: number;
  readonly signal: AbortSignal;
}

export interface CommandDone {
  /** Null if it did not end by itself. `note` gives the reason. */
  readonly exit: number | null;
  readonly note: CheckNote | null;
  readonly seconds: number;
  /** Cleaned output. If it is long, the middle is cut out. */
  readonly output: string;
  /** Processes that could not be ended. */
  readonly left: readonly number[];
}

/**
 * Runs a line with limits of time and output. Afterwards only the processes in `left` are still alive. Throws
 * AdapterError if the machine cannot start a process now, or if the signal ended it.
 */
export type RunCommand = (call: CommandCall) => Promise<CommandDone>;
