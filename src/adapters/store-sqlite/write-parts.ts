import type { Gate } from '../../contract/gate.ts';
import type { GateId } from '../../contract/ids.ts';
import { assertAnswerable } from '../../engine/answers.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Change, StoredRecord } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { changeDrive } from './drive-rows.ts';
import { writeKnowledge } from './knowledge-writes.ts';
import { eventsData, gateBody } from './rows.ts';
import { gateLocation, locationKey } from './run-keys.ts';
import { writeInbox } from './write-inbox.ts';

const EVENT = 'insert into events (run, seq, type, turn, at, "by", data) values (?, ?, ?, ?, ?, ?, ?)';
const RECORD = 'insert into records (run, seq, n, kind, name, at, record) values (?, ?, ?, ?, ?, ?, ?)';
/** A changed gate keeps its id and is open again under its new digest. */
const GATE = `insert into gates (key, id, run, turn, name, class, iteration, status, digest, opened_at, closed_at, body)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (key) do update set turn = excluded.turn, name = excluded.name, class = excluded.class,
    iteration = excluded.iteration, status = excluded.status, digest = excluded.digest,
    opened_at = excluded.opened_at, closed_at = excluded.closed_at, body = excluded.body`;
const CLOSE = `update gates set status = ?, closed_at = ? where key = ? and status = 'open'`;
/** Only the newest gate of a run can be open, so one query is enough, however many gates there were. */
const BEFORE = `select id, status from gates where key between ? and ? order by key desc limit 1`;
const ANSWER = `insert into answers (gate, iteration, receipt, option, text, digest, at, "by", fields)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CLASS = 'select class from gates where key = ?';
const DONE = 'update inbox set done = 1 where id = ? and run = ? and done = 0';

type ClassRow = Pick<Gate, 'class'>;

/**
 * Writes everything of a change except its row, which is already written under the guard. False if another commit has
 * already applied its signal.
 */
export function writeParts(c: Connection, change: Change): boolean {
  const { run } = change;
  const key = c.keyOf(run.id);
  if (key === undefined) throw new InvariantError(`${run.id} has no row`);
  writeEvents(c, key, change.events);
  const by = change.events[0]?.by ?? `run:${run.id}`;
  for (const record of change.records) writeRecord(c, record, by);
  writeGate(c, key, change);
  for (const item of change.inbox_added) writeInbox(c, item);
  changeDrive(c, key, change);
  return change.inbox_done === null || c.run(DONE, change.inbox_done, run.id) === 1;
}

/** Most transitions have two events: the input and what the run does now. Both are in one row. */
function writeEvents(c: Connection, run: number, [first, ...others]: Change['events']): void {
  if (!first) return;
  const { type, turn, at, by } = first;
  c.run(EVENT, run, first.seq + others.length, type, turn, at, by, eventsData([first, ...others]));
}

function writeRecord(c: Connection, stored: StoredRecord, by: string): void {
  const { run, seq, n, at, record } = stored;
  c.run(RECORD, run, seq, n, record.kind, 'name' in record ? record.name : null, at, JSON.stringify(record));
  writeKnowledge(c, stored, by);
}

function writeGate(c: Connection, key: number, { run, gate_closed, gate_opened, answer }: Change): void {
  const keyOf = (id: GateId): number => {
    const at = gateLocation(id);
    if (at?.run !== run.id) throw new InvariantError(`${id} is no gate of ${run.id}`);
    return locationKey(key, at.location);
  };
  if (gate_closed) {
    const { id, status, at } = gate_closed;
    const closed = keyOf(id);
    if (c.run(CLOSE, status, at, closed) !== 1) throw new InvariantError(`${id} was not open when it closed`);
    if (status === 'answered') c.run('delete from drafts where gate = ?', closed);
  }
  if (gate_opened) {
    const g = gate_opened;
    const shown = [g.digest, g.opened_at, g.closed_at, gateBody(g)] as const;
    const location = keyOf(g.id);
    const before = c.one<Pick<Gate, 'id' | 'status'>>(BEFORE, locationKey(key, 0), location - 1);
    if (before?.status === 'open') throw new InvariantError(`${g.id}: ${before.id} is still open`);
    c.run(GATE, location, g.id, run.id, g.turn, g.name, g.class, g.iteration, g.status, ...shown);
  }
  if (answer) {
    if (!('person' in answer.by)) assertAnswerable(answer, c.one<ClassRow>(CLASS, keyOf(answer.gate))?.class);
    const { gate, iteration, receipt, option, text: words, digest, at } = answer;
    const json = [JSON.stringify(answer.by), JSON.stringify(answer.fields)] as const;
    c.run(ANSWER, keyOf(gate), iteration, receipt, option, words, digest, at, ...json);
  }
}
