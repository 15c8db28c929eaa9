import type { Msg } from '../../contract/brief.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { Ended } from '../../engine/decide.ts';
import { say } from './messages.ts';
import { notice, oneLine } from './moves.ts';

/** A worker's role and its one line (WF-88). The line is shown and stored, but never parsed (WF-07). */
export function workerLine(ended: Ended<unknown>, role = ended.role): MoveRecord {
  if (ended.kind === 'ok') {
    const line = oneLine(ended.line ?? '', 200);
    return notice(
      line === ''
        ? say('deliver.notice.worker_done', { role })
        : say('deliver.notice.worker', { role, line }),
      'info',
      'call',
    );
  }
  const { attempts, kind: reason } = ended;
  return notice(say('deliver.notice.worker_failed', { role, attempts, reason }), 'warning', 'outcome');
}

/** Why a worker step halted: the roles without a valid result. */
export function workersFailed(
  ended: readonly Ended<unknown>[],
  roles: readonly string[] = ended.map(({ role }) => role),
): Msg {
  const failed = roles.filter((_, index) => ended[index]?.kind !== 'ok');
  return say('deliver.halt.workers', { roles: failed.join(', '), n: failed.length });
}
