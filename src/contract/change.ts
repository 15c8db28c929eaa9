import type { Answer } from './answer.ts';
import type { RunEvent } from './event.ts';
import type { Gate, GateStatus } from './gate.ts';
import type { EffectId, GateId, Hash, Instant, RunId } from './ids.ts';
import type { MoveRecord } from './move.ts';
import type { Signal } from './outcome.ts';
import type { Run } from './run.ts';
import type { EffectKind } from './step.ts';

/** One worker attempt without a valid result, inside an effect. It is stored so that a retry continues after it. */
export interface FailedAttempt {
  readonly attempt: number;
  /**
   * These are not the worker's fault and do not use up its attempts: `infrastructure`, `limited` (the provider
   * accepts no calls now) and `blocked` (it accepts none until a person has signed in, paid, ...).
   */
  readonly kind: 'silent' | 'invalid' | 'infrastructure' | 'limited' | 'blocked' | 'wrote' | 'deadline';
  readonly problems: readonly string[];
  readonly text: Hash | null;
  /** Requests of the worker that were denied. */
  readonly denied?: readonly string[];
  /** Programs that it left running. Baton ended them. */
  readonly left?: readonly string[];
  /** When the attempt ended, and the earliest time of the next attempt if it has to wait. */
  readonly at?: Instant;
  readonly not_before?: Instant;
}

/** One action on the world. It is recorded before it is done. `spec` is the call, check, query or op. */
export interface Effect {
  readonly id: EffectId;
  readonly run: RunId;
  readonly turn: number;
  readonly n: number;
  readonly kind: EffectKind;
  readonly role: string | null;
  /** Number of this logical call of the role in the run. */
  readonly nth: number | null;
  readonly spec: unknown;
  readonly attempts: readonly FailedAttempt[];
  readonly result: unknown | null;
  /** Null: planned. No process performs it yet, so a crash cannot have done it. */
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
 * The mode in which a run is driven, and who opened the drive. Process death does not close the drive. A process
 * that takes it over keeps the mode. Only the newest drive of a run counts. A run that has ended has no drive.
 */
export interface Drive {
  readonly id: string;
  readonly run: RunId;
  /** `controlled`, `partial:<gate>`, `unattended` or `escalate`. */
  readonly mode: string;
  /** The requested mode that the trust level did not allow. `mode` is then `controlled`. */
  readonly denied: string | null;
  /** The drive closes at its first pause. */
  readonly one_shot: boolean;
  readonly opened_by: string;
  readonly opened_at: Instant;
  /** When it stops watching. Set while the run waits at a gate where this drive paused. */
  readonly until: Instant | null;
  readonly closed_at: Instant | null;
}

/**
 * The effect of a change on the drive of its run. A new drive closes the previous one. A closed drive never opens
 * again.
 */
export type DriveChange =
  | { readonly kind: 'opened'; readonly drive: Drive }
  | { readonly kind: 'paused'; readonly until: Instant }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'closed' };

/** Everything one transition writes about one run. The store writes all of it or nothing. */
export interface Change {
  /** The new row, with `revision` and `seq` already increased. */
  readonly run: Run;
  /** Expected revision and epoch of the stored row. Null creates the run. */
  readonly guard: { readonly revision: number; readonly epoch: number } | null;
  readonly events: readonly RunEvent[];
  readonly records: readonly StoredRecord[];
  /** Effects of the step this change enters. Effects of the previous turn are over. Their results are in `events`. */
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

/** A run of one workflow with its state, for listings of tickets. */
export type RunStateRow = Pick<Run, 'id' | 'state' | 'status' | 'parent' | 'created_at' | 'updated_at'> & {
  /** When the open gate was opened. Null: no gate is open. */
  readonly waiting_since: Instant | null;
};
