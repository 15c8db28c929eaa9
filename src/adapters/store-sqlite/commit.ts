import type { Signal } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Change, CommitResult } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { writeInbox } from './write-inbox.ts';
import { writeParts } from './write-parts.ts';
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
