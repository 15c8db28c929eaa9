import type { Answer } from '../contract/answer.ts';
import type {
  Change,
  Drive,
  DriveChange,
  Effect,
  FailedAttempt,
  InboxItem,
  RunStateRow,
  StoredRecord,
} from '../contract/change.ts';
import type { RunEvent } from '../contract/event.ts';
import type { Draft, Gate } from '../contract/gate.ts';
import type { EffectId, GateId, Hash, Instant, RunId } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Holder, Run, RunStatus } from '../contract/run.ts';
import type { SettingChange } from '../contract/setting.ts';
import type { Cost } from '../engine/workflow.ts';
import type { KnowledgeStore } from './knowledge.ts';

export type { Change, Drive, DriveChange, Effect, FailedAttempt, InboxItem, RunStateRow, StoredRecord };

export type CommitResult =
  | { readonly kind: 'committed' }
  /** The revision or epoch has changed. Reload and decide again. */
  | { readonly kind: 'stale'; readonly run: RunId }
  | { readonly kind: 'subject_taken'; readonly run: RunId; readonly subject: string; readonly by: RunId };

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  readonly ended?: boolean;
  /** Only children of this run. */
  readonly parent?: RunId;
  readonly limit?: number;
}

/** The fields of a run that listings need. Never its state. */
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

export interface Store extends KnowledgeStore, SettingsStore {
  load(id: RunId): Promise<Run | undefined>;
  /** Writes rows, events, records, effects, gates and answers of all changes, or nothing. */
  commit(changes: readonly Change[]): Promise<CommitResult>;
  /** Ids that start with the prefix, at most 10. */
  findRuns(prefix: string): Promise<RunId[]>;
  list(filter: RunFilter): Promise<RunSummary[]>;
  /**
   * Runs of a workflow in order of creation. With `limit`, the newest ones. Runs with an unreadable state are left out.
   */
  states(workflow: string, filter?: Pick<RunFilter, 'ended' | 'limit'>): Promise<RunStateRow[]>;
  /**
   * One more than the highest n of a run `<key>-n`. Concurrent callers can get the same number. One commit is then
   * refused.
   */
  nextNumber(key: string): Promise<number>;
  /** Live runs that own a subject, in any order. */
  owners(): Promise<RunSummary[]>;
  /** The live run that owns this subject. */
  owner(subject: string): Promise<RunId | undefined>;

  /** Effects of the current turn. Empty for an earlier turn, whose results are in the log. */
  effects(run: RunId, turn: number): Promise<Effect[]>;
  /** Stores the result of one call of a parallel step without moving the run. A crash never repeats a finished call. */
  storeResult(effect: EffectId, result: unknown, at: Instant): Promise<void>;
  /** The holder of this epoch now performs a planned effect. */
  recordStarted(run: RunId, turn: number, epoch: number, at: Instant): Promise<boolean>;
  storeAttempt(effect: EffectId, attempt: FailedAttempt): Promise<void>;

  gate(id: GateId): Promise<Gate | undefined>;
  openGates(run?: RunId): Promise<Gate[]>;
  answers(run: RunId): Promise<Answer[]>;
  answerOf(gate: GateId, iteration: number): Promise<Answer | undefined>;
  draft(gate: GateId): Promise<Draft>;
  /**
   * Stored beside the gate. Never changes the run's revision. False if the gate is no longer open under this digest.
   */
  storeDraft(gate: GateId, digest: Hash, draft: Draft): Promise<boolean>;

  events(run: RunId, after: number, limit: number): Promise<RunEvent[]>;
  records(run: RunId, kind?: MoveRecord['kind'], name?: string): Promise<StoredRecord[]>;
  /** Signals stored for a run and not applied yet, oldest first. Without a run: those of all runs. */
  pending(run?: RunId): Promise<InboxItem[]>;

  /**
   * Takes the lease if `expect` is still the holder's epoch. Returns the new epoch, or null if another process was
   * faster. Without a drive of its own, the newest drive continues.
   */
  takeLease(run: RunId, expect: number, holder: Holder, drive: Drive | null): Promise<number | null>;
  releaseLease(run: RunId, epoch: number): Promise<void>;
  heartbeat(run: RunId, epoch: number, at: Instant): Promise<void>;
  lastHeartbeat(run: RunId): Promise<Instant | null>;
  /** The newest drive of the run. */
  drive(run: RunId): Promise<Drive | undefined>;

  /**
   * Records what one start of an attempt has used. A later call overwrites the earlier record of this start, but
   * counted seconds stay. `so_far`: the attempt continues and will report again. Such a report is ignored after its
   * turn.
   * Null deletes the record: the provider did not accept the call.
   */
  addSpend(run: RunId, effect: EffectId, attempt: number, spend: AttemptSpend | null): Promise<void>;
  /** Of the whole run, or of one effect of its current turn. */
  spend(run: RunId, effect?: EffectId): Promise<SpendTotal>;

  /** Changes whenever another connection has written. Cheap enough to poll. */
  version(): number;
  /** Checks the database file itself. Returns a list of faults, empty if there are none. */
  integrity(): Promise<string[]>;
  close(): void;
}

/** Settings of the workspace, never in the repository. Every change is recorded. */
interface SettingsStore {
  /** Null: never set. */
  setting(name: string): Promise<string | null>;
  /** The recorded change. Null if the setting already had that value, and nothing was written. */
  changeSetting(change: Omit<SettingChange, 'from'>): Promise<SettingChange | null>;
  /** Oldest first. */
  settingChanges(name: string): Promise<SettingChange[]>;
}
