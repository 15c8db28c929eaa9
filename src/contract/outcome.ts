import type { Answer, Person } from './answer.ts';
import type { Hash, Instant, RunId } from './ids.ts';

/**
 * How one worker call ended after all its attempts. `ok`: the result passed schema and semantic check.
 * `dispatch_failed`: no text on any result channel. `parse_failed`: there was text, but never a valid result. The text
 * is stored under `text`.
 */
export type CallOutcome =
  | {
      readonly kind: 'ok';
      readonly result: unknown;
      readonly artefact: Hash;
      readonly line: string | null;
      /** Denied requests of the worker. Absent if there are none. */
      readonly denied?: readonly string[];
      /** Programs that it left running and Baton ended. Absent if there were none. */
      readonly left?: readonly string[];
    }
  | {
      readonly kind: 'dispatch_failed' | 'parse_failed';
      readonly detail: string;
      readonly text: Hash | null;
      readonly attempts: number;
      /** Why the last attempt failed: deadline, no output, or a text that does not match. */
      readonly cause?: string;
    };

/** Test counts as the runner itself reported them. Errors count as failed, expected failures as skipped. */
export interface TestCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Findings of a linter, compiler or type checker. */
export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** How the tests of a check differ from those of the untouched tree. The lists are cut, the totals are complete. */
export interface TestsCompared {
  /** Tests of the untouched tree that are missing here. A renamed test is listed here. */
  readonly gone: readonly string[];
  readonly gone_total: number;
  /** Skipped here, but not in the untouched tree. */
  readonly skipped: readonly string[];
  readonly skipped_total: number;
  /** Number of tests that exist only here. */
  readonly added: number;
}

/** One failing test or problem as the output names it. `file` is as printed, or relative if it is in the tree. */
export interface CheckFailure {
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
  /** One of the result's `keys`. */
  readonly key: string;
}

/** Why a check did not end with its own exit code. `detail` is for people. */
export interface CheckNote {
  readonly code:
    | 'time_limit'
    | 'output_limit'
    | 'ended_by_signal'
    | 'not_started'
    | 'after_failure'
    | 'install_failed';
  readonly detail: string;
}

/** Something a command lacked in the sandbox. `outside`: a path that it may not use there. */
export interface SandboxHint {
  readonly code: 'network' | 'docker' | 'outside';
  readonly path: string | null;
}

/**
 * Result of one command. The exit code alone decides `result`. Data read from the output is only for people, and to
 * separate old failures from new ones. `skipped`: no process was started. `unavailable`: the command does not exist.
 */
export interface CheckResult {
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'skipped' | 'unavailable';
  readonly exit: number | null;
  readonly timed_out: boolean;
  readonly seconds: number;
  /** Cleaned output. If it is long, the middle is cut out. */
  readonly output: Hash | null;
  readonly note: CheckNote | null;
  /** Something the command lacked in the sandbox, judging by its output. Absent if nothing points to the sandbox. */
  readonly hint?: SandboxHint;
  /** The program that wrote the output, if known. */
  readonly tool: string | null;
  readonly counts: TestCounts | null;
  readonly problems: ProblemCounts | null;
  /** The first failing items. Empty unless `fail`. */
  readonly failures: readonly CheckFailure[];
  /**
   * Keys of the failing items that stay the same while the failure stays: file and test, or file and message
   * without numbers. A warning's key starts with `w`.
   */
  readonly keys: readonly string[];
  /** True if `keys` has every failing item. */
  readonly complete: boolean;
  /** Artefact with every test by name. Absent if the output does not name them all. */
  readonly names?: Hash | undefined;
  /** Comparison with the tests the check was asked to compare with. Absent if one of the two lists is unknown. */
  readonly compared?: TestsCompared;
  /** The command and every script or make target it called, as text. Absent if no process was started. */
  readonly ran?: string | undefined;
  /** Programs that it left running and Baton ended. Absent if there were none. */
  readonly left?: readonly string[];
  /** Equal for two failing results exactly if they show the same failures. Null unless `fail`. */
  readonly fingerprint: Hash | null;
}

/** An outside failure that a workflow must handle. `retry` says whether a retry could help. */
export interface Failure {
  readonly code: string;
  readonly retry: 'transient' | 'permanent';
  readonly detail: string;
  /** Files of the tree that the failure is about, if the workflow must do more than name them. */
  readonly paths?: readonly string[];
}

interface Ran {
  /** Changes in the person's repository meanwhile, without a sandbox to prevent them. Absent: none. */
  readonly controls_changed?: readonly string[];
}

/** Result of a step. Every outcome carries the time it arrived, because workflows have no clock. */
export type Outcome = { readonly at: Instant } & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | ({ readonly kind: 'worked'; readonly calls: readonly CallOutcome[] } & Ran)
  | ({ readonly kind: 'checked'; readonly checks: readonly CheckResult[] } & Ran)
  | { readonly kind: 'queried'; readonly found: unknown }
  | { readonly kind: 'written'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'woken' }
);

/** Unrequested input: a command, an outside fact, a message of another run. */
export type Signal = { readonly at: Instant } & (
  | {
      readonly type: 'command';
      readonly command: string;
      readonly by: string;
      /** How the caller proved to be a person. `none`: no proof. Absent: stored before this field existed. */
      readonly proof?: Person['proof'] | 'none';
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'run_ended'; readonly run: RunId; readonly key: string | null; readonly result: string }
  /** The workflow, phase and title of the other run, as far as they were readable. */
  | {
      readonly type: 'subject_taken';
      readonly subject: string;
      readonly run: RunId;
      readonly workflow?: string;
      readonly phase?: string;
      readonly title?: string;
    }
  | { readonly type: 'fact'; readonly what: string; readonly value: unknown }
  /** The drive asks whether the gate is worth a person's opinion, before it answers it (escalate). */
  | { readonly type: 'judge' }
  | { readonly type: 'message'; readonly from: RunId; readonly name: string; readonly data: unknown }
);
