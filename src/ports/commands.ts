import type { CheckNote } from '../contract/outcome.ts';

/** One line for the shell in a folder of ours. */
export interface CommandCall {
  readonly line: string;
  readonly cwd: string;
  /** Effect id: whatever the line started is found and ended by it. */
  readonly effect: string;
  /** Beside what every command of ours sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** File the output is written to while the line runs. */
  readonly stdout: string;
  readonly timeout_seconds: number;
  readonly signal: AbortSignal;
}

export interface CommandDone {
  /** Null when it did not end by itself; then `note` says why. */
  readonly exit: number | null;
  readonly note: CheckNote | null;
  readonly seconds: number;
  /** Cleaned output, its middle cut out when it is long. */
  readonly output: string;
  /** Processes that would not go. */
  readonly left: readonly number[];
}

/**
 * Runs a line with a limit of time and of output; nothing it started is alive afterwards but what `left` names. Throws
 * AdapterError when the machine cannot start a process now, and when the signal ended it.
 */
export type RunCommand = (call: CommandCall) => Promise<CommandDone>;
