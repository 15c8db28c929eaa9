import type { InboxItem } from '../contract/change.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { KnowledgeEntry, KnowledgeStatus, StoredKnowledge, Successor } from '../contract/knowledge.ts';

/** As long as a title may be. */
const LONGEST_TITLE = 200;
/** More words than anybody searches for; a pasted text must not become a query of thousands of terms. */
const MOST_WORDS = 64;

/** A title that another entry has gets the id behind it; should that be taken too, a number. Always the same title. */
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

/** A draft of a ticket that is still open: its ticket rests on it before it is linked. */
export function drafter({
  status,
  source_type,
  source_task_id,
}: Pick<KnowledgeEntry, 'status' | 'source_type' | 'source_task_id'>): string | null {
  return status === 'Asserted' && source_type === 'ticket' ? source_task_id : null;
}

/** At most so many characters, never half of one. */
export function cutText(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** The words of a text without case and accents: what matches does not depend on the store. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * What a search looks for: entries with any of these words, the more the better. A word also finds longer ones that
 * begin with it (`migrat`, or a Korean noun before its particle), but not one or two letters of ours: `a` is no search.
 */
export function searchTerms(search: string): { readonly word: string; readonly begins: boolean }[] {
  const words = [...new Set(wordsOf(search))].slice(0, MOST_WORDS);
  return words.map((word) => ({ word, begins: word.length > 2 || /\P{ASCII}/u.test(word) }));
}

/** Whether a move changes the status: what was superseded or put away stays so, and what was accepted is not put away. */
export function mayBecome(from: KnowledgeStatus, to: KnowledgeStatus): boolean {
  return from === 'Asserted' || (from === 'Accepted' && to === 'Superseded');
}

/** The whole entry that takes the place of another. */
export function successorEntry(id: string, successor: Successor): KnowledgeEntry {
  const source = { source_type: 'manual', source_activity: null, source_task_id: null } as const;
  return { id, status: 'Accepted', ...successor, ...source, review_by: null };
}

/** What a ticket is told when an entry it rests on is superseded (CON-95); once per entry and ticket. */
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
