import type { Msg } from '../../contract/brief.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { CallOutcome } from '../../contract/outcome.ts';
import type { Step, WorkerCall } from '../../contract/step.ts';
import { say } from './messages.ts';
import { notice, oneLine } from './moves.ts';

/** The calls of a worker step. Empty for any other step. */
export function callsOf(step: Step): readonly WorkerCall[] {
  return step.kind === 'work' ? step.calls : [];
}

/** A worker's role and its one line (WF-88). The line is shown and stored, but never parsed (WF-07). */
export function workerLine(role: string, ended: CallOutcome | undefined): MoveRecord {
  if (ended?.kind === 'ok') {
    const line = oneLine(ended.line ?? '', 200);
    return notice(
      line === ''
        ? say('deliver.notice.worker_done', { role })
        : say('deliver.notice.worker', { role, line }),
      'info',
      'call',
    );
  }
  const attempts = ended?.attempts ?? 0;
  const reason = ended?.kind ?? 'dispatch_failed';
  return notice(say('deliver.notice.worker_failed', { role, attempts, reason }), 'warning', 'outcome');
}

/** Why a worker step halted: the roles without a valid result. */
export function workersFailed(calls: readonly CallOutcome[], roles: readonly string[]): Msg {
  const failed = roles.filter((_, index) => calls[index]?.kind !== 'ok');
  return say('deliver.halt.workers', { roles: failed.join(', '), n: failed.length });
}
