import type { Draft } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import type { Drive, RunFilter, RunSummary } from '../../ports/store.ts';
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
const GATE_OF = `${GATE} where id = ?`;
/** A run has at most one open gate, and its row names it. */
const OPEN_GATES = `${GATE} where status = 'open' and id in (select gate from runs where ended = 0 and gate is not null)
  order by opened_at, rowid`;
const OPEN_GATES_OF = `${GATE} where status = 'open' and id = (select gate from runs where id = ?)`;
const ANSWER = 'select receipt, gate, run, iteration, option, text, fields, digest, "by", at from answers';
const ANSWERS = `${ANSWER} where run = ? order by at, gate, iteration`;
const ANSWER_OF = `${ANSWER} where run = (select run from gates where id = ?1) and gate = ?1 and iteration = ?2`;
const RECORDS = `select run, seq, n, record, at from records
  where run = ? and (?2 is null or kind = ?2) and (?3 is null or name = ?3) order by seq, n`;
const INBOX = 'select id, run, signal, at from inbox where done = 0';
/** A heartbeat of an earlier holder is older than the lease and does not count. */
const LAST_BEAT = `select max(r.held_at, coalesce(b.at, r.held_at)) as at from runs r left join beats b on b.run = r.id
  where r.id = ? and r.holder_host is not null`;

/** What a store answers without writing, before it is wrapped into promises. */
export function createReads(c: Connection): Omit<SyncStore, 'integrity' | 'addSpend' | 'spend'> {
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
      const row = c.one<GateRow>(GATE_OF, id);
      return row && toGate(row);
    },
    openGates: (run) => {
      const rows = run === undefined ? c.all<GateRow>(OPEN_GATES) : c.all<GateRow>(OPEN_GATES_OF, run);
      return rows.map(toGate);
    },
    answers: (run) => c.all<AnswerRow>(ANSWERS, run).map(toAnswer),
    answerOf: (gate, iteration) => {
      const row = c.one<AnswerRow>(ANSWER_OF, gate, iteration);
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
    lastBeat: (run) => c.one<{ at: string }>(LAST_BEAT, run)?.at ?? null,
    drive: (run) => {
      const newest =
        'select id, run, mode, opened_by, opened_at from drives where run = ? order by n desc limit 1';
      const row = c.one<Drive>(newest, run);
      return row && { ...row };
    },
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

/** Newest first. */
function list(c: Connection, filter: RunFilter): RunSummary[] {
  const where: string[] = [];
  if (filter.status) where.push(`status in (${filter.status.map(() => '?').join(', ')})`);
  if (filter.ended !== undefined) where.push(`ended = ${filter.ended ? 1 : 0}`);
  const sql = `${SUMMARY}${where.length > 0 ? ` where ${where.join(' and ')}` : ''} order by created_at desc, rowid desc limit ?`;
  return c.all<SummaryRow>(sql, ...(filter.status ?? []), filter.limit ?? -1).map(toSummary);
}
