import type { ConductState } from './conduct.ts';
import type { RunId } from './ids.ts';
import type { AwaitingReason, DesignTrack, Priority, RiskClass, TicketGate, TicketState } from './ticket.ts';

/** The ticket with the field names of CON-16 and CON-61. `meta` leaves the long texts out. */
export interface TicketRow
  extends Pick<
    ConductState,
    | 'uuid'
    | 'title'
    | 'description'
    | 'labels'
    | 'priority'
    | 'archived'
    | 'parent'
    | 'prev_state'
    | 'criteria'
    | 'checklist'
    | 'build_pr'
    | 'build_run'
    | 'trouble'
  > {
  readonly id: RunId;
  readonly workflow_state: ConductState['phase'];
  readonly workflow_activity: ConductState['activity'];
  readonly phase: TicketGate | null;
  readonly left_why: string | null;
  readonly awaiting_human_input: boolean;
  readonly awaiting_human_reason: AwaitingReason | null;
  readonly awaiting_human_ref: Readonly<Record<string, string | null>> | null;
  readonly stale: boolean;
  readonly stale_ref: ConductState['stale'];
  readonly merged_sha: ConductState['release']['merged_sha'];
  readonly active_brief_iteration: number | null;
  readonly active_round: ConductState['round'];
  readonly pending_resolution: ConductState['pending'];
  readonly pending_remark: ConductState['remark'];
  readonly risk_classes: readonly RiskClass[];
  readonly created_at: string;
  readonly updated_at: string;
}
export type ShownTicket = Partial<TicketRow> & Pick<TicketRow, 'id' | 'title' | 'workflow_state'>;

/** The fields of a ticket that a listing shows. */
export type LeanTicket = Pick<
  TicketRow,
  | 'id'
  | 'title'
  | 'workflow_state'
  | 'workflow_activity'
  | 'priority'
  | 'labels'
  | 'archived'
  | 'parent'
  | 'awaiting_human_input'
  | 'awaiting_human_reason'
  | 'stale'
  | 'created_at'
  | 'updated_at'
> & { readonly waiting_since: string | null };

export interface Waiting {
  readonly id: RunId;
  readonly title: string;
  readonly workflow_state: TicketState;
  readonly priority: Priority;
  /** `trouble`: something went wrong and a person is asked. Null if the ticket is only stale. */
  readonly reason: AwaitingReason | 'trouble' | null;
  /** What the person decides, in the ticket's language. Null if nothing is drafted yet. */
  readonly decide: string | null;
  readonly track: DesignTrack | null;
  readonly since: string;
}

/** Tickets that wait for a person, the most urgent first in each group (CON-102). */
export interface Queue {
  readonly groups: readonly {
    readonly reason: NonNullable<Waiting['reason']>;
    readonly tickets: readonly Waiting[];
  }[];
  readonly stale: readonly Waiting[];
}

/** `triage`: a captured ticket. Asking about it does not promote it. `patch`: its patch is not drafted yet. */
export interface NextTicket {
  readonly ask: 'answer' | 'patch' | 'triage';
  readonly ticket: Waiting;
}

export interface ChildRow {
  readonly id: RunId | null;
  readonly key: string;
  readonly title: string;
  readonly workflow_state: TicketState;
  readonly archived: boolean;
}

/** Per gate: how often the shadow judge agreed with what the person then did. */
export interface GateAgreement {
  readonly gate: TicketGate;
  /** Drafts that were judged and then answered by a person. */
  readonly judged: number;
  readonly agreed: number;
  /** Judged as worth a person's opinion, but accepted unchanged. */
  readonly needless: number;
  /** Judged as routine, but not accepted unchanged. */
  readonly missed: number;
  /** The judge itself failed. */
  readonly failed: number;
}
