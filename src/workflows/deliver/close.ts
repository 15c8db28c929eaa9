import type { DeliverState } from '../../contract/deliver.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { closedEvidence } from './evidence.ts';
import { oldFailures } from './layer1.ts';
import { say } from './messages.ts';
import { go, notice } from './moves.ts';

type Reason = NonNullable<DeliverState['verdict']['completion_reason']>;

/** Closes the run with its reason and its evidence. Only finishing remains. */
export function closeRun(
  state: DeliverState,
  at: Instant,
  reason: Reason,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const told = say('deliver.notice.closed', { reason });
  return go(state, at, { verdict: { completion_reason: reason }, phase: 'completed' }, [
    ...records,
    { kind: 'entry', name: 'evidence', data: closedEvidence(state, reason) },
    notice(told, reason === 'qa_pass' ? 'info' : 'warning'),
  ]);
}

/** Only `qa_pass` counts as passed (WF-68), and only while the change is the one that was judged. */
export function endRun(state: DeliverState, at: Instant, records: readonly MoveRecord[]): Move<DeliverState> {
  const reason = state.verdict.completion_reason ?? 'max_rounds';
  const passed = state.verdict.altered ? 'altered' : 'passed';
  const result = reason === 'qa_pass' ? passed : reason;
  const ended = {
    result,
    why: say('deliver.end.closed', { reason: result, old: oldFailures(state.checks.report) }),
    successor: null,
  } as const;
  return go(state, at, { ended }, records);
}

/** Without git, a commit is not possible. The run reports where its documents are and ends (WF-70). */
export function endWithoutGit(state: DeliverState, at: Instant): Move<DeliverState> {
  return endRun(state, at, [notice(say('deliver.notice.no_git', { path: state.docs_path }))]);
}
