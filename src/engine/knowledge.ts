import type { InboxItem } from '../contract/change.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { KnowledgeEntry, KnowledgeStatus, StoredKnowledge, Successor } from '../contract/knowledge.ts';
import { cutText } from './cut-text.ts';

/** Maximum length of a title. */
const LONGEST_TITLE = 200;
/** Limit of words in a search, so that a pasted text does not become a query of thousands of terms. */
const MOST_WORDS = 64;

/** Appends the id to a title that is taken. If that is taken too, it also appends a number. Deterministic. */
export function freeTitle(
  { id, title }: Pick<KnowledgeEntry, 'id' | 'title'>,
  isTaken: (title: string) => boolean,
): string {
  let free = title;
  for (let n = 1; isTaken(free); n++) {
    const suffix = n === 1 ? ` (${id})` : ` (${id} ${n})`;
    free = `${cutText(title, LONGEST_TITLE - suffix.length)}${suffix}`;
  }
  return free;
}

/** The ticket that drafted an entry which is still Asserted. The ticket depends on it before it is linked. */
export function drafter({
  status,
  source_type,
  source_task_id,
}: Pick<KnowledgeEntry, 'status' | 'source_type' | 'source_task_id'>): string | null {
  return status === 'Asserted' && source_type === 'ticket' ? source_task_id : null;
}

/** The words of a text without case and accents, so that matching does not depend on the store. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * The terms of a search: entries with any of these words match, more words rank higher. A term also matches longer
 * words that start with it (`migrat`, or a Korean noun before its particle). ASCII terms of one or two characters match
 * only whole words, because a prefix such as `a` would match too much.
 */
export function searchTerms(search: string): { readonly word: string; readonly begins: boolean }[] {
  const words = [...new Set(wordsOf(search))].slice(0, MOST_WORDS);
  return words.map((word) => ({ word, begins: word.length > 2 || /\P{ASCII}/u.test(word) }));
}

/**
 * Whether a move may change the status. Superseded and Archived entries stay so, and an Accepted entry cannot become
 * Archived.
 */
export function mayBecome(from: KnowledgeStatus, to: KnowledgeStatus): boolean {
  return from === 'Asserted' || (from === 'Accepted' && to === 'Superseded');
}

/** The complete entry that replaces another. */
export function successorEntry(id: string, successor: Successor): KnowledgeEntry {
  const source = { source_type: 'manual', source_activity: null, source_task_id: null } as const;
  return { id, status: 'Accepted', ...successor, ...source, review_by: null };
}

/** The notice to a ticket that an entry it depends on was superseded (CON-95). Once per entry and ticket. */
export function supersededItem(entry: StoredKnowledge, ticket: RunId, at: Instant): InboxItem {
  const { type, id, superseded_by } = entry;
  const value = { type, id, superseded_by };
  return {
    id: `superseded:${id}>${ticket}`,
    run: ticket,
    signal: { type: 'fact', what: 'superseded', value, at },
    at,
  };
}
