import type { Draft } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import type { Drive, RunFilter, RunSummary, SpendTotal } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import {
  type AnswerRow,
  type EffectRow,
  type EventRow,
  type GateRow,
  type InboxRow,
  type RecordRow,
  type RunRow,
  type SummaryRow,
  toAnswer,
  toEffect,
  toEvent,
  toGate,
  toInboxItem,
  toRecord,
  toRun,
  toSummary,
} from './rows.ts';
import type { SyncStore } from './sync-store.ts';
import { OWNER } from './write-row.ts';

const RUN = `select id, workflow, version, parent, parent_key, title, lang, policy, created_at, subject, status, phase, turn,
  step, counters, trouble, halt, state, revision, seq, epoch, holder_host, holder_pid, holder_start, updated_at
  from runs where id = ?`;
const SUMMARY = `select id, workflow, title, lang, status, phase, turn, subject, step, halt, trouble, holder_host, holder_pid,
  holder_start, parent, created_at, updated_at, gate from runs`;
const EVENTS = `select run, seq, type, turn, at, "by", data from events where run = ? and seq > ? order by seq limit ?`;
const EFFECTS = `select run, turn, n, kind, role, nth, spec, attempts, result, started_at, done_at from effects
  where run = ? and turn = ? order by n`;
const GATE =
  'select id, run, turn, name, class, iteration, status, digest, opened_at, closed_at, body from gates';
const ANSWER = 'select receipt, gate, run, iteration, option, text, fields, digest, "by", at from answers';
const RECORDS = `select run, seq, n, record, at from records
  where run = ? and (?2 is null or kind = ?2) and (?3 is null or name = ?3) order by seq, n`;
const INBOX = 'select id, run, signal, at from inbox where done = 0';
const SPEND = `select coalesce(sum(money_usd), 0) as money_usd, coalesce(max(money_unknown), 0) as money_unknown,
  coalesce(sum(tokens), 0) as tokens, coalesce(sum(seconds), 0) as seconds, count(*) as attempts
  from spend where run = ?`;

/** What a store answers without writing, before it is wrapped into promises. */
export function createReads(c: Connection): Omit<SyncStore, 'integrity'> {
  return {
    load: (id) => {
      const row = c.one<RunRow>(RUN, id);
      return row && toRun(row);
    },
    findRuns: (prefix) => findRuns(c, prefix),
    list: (filter) => list(c, filter),
    owner: (subject) => c.one<{ id: RunId }>(OWNER, subject)?.id,
    effects: (run, turn) => c.all<EffectRow>(EFFECTS, run, turn).map(toEffect),
    gate: (id) => {
      const row = c.one<GateRow>(`${GATE} where id = ?`, id);
      return row && toGate(row);
    },
    openGates: (run) => {
      const open = `${GATE} where status = 'open'`;
      const order = 'order by opened_at, rowid';
      const rows =
        run === undefined
          ? c.all<GateRow>(`${open} ${order}`)
          : c.all<GateRow>(`${open} and run = ? ${order}`, run);
      return rows.map(toGate);
    },
    answers: (run) => c.all<AnswerRow>(`${ANSWER} where run = ? order by rowid`, run).map(toAnswer),
    answerOf: (gate, iteration) => {
      const row = c.one<AnswerRow>(`${ANSWER} where gate = ? and iteration = ?`, gate, iteration);
      return row && toAnswer(row);
    },
    draft: (gate) => {
      const row = c.one<{ draft: string }>('select draft from drafts where gate = ?', gate);
      return row ? (JSON.parse(row.draft) as Draft) : {};
    },
    events: (run, after, limit) => c.all<EventRow>(EVENTS, run, after, limit).map(toEvent),
    records: (run, kind, name) => c.all<RecordRow>(RECORDS, run, kind ?? null, name ?? null).map(toRecord),
    pending: (run) => {
      const rows =
        run === undefined
          ? c.all<InboxRow>(`${INBOX} order by n`)
          : c.all<InboxRow>(`${INBOX} and run = ? order by n`, run);
      return rows.map(toInboxItem);
    },
    lastBeat: (run) => c.one<{ at: string }>('select at from beats where run = ?', run)?.at ?? null,
    drive: (run) => {
      const newest =
        'select id, run, mode, opened_by, opened_at from drives where run = ? order by n desc limit 1';
      const row = c.one<Drive>(newest, run);
      return row && { ...row };
    },
    spend: (run) => spend(c, run),
  };
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

function spend(c: Connection, run: RunId): SpendTotal {
  const rows = c.all<Omit<SpendTotal, 'money_unknown'> & { money_unknown: number }>(SPEND, run);
  const [total = { money_usd: 0, money_unknown: 0, tokens: 0, seconds: 0, attempts: 0 }] = rows;
  return { ...total, money_unknown: total.money_unknown === 1 };
}

/** Newest first. */
function list(c: Connection, filter: RunFilter): RunSummary[] {
  const where: string[] = [];
  if (filter.status) where.push(`status in (${filter.status.map(() => '?').join(', ')})`);
  if (filter.ended !== undefined) where.push(filter.ended ? `status = 'ended'` : `status <> 'ended'`);
  const sql = `${SUMMARY}${where.length > 0 ? ` where ${where.join(' and ')}` : ''} order by created_at desc, rowid desc limit ?`;
  return c.all<SummaryRow>(sql, ...(filter.status ?? []), filter.limit ?? -1).map(toSummary);
}
