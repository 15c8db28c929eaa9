import { InvariantError } from '../../engine/errors.ts';
import type { Change, Drive, InboxItem, StoredRecord } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { eventData, gateBody, text } from './rows.ts';

const EVENT = 'insert into events (run, seq, type, turn, at, "by", data) values (?, ?, ?, ?, ?, ?, ?)';
const EFFECT = `insert into effects (run, turn, n, kind, role, nth, started_at, done_at, attempts, spec, result)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const RECORD = 'insert into records (run, seq, n, kind, name, at, record) values (?, ?, ?, ?, ?, ?, ?)';
const DECISION = 'insert into decisions (run, seq, n, name, by_rule, at, data) values (?, ?, ?, ?, ?, ?, ?)';
/** A kept result stays; what is left of the turn is done too, with no result. */
const SETTLE = `update effects set result = case when n = ? then coalesce(result, ?) else result end,
  done_at = coalesce(done_at, ?) where run = ? and turn = ?`;
/** A changed gate keeps its id and is open again under its new digest. */
const GATE = `insert into gates (id, run, turn, name, class, iteration, status, digest, opened_at, closed_at, body)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update set turn = excluded.turn, name = excluded.name, class = excluded.class,
    iteration = excluded.iteration, status = excluded.status, digest = excluded.digest,
    opened_at = excluded.opened_at, closed_at = excluded.closed_at, body = excluded.body`;
const CLOSE = `update gates set status = ?, closed_at = ? where id = ? and run = ? and status = 'open'`;
const ANSWER = `insert into answers (gate, iteration, run, receipt, option, text, digest, at, "by", fields)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INBOX = 'insert into inbox (id, run, at, signal) values (?, ?, ?, ?) on conflict (id) do nothing';
const DONE = 'update inbox set done = 1 where id = ? and run = ? and done = 0';
const DRIVE = `insert into drives (run, n, id, mode, opened_by, opened_at)
  select ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5 from drives where run = ?1`;

/**
 * Everything of a change but its row, which is already written under the guard. False when the signal it applies has
 * been applied by somebody else.
 */
export function writeParts(c: Connection, change: Change): boolean {
  const { run } = change;
  for (const event of change.events) {
    c.run(EVENT, run.id, event.seq, event.type, event.turn, event.at, event.by, eventData(event));
  }
  writeEffects(c, change);
  for (const record of change.records) writeRecord(c, record);
  writeGate(c, change);
  for (const item of change.inbox_added) writeInbox(c, item);
  if (change.drive_opened) writeDrive(c, change.drive_opened);
  return change.inbox_done === null || c.run(DONE, change.inbox_done, run.id) === 1;
}

function writeEffects(c: Connection, { run, settled, opened }: Change): void {
  if (settled) {
    const results = settled.results.size > 0 ? settled.results : NO_RESULT;
    for (const [n, result] of results) c.run(SETTLE, n, text(result), run.updated_at, run.id, settled.turn);
  }
  for (const e of opened) {
    const { turn, n, kind, role, nth, started_at, done_at } = e;
    const spec = JSON.stringify(e.spec);
    c.run(
      EFFECT,
      run.id,
      turn,
      n,
      kind,
      role,
      nth,
      started_at,
      done_at,
      JSON.stringify(e.attempts),
      spec,
      text(e.result),
    );
  }
}

const NO_RESULT: ReadonlyMap<number, unknown> = new Map([[-1, null]]);

function writeRecord(c: Connection, { run, seq, n, at, record }: StoredRecord): void {
  c.run(RECORD, run, seq, n, record.kind, 'name' in record ? record.name : null, at, JSON.stringify(record));
  if (record.kind !== 'decision') return;
  c.run(DECISION, run, seq, n, record.name, record.by_rule ?? null, at, text(record.data) ?? 'null');
}

function writeGate(c: Connection, { run, gate_closed, gate_opened, answer }: Change): void {
  if (gate_closed) {
    const { id, status, at } = gate_closed;
    if (c.run(CLOSE, status, at, id, run.id) !== 1)
      throw new InvariantError(`${id} was not open when it closed`);
    if (status === 'answered') c.run('delete from drafts where gate = ?', id);
  }
  if (gate_opened) {
    const g = gate_opened;
    const shown = [g.digest, g.opened_at, g.closed_at, gateBody(g)] as const;
    c.run(GATE, g.id, run.id, g.turn, g.name, g.class, g.iteration, g.status, ...shown);
  }
  if (answer) {
    const { gate, iteration, receipt, option, text: words, digest, at } = answer;
    const json = [JSON.stringify(answer.by), JSON.stringify(answer.fields)] as const;
    c.run(ANSWER, gate, iteration, run.id, receipt, option, words, digest, at, ...json);
  }
}

export function writeInbox(c: Connection, { id, run, at, signal }: InboxItem): void {
  c.run(INBOX, id, run, at, JSON.stringify(signal));
}

/** A drive taken over is the newest again; it keeps its id and mode. */
export function writeDrive(c: Connection, { id, run, mode, opened_by, opened_at }: Drive): void {
  c.run('delete from drives where run = ? and id = ?', run, id);
  c.run(DRIVE, run, id, mode, opened_by, opened_at);
}
