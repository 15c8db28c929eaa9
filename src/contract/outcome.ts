import type { Answer } from './answer.ts';
import type { Hash, Instant, RunId } from './ids.ts';

/**
 * How one worker call ended after its caps were spent. `ok`: the result passed schema and semantic check.
 * `dispatch_failed`: no text on any result channel. `parse_failed`: text came and never became a valid result;
 * it is kept under `text`.
 */
export type CallOutcome =
  | { readonly kind: 'ok'; readonly result: unknown; readonly artefact: Hash; readonly line: string | null }
  | {
      readonly kind: 'dispatch_failed' | 'parse_failed';
      readonly detail: string;
      readonly text: Hash | null;
      readonly attempts: number;
    };

export interface CheckResult {
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'skipped' | 'unavailable';
  readonly exit: number | null;
  readonly seconds: number;
  readonly output: Hash | null;
}

/** The world failed us in a way a workflow decides on. `retry` tells whether asking again could help. */
export interface Failure {
  readonly code: string;
  readonly retry: 'transient' | 'permanent';
  readonly detail: string;
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
  | { readonly type: 'subject_taken'; readonly subject: string; readonly run: RunId }
  | { readonly type: 'fact'; readonly what: string; readonly value: unknown }
  | { readonly type: 'message'; readonly from: RunId; readonly name: string; readonly data: unknown }
);
