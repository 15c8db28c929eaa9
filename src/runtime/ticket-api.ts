import type { Person } from '../contract/answer.ts';
import type { RunId } from '../contract/ids.ts';
import type { AwaitingReason, DesignTrack, Priority, TicketGate, TicketState } from '../contract/ticket.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { TicketRow as Row } from '../workflows/conduct/row.ts';

/** The ticket as CON-16 and CON-61 name its fields; `meta` leaves the long texts out. */
export type TicketRow = Row & {
  readonly created_at: string;
  readonly updated_at: string;
};
export type ShownTicket = Partial<TicketRow> & Pick<TicketRow, 'id' | 'title' | 'workflow_state'>;

/** What a listing shows of a ticket. */
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
  /** `trouble`: something went wrong and a person is asked; null where only the stale mark is set. */
  readonly reason: AwaitingReason | 'trouble' | null;
  /** What is decided, in the ticket's language; null where nothing is drafted yet. */
  readonly decide: string | null;
  readonly track: DesignTrack | null;
  readonly since: string;
}

/** What waits for a person, the most urgent first in each group (CON-102). */
export interface Queue {
  readonly groups: readonly {
    readonly reason: NonNullable<Waiting['reason']>;
    readonly tickets: readonly Waiting[];
  }[];
  readonly stale: readonly Waiting[];
}

/** `triage`: a captured ticket; asking about it promotes nothing. `patch`: its patch is not drafted yet. */
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

/** How often the judge that only watches said what the person then did, per gate. */
export interface GateAgreement {
  readonly gate: TicketGate;
  /** Drafts that were judged and then answered by a person. */
  readonly judged: number;
  readonly agreed: number;
  /** Held to be worth a person's opinion, and accepted as it was. */
  readonly needless: number;
  /** Held to be routine, and not accepted as it was. */
  readonly missed: number;
  /** The judge itself failed. */
  readonly failed: number;
}

/** Who calls an operation. A surface proves its callers its own way; the operation says which proof it needs. */
export interface Caller {
  readonly name: string;
  readonly surface: 'cli' | 'web' | 'mcp' | 'github';
  /** Why this caller may change nothing: it is a worker. Null for everybody else. */
  refuseMarked(): Promise<Rejection | null>;
  person(): Promise<Person | Rejection>;
}

/** Tickets as every surface reads and changes them. Names are those of CON-02. */
export interface TicketApi {
  /** The fields of CON-106; the ticket stands at Captured and nobody conducts it. */
  /** `score`: what the rehearsal agent plays for it, read and validated by the surface. */
  createTicket(input: unknown, by: string, score?: string | null): Promise<TicketRow | Rejection>;
  ticket(
    name: string,
    look?: { readonly view?: 'full' | 'meta'; readonly changed_paths?: readonly string[] },
  ): Promise<ShownTicket | Rejection>;
  /** The brief that waits, with its text, in the ticket's language unless told otherwise; null when none does. */
  brief(name: string, lang?: string): Promise<Readonly<Record<string, unknown>> | null | Rejection>;
  /** Filters of CON-61's `query_tasks`, and label, parent, archived. */
  tickets(query: unknown): Promise<readonly LeanTicket[] | Rejection>;
  queue(): Promise<Queue | Rejection>;
  nextTicket(): Promise<NextTicket | null | Rejection>;
  children(name: string): Promise<readonly ChildRow[] | Rejection>;
  /** Children by name: taken on, made, let go; the children afterwards. */
  manageChildren(
    name: string,
    change: {
      readonly add?: readonly string[];
      readonly add_new?: readonly unknown[];
      readonly remove?: readonly string[];
    },
    by: string,
  ): Promise<readonly ChildRow[] | Rejection>;
  stats(): Promise<readonly GateAgreement[]>;
  /** One operation of CON-61 by name. Unknown operations and fields are refused. */
  operate(operation: string, input: unknown, caller: Caller): Promise<unknown>;
}
