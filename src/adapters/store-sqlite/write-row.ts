import type { SQLInputValue } from 'node:sqlite';
import type { Run, RunCore, RunStatus } from '../../contract/run.ts';
import { InvariantError } from '../../engine/errors.ts';
import { NO_PATCH } from '../../engine/fold.ts';
import type { Change, CommitResult } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { effectsText, openGateOf, text } from './rows.ts';
import { isSqliteError } from './store-errors.ts';

type Refusal = Exclude<CommitResult, { kind: 'committed' }>;

type Column = (run: Run) => SQLInputValue;

/** Columns that every commit writes. The holder is always among them, because the log does not contain it. */
const ALWAYS: Readonly<Record<string, Column>> = {
  revision: (run) => run.revision,
  seq: (run) => run.seq,
  epoch: (run) => run.epoch,
  holder_host: ({ holder }) => holder?.host ?? null,
  holder_pid: ({ holder }) => holder?.pid ?? null,
  holder_start: ({ holder }) => holder?.start ?? null,
  updated_at: (run) => run.updated_at,
};

const GATE: Readonly<Record<string, Column>> = { gate: openGateOf };
const WAIT: Readonly<Record<string, Column>> = {
  wait_run: ({ step }) => (step.kind === 'wait' && step.until.kind === 'run_ended' ? step.until.run : null),
};

/** Fields of a run that never change. */
type Fixed = 'id' | 'workflow' | 'parent' | 'parent_key' | 'created_at';

/** The columns that store each field of a run. Every field that can change has at least one. */
const COLUMNS: Readonly<Record<Exclude<keyof RunCore, Fixed>, Readonly<Record<string, Column>>>> = {
  version: { version: (run) => run.version },
  policy: { policy: (run) => JSON.stringify(run.policy) },
  title: { title: (run) => run.title },
  lang: { lang: (run) => run.lang },
  subject: { subject: (run) => run.subject },
  status: { status: (run) => run.status, ended: (run) => Number(run.status === 'ended'), ...GATE },
  phase: { phase: (run) => run.phase },
  turn: { turn: (run) => run.turn },
  step: { step: (run) => JSON.stringify(run.step), ...WAIT, ...GATE },
  counters: { counters: (run) => JSON.stringify(run.counters) },
  trouble: { trouble: (run) => text(run.trouble), ...GATE },
  halt: { halt: (run) => text(run.halt) },
  state: { state: (run) => JSON.stringify(run.state) },
};
/** Fast path: sets no indexed column, because SQLite rewrites the index of every column an UPDATE names. */
const WORKS_ON: Readonly<Record<string, Column>> = { step: (run) => JSON.stringify(run.step) };

const WRITTEN: Readonly<Record<string, Column>> = Object.assign({}, ALWAYS, ...Object.values(COLUMNS));
const FIXED = ['id', 'workflow', 'parent', 'parent_key', 'created_at', 'held_at', 'effects'];
const INSERTED = [...Object.keys(WRITTEN), ...FIXED];
const INSERT = `insert into runs (${INSERTED.join(', ')}) values (${INSERTED.map(() => '?').join(', ')})`;
const GUARD = 'where key = ? and revision = ? and epoch = ? and seq = ?';

/** Writes the row of one change under its guard. Returns the refusal if the row has changed meanwhile. */
export function writeRow(c: Connection, change: Change): Refusal | null {
  assertCounted(change);
  try {
    return change.guard ? updateRow(c, change, change.guard) : insertRow(c, change);
  } catch (error) {
    const refusal = toRefusal(c, change.run, error);
    if (refusal) return refusal;
    throw error;
  }
}

