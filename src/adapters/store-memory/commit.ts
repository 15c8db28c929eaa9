import type { Signal } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import { assertAnswerable } from '../../engine/answers.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Change, CommitResult } from '../../ports/store.ts';
import { changeDrive } from './drive-rows.ts';
import { writeKnowledge } from './knowledge-writes.ts';
import { type Tables, transaction, type Writer, writeInbox } from './tables.ts';

type Refusal = Exclude<CommitResult, { kind: 'committed' }>;

/** All changes or none. The rules are those of the SQLite store; one suite holds both to them. */
export function commit(tables: Tables, changes: readonly Change[]): CommitResult {
  return transaction(
    (writer) => write(tables, changes, writer),
    (result) => result.kind === 'committed',
  );
}

function write(tables: Tables, changes: readonly Change[], writer: Writer): CommitResult {
  for (const change of changes) {
    const refusal = writeRow(tables, change, writer);
    if (refusal) return refusal;
  }
  for (const { run } of changes) {
    const refusal = subjectTaken(tables, run);
    if (refusal) return refusal;
  }
  for (const change of changes) {
    if (!writeParts(tables, change, writer)) return { kind: 'stale', run: change.run.id };
  }
  for (const { run } of changes) tellEnd(tables, run, writer);
  return { kind: 'committed' };
}

function writeRow(tables: Tables, { run, guard, events }: Change, writer: Writer): Refusal | null {
  const found = tables.runs.get(run.id);
  const stale = guard
    ? found?.revision !== guard.revision || found.epoch !== guard.epoch
    : found !== undefined;
  if (stale) return { kind: 'stale', run: run.id };
  const first = (found?.seq ?? 0) + 1;
  const gapless = events.every((event, n) => event.seq === first + n && event.run === run.id);
  if (!gapless || run.seq !== first + events.length - 1) {
    throw new InvariantError(
      `${run.id}: events ${events.map((event) => event.seq)} leave a gap before ${run.seq}`,
    );
  }
  if (guard && run.revision <= guard.revision) {
    throw new InvariantError(`${run.id}: revision ${run.revision} does not count on`);
  }
  const { workflow, parent, parent_key, created_at } = found ?? run;
  writer.set(tables.runs, run.id, { ...run, workflow, parent, parent_key, created_at });
  return null;
}

function subjectTaken(tables: Tables, run: Run): Refusal | null {
  const { subject } = run;
  if (subject === null || run.status === 'ended') return null;
  const by = ownerOf(tables, subject, run.id);
  return by === undefined ? null : { kind: 'subject_taken', run: run.id, subject, by };
}

/** The live run that owns the subject, other than the one named. */
export function ownerOf(tables: Tables, subject: string, except?: string): string | undefined {
  for (const run of tables.runs.values()) {
    if (run.subject === subject && run.status !== 'ended' && run.id !== except) return run.id;
  }
  return undefined;
}

function writeParts(tables: Tables, change: Change, writer: Writer): boolean {
  const { run, guard, drive, inbox_done } = change;
  for (const event of change.events) {
    writer.append(tables.events, run.id, { ...event, input: event.input ?? null });
  }
  writeEffects(tables, change, writer);
  const by = change.events[0]?.by ?? `run:${run.id}`;
  for (const record of change.records) {
    writer.append(tables.records, run.id, record);
    writeKnowledge(tables, record, by, writer);
  }
  writeGate(tables, change, writer);
  for (const item of change.inbox_added) writeInbox(tables, item, writer);
  if (drive) writer.set(tables.drives, run.id, changeDrive(tables, run.id, drive, run.updated_at));
  if (run.holder && run.epoch !== guard?.epoch) writer.set(tables.beats, run.id, run.updated_at);
  if (inbox_done === null) return true;
  const item = tables.inbox.get(inbox_done);
  if (!item || item.done || item.run !== run.id) return false;
  writer.set(tables.inbox, inbox_done, { ...item, done: true });
  return true;
}

function writeEffects(tables: Tables, { run, opened }: Change, writer: Writer): void {
  for (const effect of tables.effects.values()) {
    if (effect.run === run.id && effect.turn !== run.turn) writer.remove(tables.effects, effect.id);
  }
  for (const effect of opened) {
    if (tables.effects.has(effect.id)) throw new InvariantError(`${effect.id} is already on record`);
    writer.set(tables.effects, effect.id, effect);
  }
}

function writeGate(tables: Tables, change: Change, writer: Writer): void {
  const { run, gate_closed, gate_opened, answer } = change;
  if (gate_closed) {
    const { id, status, at } = gate_closed;
    const gate = tables.gates.get(id);
    if (gate?.status !== 'open' || gate.run !== run.id)
      throw new InvariantError(`${id} was not open when it closed`);
    writer.set(tables.gates, id, { ...gate, status, closed_at: at });
    if (status === 'answered') writer.remove(tables.drafts, id);
  }
  if (gate_opened) {
    const others = [...tables.gates.values()].filter((g) => g.run === run.id && g.id !== gate_opened.id);
    const open = others.find(({ status }) => status === 'open');
    if (open) throw new InvariantError(`${gate_opened.id}: ${open.id} is still open`);
    writer.set(tables.gates, gate_opened.id, gate_opened);
  }
  if (answer) {
    assertAnswerable(answer, tables.gates.get(answer.gate)?.class);
    const key = `${answer.gate}#${answer.iteration}`;
    if (tables.answers.has(key)) throw new InvariantError(`${key} has an answer already`);
    writer.set(tables.answers, key, answer);
  }
}

function tellEnd(tables: Tables, run: Run, writer: Writer): void {
  const at = run.updated_at;
  const awaited = tables.runs.get(awaitedBy(run) ?? '');
  if (awaited?.status === 'ended') tell(tables, { to: run.id, ended: awaited, key: null, at }, writer);
  if (run.status !== 'ended') return;
  const live = [...tables.runs.values()].filter(({ status }) => status !== 'ended');
  for (const { id } of live) {
    if (id === run.parent) tell(tables, { to: id, ended: run, key: run.parent_key, at }, writer);
  }
  for (const other of live) {
    if (awaitedBy(other) === run.id) tell(tables, { to: other.id, ended: run, key: null, at }, writer);
  }
}

function awaitedBy({ step }: Run): string | null {
  return step.kind === 'wait' && step.until.kind === 'run_ended' ? step.until.run : null;
}

function tell(
  tables: Tables,
  told: { to: string; ended: Run; key: string | null; at: string },
  writer: Writer,
): void {
  const { to, ended, key, at } = told;
  if (ended.step.kind !== 'end') throw new InvariantError(`${ended.id} has ended without an outcome`);
  const signal: Signal = { type: 'run_ended', run: ended.id, key, result: ended.step.outcome.result, at };
  writeInbox(tables, { id: `${ended.id}>${to}`, run: to, signal, at }, writer);
}
