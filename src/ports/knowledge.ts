import type { Instant, RunId } from '../contract/ids.ts';
import type { KnowledgeQuery, NewKnowledge, StoredKnowledge, Successor } from '../contract/knowledge.ts';

/** Refusals are answers here too: nothing was written. */
type TitleTaken = { readonly kind: 'title_taken'; readonly by: string };
export type Recorded = { readonly kind: 'recorded'; readonly entry: StoredKnowledge } | TitleTaken;
export type Superseded =
  | {
      readonly kind: 'superseded';
      readonly entry: StoredKnowledge;
      readonly successor: StoredKnowledge | null;
      /** Live tickets that rest on the entry; each has the fact in its inbox. */
      readonly told: readonly RunId[];
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'superseded_before'; readonly by: string | null }
  | TitleTaken;

/** The decision ledger. Moves of tickets write to it in their own commit; the writes here are those of people. */
export interface KnowledgeStore {
  /** Best matches first where a text is searched, else newest change first. */
  knowledge(query: KnowledgeQuery): Promise<StoredKnowledge[]>;
  knowledgeEntry(id: string): Promise<StoredKnowledge | undefined>;
  /** Entries a ticket rests on, in the order they were recorded. */
  ticketKnowledge(ticket: RunId): Promise<StoredKnowledge[]>;
  /** Tickets that rest on an entry, oldest first. */
  linkedTickets(id: string): Promise<RunId[]>;
  /** Entries whose place this one took. */
  replacedBy(id: string): Promise<string[]>;

  /** Gives the entry the next `D-n`; a title that is taken is refused. */
  recordKnowledge(entry: NewKnowledge, by: string, at: Instant): Promise<Recorded>;
  /**
   * The entry is Superseded, its successor Accepted and linked to the same tickets, and every live one of them has the
   * fact in its inbox: all of it or nothing.
   */
  supersede(ask: {
    readonly id: string;
    readonly successor: Successor | null;
    readonly by: string;
    readonly at: Instant;
  }): Promise<Superseded>;
  /** The ticket rests on the entry; told twice it is the same. False when there is no such entry or ticket. */
  linkKnowledge(id: string, ticket: RunId, by: string, at: Instant): Promise<boolean>;
}
