import type { Answer } from '../contract/answer.ts';
import type {
  Change,
  Drive,
  DriveChange,
  Effect,
  FailedAttempt,
  InboxItem,
  StoredRecord,
} from '../contract/change.ts';
import type { RunEvent } from '../contract/event.ts';
import type { Draft, Gate } from '../contract/gate.ts';
import type { EffectId, GateId, Hash, Instant, RunId } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Holder, Run, RunStatus } from '../contract/run.ts';
import type { Cost } from '../engine/workflow.ts';
import type { KnowledgeStore } from './knowledge.ts';
import type { SettingsStore } from './settings.ts';

export type { Change, Drive, DriveChange, Effect, FailedAttempt, InboxItem, StoredRecord };

export type CommitResult =
  | { readonly kind: 'committed' }
  /** The revision or epoch has moved: reload, decide again. */
  | { readonly kind: 'stale'; readonly run: RunId }
  | { readonly kind: 'subject_taken'; readonly run: RunId; readonly subject: string; readonly by: RunId };

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  readonly ended?: boolean;
  /** Only children of this run. */
  readonly parent?: RunId;
  readonly limit?: number;
}

/** What listings need of a run; never its state. */
export type RunSummary = Pick<
  Run,
  | 'id'
  | 'workflow'
  | 'title'
  | 'lang'
  | 'status'
  | 'phase'
  | 'turn'
  | 'subject'
  | 'step'
  | 'halt'
  | 'trouble'
  | 'holder'
  | 'parent'
  | 'created_at'
  | 'updated_at'
> & { readonly gate: GateId | null };

export type SpendTotal = Cost;
export type AttemptSpend = Omit<SpendTotal, 'attempts'> & { readonly so_far?: true };

/** A run of one workflow with its state: what listings of tickets are made from. */
export type RunStateRow = Pick<Run, 'id' | 'state' | 'status' | 'parent' | 'created_at' | 'updated_at'> & {
  /** When the open gate was opened; null where none is. */
  readonly waiting_since: Instant | null;
};

export interface Store extends KnowledgeStore, SettingsStore {
  load(id: RunId): Promise<Run | undefined>;
  /** Rows, events, records, effects, gates and answers of all changes move together or not at all. */
  commit(changes: readonly Change[]): Promise<CommitResult>;
  /** Ids that begin with the prefix, at most 10. */
  findRuns(prefix: string): Promise<RunId[]>;
  list(filter: RunFilter): Promise<RunSummary[]>;
  /** Runs of a workflow in the order they were made; one whose state cannot be read is left out. */
  states(workflow: string, filter?: Pick<RunFilter, 'ended'>): Promise<RunStateRow[]>;
  /** One more than the highest n of a run `<key>-n`; two who ask at once get the same, and one commit is refused. */
  nextNumber(key: string): Promise<number>;
  /** Live runs that own a subject, in any order. */
  owners(): Promise<RunSummary[]>;
  /** The live run that owns this subject. */
  owner(subject: string): Promise<RunId | undefined>;

  /** Effects of the present turn; none for a turn the run is no longer at, whose results are in the log. */
  effects(run: RunId, turn: number): Promise<Effect[]>;
  /** Result of one call of a parallel step, kept without moving the run: a crash never repeats a finished call. */
  keepResult(effect: EffectId, result: unknown, at: Instant): Promise<void>;
  /** A planned effect is now performed by the holder of this epoch. */
  markStarted(run: RunId, turn: number, epoch: number, at: Instant): Promise<boolean>;
  keepAttempt(effect: EffectId, attempt: FailedAttempt): Promise<void>;

  gate(id: GateId): Promise<Gate | undefined>;
  openGates(run?: RunId): Promise<Gate[]>;
  answers(run: RunId): Promise<Answer[]>;
  answerOf(gate: GateId, iteration: number): Promise<Answer | undefined>;
  draft(gate: GateId): Promise<Draft>;
  /** Kept beside the gate; never moves the run's revision. False when the gate is no longer open under this digest. */
  keepDraft(gate: GateId, digest: Hash, draft: Draft): Promise<boolean>;

  events(run: RunId, after: number, limit: number): Promise<RunEvent[]>;
  records(run: RunId, kind?: MoveRecord['kind'], name?: string): Promise<StoredRecord[]>;
  /** Signals stored for a run and not yet applied, oldest first; without a run, those of all runs. */
  pending(run?: RunId): Promise<InboxItem[]>;

  /**
   * Takes the lease if `expect` still is the holder's epoch; gives the new epoch, or null when somebody was faster.
   * Without a drive of its own the newest goes on.
   */
  takeLease(run: RunId, expect: number, holder: Holder, drive: Drive | null): Promise<number | null>;
  releaseLease(run: RunId, epoch: number): Promise<void>;
  heartbeat(run: RunId, epoch: number, at: Instant): Promise<void>;
  lastBeat(run: RunId): Promise<Instant | null>;
  /** The newest of the run. */
  drive(run: RunId): Promise<Drive | undefined>;

  /**
   * What one start of an attempt has used: told again it takes the place of what was told before, but seconds that
   * were counted stay. `so_far`: the attempt goes on and will tell again; once its turn is over that is too late. Null
   * takes all of it back: the provider did not take the call.
   */
  addSpend(run: RunId, effect: EffectId, attempt: number, spend: AttemptSpend | null): Promise<void>;
  /** Of the whole run, or of one effect of its present turn. */
  spend(run: RunId, effect?: EffectId): Promise<SpendTotal>;
  telemetry(run: RunId | null, name: string, data: unknown, at: Instant): Promise<void>;

  /** Changes whenever another connection has written; cheap enough to poll. */
  version(): number;
  /** Checks the file itself; a list of what is wrong, empty when sound. */
  integrity(): Promise<string[]>;
  close(): void;
}
