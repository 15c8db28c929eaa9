import type { Msg } from './brief.ts';
import type { Hash, RunId } from './ids.ts';
import type { KnowledgeEntry, KnowledgeStatus } from './knowledge.ts';

/**
 * What a notice repeats that a surface may already show: the phase that begins, the line of a call, a failed attempt,
 * or the outcome of the step.
 */
export type NoticeTopic = { readonly phase: string } | 'call' | 'attempt' | 'outcome';

interface Notice {
  readonly kind: 'notice';
  readonly level: 'info' | 'warning';
  readonly text: Msg;
  readonly about?: NoticeTopic;
}

/**
 * Additions of a move besides the state. The state holds nothing append-only. A run's history, notes, requests and
 * decisions are records. They are joined when they are shown or put into a prompt.
 */
export type MoveRecord =
  /** A line of text or data that a later prompt or document needs (`note`, `request`, ...). */
  | { readonly kind: 'entry'; readonly name: string; readonly data: unknown }
  /** A document of the run. `baton show` shows the newest of each name. */
  | { readonly kind: 'artefact'; readonly name: string; readonly hash: Hash }
  /** A decision of a person, or of a rule named in `by_rule`. */
  | { readonly kind: 'decision'; readonly name: string; readonly data: unknown; readonly by_rule?: string }
  /** A progress line or warning for people. */
  | Notice
  /** The run now owns this subject. The store refuses a second live owner. */
  | { readonly kind: 'claim'; readonly subject: string }
  | { readonly kind: 'spawn'; readonly key: string; readonly workflow: string; readonly input: unknown }
  | { readonly kind: 'message'; readonly to: RunId; readonly name: string; readonly data: unknown }
  /** A ledger entry, new or redrafted while it is only Asserted. If the title is taken, the id is appended to it. */
  | { readonly kind: 'knowledge'; readonly entry: KnowledgeEntry }
  | { readonly kind: 'knowledge_status'; readonly id: string; readonly status: KnowledgeStatus }
  /** The ticket of this run depends on that entry. If the entry is superseded, the ticket is stale. */
  | { readonly kind: 'knowledge_link'; readonly id: string }
  /** A command to another run, the same as a person's command, such as `abandon`. */
  | { readonly kind: 'command'; readonly to: RunId; readonly command: string };

export interface Move<S> {
  readonly state: S;
  readonly records: readonly MoveRecord[];
  /** Ends running workers of the current step. A started outside write is never interrupted. */
  readonly interrupt?: true;
}
