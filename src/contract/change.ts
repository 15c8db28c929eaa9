import type { Answer } from './answer.ts';
import type { RunEvent } from './event.ts';
import type { Gate, GateStatus } from './gate.ts';
import type { EffectId, GateId, Hash, Instant, RunId } from './ids.ts';
import type { MoveRecord } from './move.ts';
import type { Signal } from './outcome.ts';
import type { Run } from './run.ts';
import type { EffectKind } from './step.ts';

/** One try of a worker inside an effect that did not give a valid result. Kept so that a repeat goes on after it. */
export interface FailedAttempt {
  readonly attempt: number;
  /**
   * `infrastructure`, `limited` (the provider took no calls) and `blocked` (it takes none before a person has signed in,
   * paid, ...) are not the worker's fault and spend none of its tries.
   */
  readonly kind: 'silent' | 'invalid' | 'infrastructure' | 'limited' | 'blocked' | 'wrote' | 'deadline';
  readonly problems: readonly string[];
  readonly text: Hash | null;
  /** What the worker asked for and did not get. */
  readonly denied?: readonly string[];
  /** Programs it left running, which were ended. */
  readonly left?: readonly string[];
  /** When it ended, and when the next attempt may be made, where that is not at once. */
  readonly at?: Instant;
  readonly not_before?: Instant;
}

/** One thing done to the world, on record as started before it is done. `spec` is the call, check, look or op. */
export interface Effect {
  readonly id: EffectId;
  readonly run: RunId;
  readonly turn: number;
  readonly n: number;
  readonly kind: EffectKind;
  readonly role: string | null;
  /** n-th logical call of the role in the run. */
  readonly nth: number | null;
  readonly spec: unknown;
  readonly attempts: readonly FailedAttempt[];
  readonly result: unknown | null;
  /** Null: planned, no process performs it yet, so a crash cannot have done it. */
  readonly started_at: Instant | null;
  readonly done_at: Instant | null;
}

export interface StoredRecord {
  readonly run: RunId;
  readonly seq: number;
  readonly n: number;
  readonly record: MoveRecord;
  readonly at: Instant;
}

export interface InboxItem {
  readonly id: string;
  readonly run: RunId;
  readonly signal: Signal;
  readonly at: Instant;
}

/**
 * Who works a run in which mode. Process death does not close it; whoever takes it over keeps its mode. Only the newest
 * of a run counts, and none of a run that has ended.
 */
export interface Drive {
  readonly id: string;
  readonly run: RunId;
  /** `controlled`, `partial:<gate>`, `unattended` or `escalate`. */
  readonly mode: string;
  /** The mode that was asked for and that the dial did not allow; `mode` is controlled then. */
  readonly denied: string | null;
  /** It closes at its first pause. */
  readonly one_shot: boolean;
  readonly opened_by: string;
  readonly opened_at: Instant;
  /** The end of its watch: set while the run rests at a gate where this drive paused. */
  readonly until: Instant | null;
  readonly closed_at: Instant | null;
}

/** What a change does to the drive of its run. A new one closes the one before; a closed one is never open again. */
export type DriveChange =
  | { readonly kind: 'opened'; readonly drive: Drive }
  | { readonly kind: 'paused'; readonly until: Instant }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'closed' };

/** Everything one transition writes about one run. All of it or nothing is stored. */
export interface Change {
  /** The row as it will be, `revision` and `seq` already counted on. */
  readonly run: Run;
  /** What must still be true of the stored row; null creates the run. */
  readonly guard: { readonly revision: number; readonly epoch: number } | null;
  readonly events: readonly RunEvent[];
  readonly records: readonly StoredRecord[];
  /** Effects of the step this change enters; those of the turn before are over, what came of them is in `events`. */
  readonly opened: readonly Effect[];
  readonly gate_opened: Gate | null;
  readonly gate_closed: {
    readonly id: GateId;
    readonly status: Exclude<GateStatus, 'open'>;
    readonly at: Instant;
  } | null;
  readonly answer: Answer | null;
  readonly inbox_added: readonly InboxItem[];
  readonly inbox_done: string | null;
  readonly drive: DriveChange | null;
}
