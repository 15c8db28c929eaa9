import type { Text } from '../contract/brief.ts';
import type { RunEvent } from '../contract/event.ts';
import type { Gate } from '../contract/gate.ts';
import type { RunId } from '../contract/ids.ts';
import type { StoredKnowledge } from '../contract/knowledge.ts';
import type { Project, ShownDecision, Trust } from '../contract/knowledge-views.ts';
import type { SettingChange } from '../contract/setting.ts';
import type { ProjectMode } from '../contract/ticket.ts';
import type { Deciding } from '../engine/judge-person.ts';
import type { Caller, Subject } from '../engine/operation.ts';
import type { TicketOperations } from '../engine/operation-host.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { Orders, TakenOrder } from '../ports/orders.ts';
import type { RunSummary, StoredRecord } from '../ports/store.ts';
import type { AnnouncementRequest } from './announce.ts';
import type { ROWS, Row } from './operations/rows.ts';
import type { DoctorReport, OrderFilter, Progress, RunView, ShownArtefact, ShownGate } from './views.ts';
import type { WatchEnd } from './watch.ts';

/** The operations of the table, called for one caller. */
type Operations = {
  [N in keyof typeof ROWS]: (typeof ROWS)[N] extends Row<infer I, infer O>
    ? (input: I) => Promise<O | Rejection>
    : never;
};

/** Operations that only read, and those for outside workers, whose order's token is their permission. */
interface Reads {
  /** An order for an outside worker, with the token that entitles the worker to it. Null if no order fits. */
  takeOrder(worker: string, options: OrderFilter): Promise<TakenOrder | null>;
  storeOrder: Orders['keep'];
  /** `{ result }` or `{ text }`, with `usage` if it is known. The run continues when its drive notices it. */
  handIn(token: string, given: unknown): ReturnType<Orders['handIn']>;
  giveBack: Orders['giveBack'];
  /** Takes parts of a KnowledgeQuery. With a search text, the best matches come first. */
  decisions(query: unknown): Promise<readonly StoredKnowledge[] | Rejection>;
  decision(id: string): Promise<ShownDecision | Rejection>;
  /** Entries that a ticket depends on. */
  ticketDecisions(ticket: string): Promise<readonly StoredKnowledge[] | Rejection>;
  trust(): Promise<Trust>;
  projectMode(): Promise<ProjectMode>;
  /** All changes, oldest first. */
  settingChanges(of: 'trust' | 'mode'): Promise<readonly SettingChange[]>;
  project(): Promise<Project>;
  /** The workflow's announcement for a drive: its start, a pause, its end, its plan. */
  announce(run: RunId, what: AnnouncementRequest): Promise<readonly Text[]>;
  /** The facts that proof of a person for this subject depends on. Null if the run cannot be read. */
  deciding(subject: Subject): Promise<Deciding | null>;
  /** A run id, a unique prefix of one, or a gate id. */
  find(name: string): Promise<RunId | Rejection>;
  findGate(name: string): Promise<Gate | Rejection>;
  list(all: boolean): Promise<RunSummary[]>;
  gates(run?: RunId): Promise<ShownGate[]>;
  view(run: RunId): Promise<RunView | Rejection>;
  /** Waits until the open gate, or the next one that opens, is answered. Not longer than a watch lasts (CON-74). */
  watch(run: RunId, signal: AbortSignal): Promise<WatchEnd | 'expired' | Rejection>;
  log(run: RunId, after: number): Promise<RunEvent[] | Rejection>;
  records(run: RunId): Promise<StoredRecord[]>;
  /** Documents and results of a run, the newest of each name. `name` selects one. */
  artefacts(run: RunId): Promise<ShownArtefact[] | Rejection>;
  /** Returns a function that translates messages into a language. */
  translator(lang: string): Promise<(text: Text) => string>;
  /** Progress of every drive of this process. Returns the unsubscribe function. */
  onProgress(listener: (progress: Progress) => void): () => void;
  /**
   * Checks the database file and every run. With `deep` it also folds every log against its row and reads every
   * artefact.
   */
  doctor(deep: boolean): Promise<DoctorReport>;
}

/**
 * The service that every surface calls, for one caller. Each operation either succeeds completely or returns a
 * Rejection and writes nothing.
 */
export interface Api extends Operations, Reads, TicketOperations {
  /** One operation of a workflow by name (CON-61). Unknown operations and fields are refused. */
  operate(operation: string, input: unknown): Promise<unknown>;
  /** Checks only whether the caller may do this. For a surface that has to ask or show something before it. */
  may<N extends keyof Operations>(
    name: N,
    input: Parameters<Operations[N]>[0],
  ): Promise<{ readonly ok: true } | Rejection>;
  /** The same service for another caller. */
  as(caller: Caller): Api;
  close(): Promise<void>;
}
