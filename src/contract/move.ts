import type { Msg } from './brief.ts';
import type { Hash, RunId } from './ids.ts';
import type { KnowledgeEntry, KnowledgeStatus } from './knowledge.ts';

/**
 * What a move adds beside the state. Nothing append-only lives in the state: a run's history, notes, requests and
 * decisions are records, joined when they are shown or put into a prompt.
 */
export type MoveRecord =
  /** A line of text or data a later prompt or document needs (`note`, `request`, ...). */
  | { readonly kind: 'entry'; readonly name: string; readonly data: unknown }
  /** A document of the run; the newest of a name is shown by `baton show`. */
  | { readonly kind: 'artefact'; readonly name: string; readonly hash: Hash }
  /** What a person, or a rule named in `by_rule`, decided. */
  | { readonly kind: 'decision'; readonly name: string; readonly data: unknown; readonly by_rule?: string }
  /** A progress line or warning for people. */
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning'; readonly text: Msg }
  /** The run now owns this subject; a second live owner is refused by the store. */
  | { readonly kind: 'claim'; readonly subject: string }
  | { readonly kind: 'spawn'; readonly key: string; readonly workflow: string; readonly input: unknown }
  | { readonly kind: 'message'; readonly to: RunId; readonly name: string; readonly data: unknown }
  /** An entry of the ledger, new or drafted anew while it is only asserted; a title that is taken gets its id behind it. */
  | { readonly kind: 'knowledge'; readonly entry: KnowledgeEntry }
  | { readonly kind: 'knowledge_status'; readonly id: string; readonly status: KnowledgeStatus }
  /** The ticket of this run rests on that entry: when it is superseded, the ticket is stale. */
  | { readonly kind: 'knowledge_link'; readonly id: string }
  /** The same command a person would give to another run, e.g. `abandon`. */
  | { readonly kind: 'command'; readonly to: RunId; readonly command: string };

export interface Move<S> {
  readonly state: S;
  readonly records: readonly MoveRecord[];
  /** Running workers of the present step are ended; a started outside write is never interrupted. */
  readonly interrupt?: true;
}
