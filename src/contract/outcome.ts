import type { Answer } from './answer.ts';
import type { Hash, Instant, RunId } from './ids.ts';

/**
 * How one worker call ended after its caps were spent. `ok`: the result passed schema and semantic check.
 * `dispatch_failed`: no text on any result channel. `parse_failed`: text came and never became a valid result;
 * it is kept under `text`.
 */
export type CallOutcome =
  | {
      readonly kind: 'ok';
      readonly result: unknown;
      readonly artefact: Hash;
      readonly line: string | null;
      /** What the worker asked for and did not get; absent when there was nothing. */
      readonly denied?: readonly string[];
      /** Programs it left running, which were ended; absent when there were none. */
      readonly left?: readonly string[];
    }
  | {
      readonly kind: 'dispatch_failed' | 'parse_failed';
      readonly detail: string;
      readonly text: Hash | null;
      readonly attempts: number;
      /** How the last attempt ended: by its deadline, in silence, with a text that does not fit. */
      readonly cause?: string;
    };

/** How many tests ran, as the runner itself counted them. Errors count as failed, expected failures as skipped. */
export interface TestCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a linter, compiler or type checker found. */
export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** One failing test or one problem as the output names it. `file` is as printed, relative to the tree when in it. */
export interface CheckFailure {
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
  /** One of the result's `keys`. */
  readonly key: string;
}

/** Why a check ended otherwise than by its own exit code. `detail` is for people. */
export interface CheckNote {
  readonly code: 'time_limit' | 'output_limit' | 'ended_by_signal' | 'not_started' | 'after_failure';
  readonly detail: string;
}

/**
 * What came of one command. The exit code alone decides `result`; everything read from the output is for people and
 * for telling old failures from new ones. `skipped`: no process was started. `unavailable`: the command is not there.
 */
export interface CheckResult {
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'skipped' | 'unavailable';
  readonly exit: number | null;
  readonly timed_out: boolean;
  readonly seconds: number;
  /** Cleaned output, its middle cut out when it is long. */
  readonly output: Hash | null;
  readonly note: CheckNote | null;
  /** The program that wrote the output, when it is known. */
  readonly tool: string | null;
  readonly counts: TestCounts | null;
  readonly problems: ProblemCounts | null;
  /** The first failing items; empty unless `fail`. */
  readonly failures: readonly CheckFailure[];
  /**
   * Names of the failing items that stay the same while the failure stays: file and test, or file and message
   * without numbers. A warning's key starts with `w`.
   */
  readonly keys: readonly string[];
  /** True when `keys` has every failing item. */
  readonly complete: boolean;
  /** Equal for two failing results exactly when they show the same failures; null unless `fail`. */
  readonly fingerprint: Hash | null;
}

/** The world failed us in a way a workflow decides on. `retry` tells whether asking again could help. */
export interface Failure {
  readonly code: string;
  readonly retry: 'transient' | 'permanent';
  readonly detail: string;
  /** Files of the tree it is about, where there is more to do than to name them. */
  readonly paths?: readonly string[];
}

/** What came of a step. Every outcome carries the time it came in; workflows have no clock. */
export type Outcome = { readonly at: Instant } & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'worked'; readonly calls: readonly CallOutcome[] }
  | { readonly kind: 'checked'; readonly checks: readonly CheckResult[] }
  | { readonly kind: 'looked'; readonly found: unknown }
  | { readonly kind: 'written'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'woken' }
);

/** Input nobody asked for: a command, an outside fact, a message of another run. */
export type Signal = { readonly at: Instant } & (
  | {
      readonly type: 'command';
      readonly command: string;
      readonly by: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'run_ended'; readonly run: RunId; readonly key: string | null; readonly result: string }
  /** What the other run is and where it stands, as far as it could be read. */
  | {
      readonly type: 'subject_taken';
      readonly subject: string;
      readonly run: RunId;
      readonly workflow?: string;
      readonly phase?: string;
      readonly title?: string;
    }
  | { readonly type: 'fact'; readonly what: string; readonly value: unknown }
  /** The drive asks whether the gate is worth a person's opinion before it answers for one (escalate). */
  | { readonly type: 'judge' }
  | { readonly type: 'message'; readonly from: RunId; readonly name: string; readonly data: unknown }
);
