import { type ConductState, WORKER_FAULTS, type WorkerFault } from '../../contract/conduct.ts';
import type { CallOutcome } from '../../contract/outcome.ts';
import { TERMINAL_STATES } from '../../contract/ticket.ts';

/** Facts about a worker that has ended: the current row, and our own facts about its process and branch. */
export interface WorkerEnd {
  readonly row: Pick<ConductState, 'phase' | 'brief' | 'round' | 'stale' | 'children'>;
  readonly awaiting: boolean;
  readonly deadline_passed: boolean;
  readonly exit: number | null;
  readonly board_changed: boolean;
  readonly branch_moved: boolean;
}

/** What a worker's end means (CON-21). The first rule that applies decides. The worker's own words are not used. */
export type EndKind = 'wait' | 'complete' | 'stale' | 'torn' | 'advanced' | WorkerFault;

/** True if the end is a fault that a person must see. Otherwise the row decides what happens next. */
export function isFault(end: EndKind): end is WorkerFault {
  return (WORKER_FAULTS as readonly EndKind[]).includes(end);
}

/** States that a worker may reach only with a brief in front of a person (CON-22). */
const NEEDS_BRIEF: readonly ConductState['phase'][] = ['Built', 'Released'];

export function judgeWorkerEnd({ row, ...end }: WorkerEnd): EndKind {
  const rules: readonly (readonly [boolean, EndKind])[] = [
    [end.awaiting, 'wait'],
    [(TERMINAL_STATES as readonly string[]).includes(row.phase), 'complete'],
    [row.phase === 'Decomposed' && row.children.some(({ archived }) => !archived), 'complete'],
    [row.stale !== null, 'stale'],
    [end.deadline_passed, 'worker-timeout'],
    [end.exit !== 0, 'dirty-exit'],
    [end.board_changed && NEEDS_BRIEF.includes(row.phase) && row.brief === null, 'torn'],
    [end.board_changed, 'advanced'],
    [end.branch_moved, 'repo-active-board-silent'],
  ];
  return rules.find(([holds]) => holds)?.[1] ?? 'no-progress';
}

/** The fault of a call without a valid result. Such a call has not changed the board. */
export function faultOf(outcome: Exclude<CallOutcome, { kind: 'ok' }>): WorkerFault {
  const end = judgeWorkerEnd({
    row: { phase: 'Idea', brief: null, round: null, stale: null, children: [] },
    awaiting: false,
    deadline_passed: outcome.cause === 'deadline',
    exit: outcome.kind === 'dispatch_failed' ? null : 0,
    board_changed: false,
    branch_moved: false,
  });
  return isFault(end) ? end : 'no-progress';
}
