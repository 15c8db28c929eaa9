import type { Draft } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import type { KnowledgeQuery, StoredKnowledge } from '../../contract/knowledge.ts';
import type { SettingChange } from '../../contract/setting.ts';
import { searchTerms } from '../../engine/knowledge.ts';
import type { Effect, RunFilter, RunStateRow, RunSummary } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { newestDrive } from './drive-rows.ts';
import {
  type AnswerRow,
  type AttemptRow,
  ENTRY,
  type EntryRow,
  type EventRow,
  type GateRow,
  gateKey,
  gateLocation,
  type InboxRow,
  locationKey,
  type RecordRow,
  type RunRow,
  readEntry,
  readSetting,
  type StateRow,
  type SummaryRow,
  toAnswer,
  toAttempt,
  toEntry,
  toEvents,
  toGate,
  toInboxItem,
  toRecord,
  toRun,
  toStateRow,
  toSummary,
} from './rows.ts';
import type { SyncStore } from './sync-store.ts';
import { OWNER } from './write-row.ts';

const RUN = `select id, workflow, version, parent, parent_key, title, lang, policy, created_at, subject, status, phase, turn,
  step, counters, trouble, halt, state, revision, seq, epoch, holder_host, holder_pid, holder_start, updated_at
  from runs where id = ?`;
const SUMMARY = `select id, workflow, title, lang, status, phase, turn, subject, step, halt, trouble, holder_host, holder_pid,
  holder_start, parent, created_at, updated_at, gate from runs`;
/** Not sorted: sorting costs ten times as much as finding no rows. */
const OWNERS = `${SUMMARY} indexed by runs_subject where ended = 0 and subject is not null`;
const EVENTS =
  'select seq, type, turn, at, "by", data from events where run = ? and seq > ? order by seq limit ?';
const EFFECTS = 'select key, effects from runs where id = ? and turn = ? and effects is not null';
const ATTEMPTS = 'select n, data from attempts where run = ? and turn = ? order by attempt';
const GATE =
  'select id, run, turn, name, class, iteration, status, digest, opened_at, closed_at, body from gates';
const GATE_OF = `${GATE} where key = ?`;
/** A run has at most one open gate, and its row names it. */
const OPEN_GATE = `(select key << 24 | cast(substr(gate, length(id) + 3) as integer) from runs where gate is not null`;
const OPEN_GATES = `${GATE} where status = 'open' and key in ${OPEN_GATE} and ended = 0) order by opened_at, key`;
const OPEN_GATES_OF = `${GATE} where status = 'open' and key in ${OPEN_GATE} and id = ?)`;
const STATES = `select r.id, r.state, r.status, r.parent, r.created_at, r.updated_at, (select g.opened_at from gates g
    where g.status = 'open' and r.gate is not null and r.ended = 0
      and g.key = (r.key << 24 | cast(substr(r.gate, length(r.id) + 3) as integer))) as waiting_since
  from runs r where r.workflow = ? and (?2 is null or r.ended = ?2) order by r.key desc limit ?`;
/** The highest number, compared as a number and not as text: of `B-1`, `B-2` and `B-10` it is 10. */
const LAST_NUMBER = `select coalesce(max(cast(substr(id, length(?1) + 2) as integer)), 0) as n from runs
  where id > ?1 || '-' and id < ?1 || '.' and substr(id, length(?1) + 2) not glob '*[^0-9]*'`;
const ANSWER = 'select gate, receipt, iteration, option, text, fields, digest, "by", at from answers';
const ANSWERS = `${ANSWER} where gate > ? and gate < ? order by at, gate, iteration`;
const ANSWER_OF = `${ANSWER} where gate = ? and iteration = ?`;
const RECORDS = `select run, seq, n, record, at from records
  where run = ? and (?2 is null or kind = ?2) and (?3 is null or name = ?3) order by seq, n`;
/** Uses the index of waiting messages: applied messages stay in the table. */
const INBOX = 'select id, run, signal, at from inbox indexed by inbox_pending where done = 0';
/** A heartbeat of an earlier holder is older than the lease and does not count. */
const LAST_HEARTBEAT = `select max(r.held_at, coalesce(b.at, r.held_at)) as at from runs r left join heartbeats b on b.run = r.id
  where r.id = ? and r.holder_host is not null`;

