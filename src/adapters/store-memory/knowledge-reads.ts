import type { KnowledgeQuery, StoredKnowledge } from '../../contract/knowledge.ts';
import { searchTerms, wordsOf } from '../../engine/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import { copy, type Tables } from './tables.ts';

type KnowledgeReads = Pick<
  Store,
  | 'knowledge'
  | 'knowledgeEntry'
  | 'ticketKnowledge'
  | 'linkedTickets'
  | 'replacedBy'
  | 'setting'
  | 'settingChanges'
>;

export function createKnowledgeReads(t: Tables): KnowledgeReads {
  const all = () => [...t.decisions.values()];
  return {
    knowledge: async (query) => copy(findKnowledge(all(), query)),
    knowledgeEntry: async (id) => copy(t.decisions.get(id)),
    ticketKnowledge: async (ticket) => copy(all().filter(({ id }) => t.links.get(id)?.includes(ticket))),
    linkedTickets: async (id) => [...t.runs.keys()].filter((run) => t.links.get(id)?.includes(run)),
    replacedBy: async (id) => all().flatMap((entry) => (entry.superseded_by === id ? [entry.id] : [])),
    setting: async (name) => t.settings.get(name) ?? null,
    settingChanges: async (name) => copy([...(t.settingChanges.get(name) ?? [])]),
  };
}

/** The same order as the real store: newest change first, or the best match where a text is searched. */
function findKnowledge(all: readonly StoredKnowledge[], query: KnowledgeQuery): StoredKnowledge[] {
  const { type, status, domains, search, limit } = query;
  const asked = all.filter(
    (entry) =>
      (type ?? entry.type) === entry.type &&
      (status ?? entry.status) === entry.status &&
      (domains.length === 0 || entry.domains.some((domain) => domains.includes(domain))),
  );
  const newest = asked.reverse();
  if (search === null)
    return newest
      .sort((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0))
      .slice(0, limit);
  const scored = newest.map((entry) => ({ entry, score: scoreOf(entry, search) }));
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found.map(({ entry }) => entry).slice(0, limit);
}

/** A word of the title says more than one of the body. */
function scoreOf({ title, body }: StoredKnowledge, search: string): number {
  const [inTitle, inBody] = [wordsOf(title), wordsOf(body)];
  const scores = searchTerms(search).map(({ word, begins }) => {
    const isHit = (other: string) => (begins ? other.startsWith(word) : other === word);
    return (inTitle.some(isHit) ? 4 : 0) + (inBody.some(isHit) ? 1 : 0);
  });
  return scores.reduce((sum, score) => sum + score, 0);
}