function updateRow(
  c: Connection,
  change: Change,
  { revision, epoch }: NonNullable<Change['guard']>,
): Refusal | null {
  const { run, events, opened } = change;
  const key = c.keyOf(run.id);
  if (key === undefined) return { kind: 'stale', run: run.id };
  const seq = run.seq - events.length;
  const fields = movedFields(change);
  const { sql, columns } = updateOf(fields, run.status, run.epoch !== epoch);
  const values = columns.map((column) => column(run));
  if (run.epoch !== epoch) values.push(run.updated_at);
  if (fields.includes('turn')) values.push(effectsText(opened));
  if (c.run(sql, ...values, key, revision, epoch, seq) === 1) return null;
  const found = c.one<Pick<Run, 'revision' | 'epoch' | 'seq'>>(
    'select revision, epoch, seq from runs where key = ?',
    key,
  );
  if (found?.revision === revision && found.epoch === epoch) {
    throw new InvariantError(`${run.id}: event ${seq + 1} would leave a gap after ${found.seq}`);
  }
  return { kind: 'stale', run: run.id };
}

/** The fields that the events changed. A row always equals its log, so no other field can have changed. */
function movedFields({ events }: Change): string[] {
  const fields: string[] = [];
  for (const { row, patch } of events) {
    for (const field of Object.keys(row.set)) if (!fields.includes(field)) fields.push(field);
    if (patch !== NO_PATCH && !fields.includes('state')) fields.push('state');
  }
  return fields;
}

interface Update {
  readonly sql: string;
  readonly columns: readonly Column[];
}

const updates = new Map<string, Update>();

/** The statement for these fields. Few combinations occur, and each is built once. */
function updateOf(fields: readonly string[], status: RunStatus, takes: boolean): Update {
  const name = `${fields.join(' ')} ${status} ${takes}`;
  const known = updates.get(name);
  if (known) return known;
  const on = status === 'working' && !fields.includes('status');
  const written: Record<string, Column> = { ...ALWAYS };
  for (const field of fields)
    Object.assign(written, field === 'step' && on ? WORKS_ON : COLUMNS[field as keyof typeof COLUMNS]);
  // An ended run never becomes live again. The index of live runs is written only when a run is created or ends.
  if (status !== 'ended') delete written.ended;
  // A lease taken in a commit counts as a first heartbeat. The effects belong to the turn.
  const more = [...(takes ? ['held_at'] : []), ...(fields.includes('turn') ? ['effects'] : [])];
  const set = [...Object.keys(written), ...more].map((column) => `${column} = ?`);
  const made = { sql: `update runs set ${set.join(', ')} ${GUARD}`, columns: Object.values(written) };
  updates.set(name, made);
  return made;
}

function insertRow(c: Connection, { run, opened }: Change): null {
  const { id, workflow, parent, parent_key, created_at, updated_at } = run;
  const values = Object.values(WRITTEN).map((column) => column(run));
  const fixed = [id, workflow, parent, parent_key, created_at, updated_at];
  c.run(INSERT, ...values, ...fixed, effectsText(opened));
  return null;
}

/** A taken subject or a taken id is a refusal, not an error: it belongs to the run that was created first. */
function toRefusal(c: Connection, run: Run, error: unknown): Refusal | null {
  if (!isSqliteError(error)) return null;
  if (error.message.endsWith('runs.id')) return { kind: 'stale', run: run.id };
  if (run.subject === null || !error.message.endsWith('runs.subject')) return null;
  const by = c.one<{ id: string }>(OWNER, run.subject)?.id;
  if (by === undefined) return null;
  return by === run.id
    ? { kind: 'stale', run: run.id }
    : { kind: 'subject_taken', run: run.id, subject: run.subject, by };
}

export const OWNER = `select id from runs where subject = ? and ended = 0`;

/** Checks that the log has no gaps and that the revision grows. Optimistic writing depends on both. */
function assertCounted({ run, guard, events }: Change): void {
  const first = run.seq - events.length + 1;
  const gapless = events.every((event, n) => event.seq === first + n && event.run === run.id);
  if (!gapless || (!guard && first !== 1)) {
    throw new InvariantError(
      `${run.id}: events ${events.map((event) => event.seq)} do not lead to ${run.seq}`,
    );
  }
  if (guard && run.revision <= guard.revision) {
    throw new InvariantError(`${run.id}: revision ${run.revision} does not count on from ${guard.revision}`);
  }
}
