import type { RunId } from '../../contract/ids.ts';
import type { KnowledgeQuery, StoredKnowledge } from '../../contract/knowledge.ts';
import type { SettingChange } from '../../contract/setting.ts';
import { searchTerms } from '../../engine/knowledge.ts';
import type { Connection } from './connection.ts';
import { ENTRY, type EntryRow, readEntry, readSetting, toEntry } from './knowledge-rows.ts';
import type { SyncStore } from './sync-store.ts';

/** A null or an empty list does not filter. */
const ASKED = `(?1 is null or d.type = ?1) and (?2 is null or d.status = ?2) and (?3 = '[]' or exists
  (select 1 from json_each(d.domains) has join json_each(?3) asked on has.value = asked.value))`;
const NEWEST = `${ENTRY} where ${ASKED} order by d.updated_at desc, d.key desc limit ?4`;
/** A match in the title counts more than one in the body. */
const BEST = `${ENTRY} join decisions_text on decisions_text.rowid = d.key where decisions_text match ?5 and ${ASKED}
  order by bm25(decisions_text, 4.0, 1.0), d.key desc limit ?4`;
const OF_TICKET = `${ENTRY} join decision_links l on l.decision = d.key where l.ticket = ? order by d.key`;
const TICKETS = `select r.id from decision_links l join decisions d on d.key = l.decision join runs r on r.id = l.ticket
  where d.id = ? order by r.key`;
const REPLACED = 'select id from decisions where superseded_by = ? order by key';
const CHANGES = 'select name, "from", "to", who, surface, at from setting_changes where name = ? order by n';

type KnowledgeReads = Pick<
  SyncStore,
  | 'knowledge'
  | 'knowledgeEntry'
  | 'ticketKnowledge'
  | 'linkedTickets'
  | 'replacedBy'
  | 'setting'
  | 'settingChanges'
>;

/** The reads of the ledger and the settings. */
export function createKnowledgeReads(c: Connection): KnowledgeReads {
  return {
    knowledge: (query) => findKnowledge(c, query),
    knowledgeEntry: (id) => readEntry(c, id),
    ticketKnowledge: (ticket) => c.all<EntryRow>(OF_TICKET, ticket).map(toEntry),
    linkedTickets: (id) => c.all<{ id: RunId }>(TICKETS, id).map((row) => row.id),
    replacedBy: (id) => c.all<{ id: string }>(REPLACED, id).map((row) => row.id),
    setting: (name) => readSetting(c, name),
    settingChanges: (name) => c.all<SettingChange>(CHANGES, name).map((change) => ({ ...change })),
  };
}

function findKnowledge(c: Connection, query: KnowledgeQuery): StoredKnowledge[] {
  const { type, status, domains, search, limit } = query;
  const asked = [type, status, JSON.stringify(domains), limit] as const;
  if (search === null) return c.all<EntryRow>(NEWEST, ...asked).map(toEntry);
  const match = matchText(search);
  return match === '' ? [] : c.all<EntryRow>(BEST, ...asked, match).map(toEntry);
}

/** Passes only words to the full-text language, each in quotes. Typed text therefore cannot act as an operator. */
function matchText(search: string): string {
  return searchTerms(search)
    .map(({ word, begins }) => `"${word}"${begins ? '*' : ''}`)
    .join(' OR ');
}
