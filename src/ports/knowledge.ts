import type { Instant, RunId } from '../contract/ids.ts';
import type { KnowledgeQuery, NewKnowledge, StoredKnowledge, Successor } from '../contract/knowledge.ts';

/** Refusals are results here too. A refused call writes nothing. */
type TitleTaken = { readonly kind: 'title_taken'; readonly by: string };
export type Recorded = { readonly kind: 'recorded'; readonly entry: StoredKnowledge } | TitleTaken;
export type Superseded =
  | {
      readonly kind: 'superseded';
      readonly entry: StoredKnowledge;
      readonly successor: StoredKnowledge | null;
      /** Live tickets that depend on the entry. Each has the notice in its inbox. */
      readonly told: readonly RunId[];
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'superseded_before'; readonly by: string | null }
  | TitleTaken;

/** The decision ledger. Moves of tickets write to it in their own commit. The writes here are for people. */
export interface KnowledgeStore {
  /** Best matches first for a text search, otherwise newest change first. */
  knowledge(query: KnowledgeQuery): Promise<StoredKnowledge[]>;
  knowledgeEntry(id: string): Promise<StoredKnowledge | undefined>;
  /** Entries a ticket depends on, in the order they were recorded. */
  ticketKnowledge(ticket: RunId): Promise<StoredKnowledge[]>;
  /** Tickets that depend on an entry, oldest first. */
  linkedTickets(id: string): Promise<RunId[]>;
  /** Entries that this entry replaced. */
  replacedBy(id: string): Promise<string[]>;

  /** Assigns the next `D-n` to the entry. Refuses a title that is taken. */
  recordKnowledge(entry: NewKnowledge, by: string, at: Instant): Promise<Recorded>;
  /**
   * Marks the entry Superseded, makes its successor Accepted and links it to the same tickets. Every live ticket of
   * them
   * gets the notice in its inbox. The store writes all of it or nothing.
   */
  supersede(ask: {
    readonly id: string;
    readonly successor: Successor | null;
    readonly by: string;
    readonly at: Instant;
  }): Promise<Superseded>;
  /**
   * Links the ticket to an entry it depends on. Repeating it changes nothing. False: the entry or ticket does not
   * exist.
   */
  linkKnowledge(id: string, ticket: RunId, by: string, at: Instant): Promise<boolean>;
}
