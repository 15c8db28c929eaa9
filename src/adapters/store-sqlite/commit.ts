import type { Gate } from '../../contract/gate.ts';
import type { GateId } from '../../contract/ids.ts';
import type { Signal } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import { assertAnswerable } from '../../engine/answers.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Change, CommitResult, StoredRecord } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { changeDrive } from './drive-rows.ts';
import { writeKnowledge } from './knowledge-writes.ts';
import { eventsData, gateBody, gateLocation, locationKey } from './rows.ts';
import { writeInbox } from './write-inbox.ts';
import { writeRow } from './write-row.ts';

/** Also the result of committing no changes. */
export const COMMITTED: CommitResult = { kind: 'committed' };

/** If one change is refused, all are. The caller undoes what was written before it. */
export function isCommitted(result: CommitResult): boolean {
  return result.kind === 'committed';
}

/**
 * Writes all changes. A run moves only through this function. Called inside a transaction. Rows are written first: the
 * guards are checked before anything else is written, and messages find their run.
 */
export function writeChanges(c: Connection, changes: readonly Change[]): CommitResult {
  for (const change of releasingFirst(changes)) {
    const refusal = writeRow(c, change);
    if (refusal) return refusal;
  }
  for (const change of changes) {
    if (!writeParts(c, change)) return { kind: 'stale', run: change.run.id };
  }
  for (const { run } of changes) settleWaiting(c, run);
  return COMMITTED;
}

/** A subject released in this commit can be claimed in it, whatever the order of the changes. */
function releasingFirst(changes: readonly Change[]): readonly Change[] {
  if (changes.length < 2 || new Set(changes.map(({ run }) => run.id)).size < changes.length) return changes;
  const owns = ({ run }: Change): number => (run.subject !== null && run.status !== 'ended' ? 1 : 0);
  return [...changes].sort((a, b) => owns(a) - owns(b));
}

/**
 * Reports the end of a run once to its parent and once to every run that waits for it. A run that starts to wait for an
 * ended run is notified at once. No order of two commits leaves it asleep.
 */
function settleWaiting(c: Connection, run: Run): void {
  if (run.status === 'ended') {
    if (run.parent !== null && isLive(c, run.parent)) tell(c, run.parent, run, run.parent_key);
    const waiting = c.all<{ id: string }>('select id from runs where wait_run = ? and ended = 0', run.id);
    for (const { id } of waiting) tell(c, id, run, null);
    return;
  }
  if (run.step.kind !== 'wait' || run.step.until.kind !== 'run_ended') return;
  const ended = c.one<{ step: string }>(
    'select step from runs where id = ? and ended = 1',
    run.step.until.run,
  );
  if (ended) tell(c, run.id, { ...run, id: run.step.until.run, step: JSON.parse(ended.step) }, null);
}

function isLive(c: Connection, run: string): boolean {
  return c.one('select 1 from runs where id = ? and ended = 0', run) !== undefined;
}

function tell(
  c: Connection,
  to: string,
  ended: Pick<Run, 'id' | 'step' | 'updated_at'>,
  key: string | null,
): void {
  if (ended.step.kind !== 'end') throw new InvariantError(`${ended.id} has ended without an outcome`);
  const at = ended.updated_at;
  const signal: Signal = { type: 'run_ended', run: ended.id, key, result: ended.step.outcome.result, at };
  writeInbox(c, { id: `${ended.id}>${to}`, run: to, signal, at });
}

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
function writeParts(c: Connection, change: Change): boolean {
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
