import type { SQLInputValue } from 'node:sqlite';
import type { Run } from '../../contract/run.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Change, CommitResult } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { effectsText, openGateOf, text } from './rows.ts';
import { isSqliteError } from './store-errors.ts';

type Refusal = Exclude<CommitResult, { kind: 'committed' }>;

/** Columns of no index, in the order of `plainValues`. What a run is (workflow, parent, age, policy) never changes. */
const PLAIN = `version title lang status phase turn step counters trouble halt state revision seq epoch
  holder_host holder_pid holder_start gate updated_at`.split(/\s+/);
/** Columns that stand in an index: writing them writes the index too, also with the value they had. */
const INDEXED = ['ended', 'subject', 'wait_run', 'wait_at'];
const WRITTEN = [...PLAIN, ...INDEXED];

/** `held_at` moves with the epoch (a lease taken in a commit counts as a first heartbeat), the effects with the turn. */
const set = (columns: readonly string[]) => `held_at = iif(epoch = ?, held_at, ?),
  effects = iif(turn = ?, effects, ?), ${columns.map((column) => `${column} = ?`).join(', ')}`;
const GUARD = 'where key = ? and revision = ? and epoch = ? and seq = ?';
const UPDATE = `update runs set ${set(WRITTEN)} ${GUARD}`;
/** The same where no index moves, as in most transitions. */
const UPDATE_PLAIN = `update runs set ${set(PLAIN)}
  ${GUARD} and ${INDEXED.map((column) => `${column} is ?`).join(' and ')}`;

const FIXED = ['id', 'workflow', 'parent', 'parent_key', 'created_at', 'held_at', 'policy', 'effects'];
const INSERT = `insert into runs (${[...WRITTEN, ...FIXED].join(', ')})
  values (${[...WRITTEN, ...FIXED].map(() => '?').join(', ')})`;

/** Writes the row of one change under its guard. Answers with the refusal when the row is no longer what it was. */
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
  { run, events, opened }: Change,
  guard: NonNullable<Change['guard']>,
): Refusal | null {
  const { revision, epoch } = guard;
  const key = c.keyOf(run.id);
  if (key === undefined) return { kind: 'stale', run: run.id };
  const seq = run.seq - events.length;
  const plain = plainValues(run);
  const indexed = indexedValues(run);
  const kept = [run.epoch, run.updated_at, run.turn, effectsText(opened)];
  const guarded = [key, revision, epoch, seq];
  if (c.run(UPDATE_PLAIN, ...kept, ...plain, ...guarded, ...indexed) === 1) return null;
  if (c.run(UPDATE, ...kept, ...plain, ...indexed, ...guarded) === 1) return null;
  const found = c.one<Pick<Run, 'revision' | 'epoch' | 'seq'>>(
    'select revision, epoch, seq from runs where key = ?',
    key,
  );
  if (found?.revision === revision && found.epoch === epoch) {
    throw new InvariantError(`${run.id}: event ${seq + 1} would leave a gap after ${found.seq}`);
  }
  return { kind: 'stale', run: run.id };
}

function insertRow(c: Connection, { run, opened }: Change): null {
  const { id, workflow, parent, parent_key, created_at, updated_at, policy } = run;
  const fixed = [id, workflow, parent, parent_key, created_at, updated_at];
  fixed.push(JSON.stringify(policy), effectsText(opened));
  c.run(INSERT, ...plainValues(run), ...indexedValues(run), ...fixed);
  return null;
}

function plainValues(run: Run): SQLInputValue[] {
  const { holder } = run;
  return [
    run.version,
    run.title,
    run.lang,
    run.status,
    run.phase,
    run.turn,
    JSON.stringify(run.step),
    JSON.stringify(run.counters),
    text(run.trouble),
    text(run.halt),
    JSON.stringify(run.state),
    run.revision,
    run.seq,
    run.epoch,
    holder ? holder.host : null,
    holder ? holder.pid : null,
    holder ? holder.start : null,
    openGateOf(run),
    run.updated_at,
  ];
}

function indexedValues({ status, subject, step }: Run): SQLInputValue[] {
  const until = step.kind === 'wait' ? step.until : null;
  const wait_run = until?.kind === 'run_ended' ? until.run : null;
  return [status === 'ended' ? 1 : 0, subject, wait_run, until?.kind === 'time' ? until.at : null];
}

/** A taken subject is an answer, and so is a taken id: whoever created the run first has it. */
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

/** The log has no gaps and the revision moves: both are what optimistic writing rests on. */
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
