import type * as z from 'zod';
import type { AnswerInput } from '../contract/answer.ts';
import type { RunStateRow, StoredRecord } from '../contract/change.ts';
import type { RunEvent } from '../contract/event.ts';
import type { Gate } from '../contract/gate.ts';
import type { GateId, RunId } from '../contract/ids.ts';
import type { StoredKnowledge } from '../contract/knowledge.ts';
import type { Project, ShownDecision, SupersededDecision } from '../contract/knowledge-views.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Run } from '../contract/run.ts';
import type { ProjectMode } from '../contract/ticket.ts';
import type {
  ChildRow,
  GateAgreement,
  LeanTicket,
  NextTicket,
  Queue,
  ShownTicket,
  TicketRow,
} from '../contract/ticket-views.ts';
import type { Caller, Needs } from './operation.ts';
import type { Rejection } from './rejection.ts';
import type { Translate } from './workflow.ts';

/** An operation that a workflow brings. */
export interface WorkflowOperation {
  readonly needs: (input: never) => Needs;
  readonly input: z.ZodType;
  readonly run: (host: OperationHost, input: never, surface: Caller['surface']) => Promise<unknown>;
}

/** Operations of all workflows, collected by the composition. */
export interface WorkflowOperations {
  readonly table: Readonly<Record<string, WorkflowOperation>>;
  readonly tickets: (host: OperationHost) => TicketOperations;
}

/** The service as an operation of a workflow uses it. Everything that writes checks the caller. */
export interface OperationHost {
  /** Prefix of the ids of tickets. */
  key(): Promise<string>;
  workflowOf(run: RunId): Promise<string | null>;
  /** Runs of a workflow in order of creation. */
  states(workflow: string): Promise<readonly RunStateRow[]>;
  /** A run with its validated state. */
  load(run: RunId): Promise<Pick<Run, 'state' | 'created_at' | 'updated_at'> | Rejection>;
  records(run: RunId, kind?: MoveRecord['kind'], name?: string): Promise<readonly StoredRecord[]>;
  gates(run?: RunId): Promise<readonly { readonly gate: Gate }[]>;
  log(run: RunId, after: number): Promise<readonly RunEvent[] | Rejection>;
  translator(lang: string): Promise<Translate>;
  /** Creates a run and closes its drive. */
  create(workflow: string, input: unknown, script: string | null): Promise<RunId | Rejection>;
  command(input: {
    readonly run: RunId;
    readonly command: string;
    readonly args?: Readonly<Record<string, unknown>>;
  }): Promise<{ readonly ok: true } | Rejection>;
  answer(input: {
    readonly gate: GateId;
    readonly answer: AnswerInput;
  }): Promise<{ readonly ok: true } | Rejection>;
  project(): Promise<Project>;
  projectMode(): Promise<ProjectMode>;
  decisions(query: unknown): Promise<readonly StoredKnowledge[] | Rejection>;
  decision(id: string): Promise<ShownDecision | Rejection>;
  ticketDecisions(ticket: string): Promise<readonly StoredKnowledge[] | Rejection>;
  recordDecision(input: unknown): Promise<StoredKnowledge | Rejection>;
  supersedeDecision(input: unknown): Promise<SupersededDecision | Rejection>;
}

/** Tickets as every surface reads and changes them. Names follow CON-02. */
export interface TicketOperations {
  /** Finds a ticket by its number, key and number, or UUID. */
  findTicket(name: string): Promise<RunId | Rejection>;
  /** Takes the fields of CON-106. The new ticket is in Captured, and no drive works it. */
  createTicket(input: {
    readonly fields: unknown;
    /** What the rehearsal agent plays for it, read and validated by the surface. */
    readonly script?: string | null;
  }): Promise<TicketRow | Rejection>;
  ticket(
    name: string,
    look?: { readonly view?: 'full' | 'meta'; readonly changed_paths?: readonly string[] },
  ): Promise<ShownTicket | Rejection>;
  /** The brief that waits, with its text, by default in the ticket's language. Null if no brief waits. */
  brief(name: string, lang?: string): Promise<Readonly<Record<string, unknown>> | null | Rejection>;
  /** Takes the filters of `query_tasks` in CON-61, and also label, parent and archived. */
  tickets(query: unknown): Promise<readonly LeanTicket[] | Rejection>;
  queue(): Promise<Queue | Rejection>;
  nextTicket(): Promise<NextTicket | null | Rejection>;
  children(name: string): Promise<readonly ChildRow[] | Rejection>;
  /** Adopts, creates and releases children by name. Returns the children afterwards. */
  manageChildren(
    name: string,
    change: {
      readonly add?: readonly string[];
      readonly add_new?: readonly unknown[];
      readonly remove?: readonly string[];
    },
  ): Promise<readonly ChildRow[] | Rejection>;
  stats(): Promise<readonly GateAgreement[]>;
}