/** The reads of a store, before they are wrapped into promises. */
export function createReads(c: Connection): Omit<SyncStore, 'integrity' | 'addSpend' | 'spend'> {
  return {
    load: (id) => {
      const row = c.one<RunRow>(RUN, id);
      return row && toRun(row);
    },
    ...createKnowledgeReads(c),
    findRuns: (prefix) => findRuns(c, prefix),
    list: (filter) => list(c, filter),
    states: (workflow, filter) => states(c, workflow, filter),
    nextNumber: (key) => (c.one<{ n: number }>(LAST_NUMBER, key)?.n ?? 0) + 1,
    owners: () => c.all<SummaryRow>(OWNERS).map(toSummary),
    owner: (subject) => c.one<{ id: RunId }>(OWNER, subject)?.id,
    effects: (run, turn) => readEffects(c, run, turn),
    gate: (id) => {
      const key = gateKey(c, id);
      const row = key === undefined ? undefined : c.one<GateRow>(GATE_OF, key);
      return row && toGate(row);
    },
    openGates: (run) => {
      const rows = run === undefined ? c.all<GateRow>(OPEN_GATES) : c.all<GateRow>(OPEN_GATES_OF, run);
      return rows.map(toGate);
    },
    answers: (run) => {
      const key = c.keyOf(run) ?? -1;
      const rows = c.all<AnswerRow>(ANSWERS, locationKey(key, 0), locationKey(key + 1, 0));
      return rows.map((row) => toAnswer(row, run));
    },
    answerOf: (gate, iteration) => {
      const at = gateLocation(gate);
      const row = at && c.one<AnswerRow>(ANSWER_OF, gateKey(c, gate) ?? -1, iteration);
      return row ? toAnswer(row, at.run) : undefined;
    },
    draft: (gate) => {
      const row = c.one<{ draft: string }>('select draft from drafts where gate = ?', gateKey(c, gate) ?? -1);
      return row ? (JSON.parse(row.draft) as Draft) : {};
    },
    events: (run, after, limit) => {
      const key = c.keyOf(run);
      if (key === undefined) return [];
      const rows = c.all<EventRow>(EVENTS, key, after, limit);
      const told = rows.flatMap((row) => toEvents(row, run));
      return told.filter(({ seq }) => seq > after).slice(0, limit < 0 ? undefined : limit);
    },
    records: (run, kind, name) => c.all<RecordRow>(RECORDS, run, kind ?? null, name ?? null).map(toRecord),
    pending: (run) => {
      const rows =
        run === undefined
          ? c.all<InboxRow>(`${INBOX} order by n`)
          : c.all<InboxRow>(`${INBOX} and run = ? order by n`, run);
      return rows.map(toInboxItem);
    },
    lastHeartbeat: (run) => c.one<{ at: string }>(LAST_HEARTBEAT, run)?.at ?? null,
    drive: (run) => newestDrive(c, run),
  };
}

/** Effects of the current step with their failed attempts. Results of earlier effects are in the log. */
function readEffects(c: Connection, run: RunId, turn: number): Effect[] {
  const row = c.one<{ key: number; effects: string }>(EFFECTS, run, turn);
  if (!row) return [];
  const failed = c.all<AttemptRow>(ATTEMPTS, row.key, turn);
  const attemptsOf = (n: number) => failed.filter((attempt) => attempt.n === n).map(toAttempt);
  const effects = JSON.parse(row.effects) as Effect[];
  return effects.map((effect) => ({ ...effect, attempts: attemptsOf(effect.n) })).sort((a, b) => a.n - b.n);
}

function findRuns(c: Connection, prefix: string): RunId[] {
  const after = `${prefix}\u{10ffff}`;
  const rows = c.all<{ id: RunId }>(
    'select id from runs where id >= ? and id < ? order by id limit 10',
    prefix,
    after,
  );
  return rows.map(({ id }) => id);
}

/** Newest first. */
function list(c: Connection, filter: RunFilter): RunSummary[] {
  const where: string[] = [];
  if (filter.status) where.push(`status in (${filter.status.map(() => '?').join(', ')})`);
  if (filter.ended !== undefined) where.push(`ended = ${filter.ended ? 1 : 0}`);
  if (filter.parent !== undefined) where.push('parent = ?');
  const given = [...(filter.status ?? []), ...(filter.parent === undefined ? [] : [filter.parent])];
  const sql = `${SUMMARY}${where.length > 0 ? ` where ${where.join(' and ')}` : ''} order by created_at desc, key desc limit ?`;
  return c.all<SummaryRow>(sql, ...given, filter.limit ?? -1).map(toSummary);
}

function states(c: Connection, workflow: string, { ended, limit }: RunFilter = {}): RunStateRow[] {
  const rows = c.all<StateRow>(STATES, workflow, ended === undefined ? null : Number(ended), limit ?? -1);
  return rows.reverse().flatMap((row) => toStateRow(row) ?? []);
}

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
function createKnowledgeReads(c: Connection): KnowledgeReads {
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
