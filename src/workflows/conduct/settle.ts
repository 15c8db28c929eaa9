import type { Answer } from '../../contract/answer.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type {
  Clarification,
  Decomposition,
  Design,
  ReleaseDraft,
  Runbook,
  StalePatch,
  TicketPlan,
} from '../../contract/conduct-work.ts';
import type { CallOutcome, Failure, Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import type { Judgement } from '../../contract/ticket.ts';
import { InvariantError } from '../../engine/errors.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { onHop } from './accept.ts';
import { onPullRequest, onPullRequestFailed, startBuild } from './build.ts';
import { rollUp } from './children.ts';
import { onClarified, onDecomposed, onDesigned, onPatched, onPlanned } from './drafts.ts';
import type { ConductGate } from './gates.ts';
import { actorOf, go, inTrouble, isPerson, type Next } from './moves.ts';
import { next } from './next.ts';
import {
  onChecksWaited,
  onDeployed,
  onDeployedLate,
  onDeployFailed,
  onHostQueried,
  onMerged,
  onMergedLate,
  onMergeFailed,
  onReleaseDrafted,
} from './release.ts';
import { ON_ANSWER } from './resolve.ts';
import { flagUnproven } from './unproven.ts';
import { onObserved, onRunbook } from './verify.ts';
import { faultOf } from './worker-end.ts';

/** Applies the outcome of a step. It accepts every outcome of an effect. It can refuse only an answer. */
export function settle(state: ConductState, step: Step, outcome: Outcome): Next | Rejection {
  switch (outcome.kind) {
    case 'answered':
      return step.kind === 'gate'
        ? onAnswered(state, step.gate.name as ConductGate, outcome.answer)
        : reject('wrong_moment');
    case 'worked':
      return onWorked(state, step, outcome);
    case 'queried':
      return onQueried(state, step, outcome.found, outcome.at);
    case 'written':
      return isLate(state, step)
        ? onLate(state, step, outcome.result)
        : onWritten(state, step, outcome.result, outcome.at);
    case 'failed':
      return isLate(state, step)
        ? onLate(state, step, outcome.failure)
        : onFailed(state, step, outcome.failure, outcome.at);
    case 'woken':
      return onChecksWaited(state);
    case 'checked':
      throw new InvariantError(`${state.run}: a ticket runs no checks of its own`);
  }
}

const TAKES_OVER: readonly string[] = ['accept', 'edit'];

/** A person who accepts or edits has seen the change without proof, so its flag is cleared (CON-116). */
function onAnswered(state: ConductState, gate: ConductGate, answer: Answer): Next | Rejection {
  const move = ON_ANSWER[gate](state, answer);
  if (isRejection(move)) return move;
  return isPerson(actorOf(answer.by)) && TAKES_OVER.includes(answer.option)
    ? flagUnproven(state, move, null)
    : move;
}

/** A step without a call does what needs no worker: the next edge, the start of the build, or the roll-up. */
function onWorked(
  state: ConductState,
  step: Step,
  { calls, at }: Extract<Outcome, { kind: 'worked' }>,
): Next {
  const [outcome] = calls;
  if (!outcome)
    return state.hops.length > 0
      ? onHop(state, at)
      : state.building === 'start'
        ? startBuild(state)
        : rollUp(state, at);
  const role = step.kind === 'work' ? (step.calls[0]?.role ?? '') : '';
  if (role === 'escalate_judge') return onJudged(state, outcome);
  if (outcome.kind !== 'ok') return inTrouble(state, faultOf(outcome), role, outcome.detail);
  const on = RESULTS[role];
  if (!on) throw new InvariantError(`${state.run}: no worker '${role}'`);
  return on(state, outcome.result);
}

const RESULTS: Readonly<Record<string, (state: ConductState, result: unknown) => Next>> = {
  clarify: (state, result) => onClarified(state, result as Clarification),
  decompose: (state, result) => onDecomposed(state, result as Decomposition),
  design: (state, result) => onDesigned(state, result as Design),
  plan: (state, result) => onPlanned(state, result as TicketPlan),
  stale_patch: (state, result) => onPatched(state, result as StalePatch),
  release: (state, result) => onReleaseDrafted(state, result as ReleaseDraft),
  verify: (state, result) => onRunbook(state, result as Runbook),
};

/** A verdict covers one draft of one brief. If the judge fails, the person decides (S5). */
function onJudged(state: ConductState, outcome: CallOutcome): Next {
  const { brief } = state;
  const verdict = outcome.kind === 'ok' ? (outcome.result as Judgement) : null;
  if (!brief) return go(state, { judging: false });
  const judged = { brief: brief.id, iteration: brief.iteration, verdict };
  return go(state, { judging: false, judged }, [
    { kind: 'entry', name: 'judgement', data: { ...judged, reason: brief.reason } },
  ]);
}

function onQueried(state: ConductState, step: Step, found: unknown, at: string): Next {
  const what = step.kind === 'query' ? step.what.what : '';
  switch (what) {
    case 'knowledge':
      return go(state, { knowledge: found as NonNullable<ConductState['knowledge']> });
    case 'host.release':
      return onHostQueried(state, found, at);
    case 'host.observe':
      return onObserved(state, found);
    default:
      throw new InvariantError(`${state.run}: no look '${what}'`);
  }
}

/**
 * A write is never interrupted. If it ends after the ticket was
 * parked, cancelled or went stale, it does not move the ticket.
 */
function isLate(state: ConductState, step: Step): boolean {
  return opOf(next(state)) !== opOf(step);
}

/** Records what a late write did. A late merge or deploy is stored with the release, so that it is not done twice. */
function onLate(state: ConductState, step: Step, result: unknown): Next {
  const op = opOf(step);
  const told = { kind: 'entry', name: 'late', data: { op, result } } as const;
  const after = lateMove(state, op, result);
  return { ...after, records: [told, ...after.records] };
}

function lateMove(state: ConductState, op: string, result: unknown): Next {
  if (op === 'merge' && isMerged(result)) return onMergedLate(state, result);
  return op === 'deploy' && !isFailure(result) ? onDeployedLate(state) : go(state, {});
}

function isFailure(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'retry' in result;
}

function isMerged(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'merged_sha' in result;
}

function onWritten(state: ConductState, step: Step, result: unknown, at: string): Next {
  switch (opOf(step)) {
    case 'open_pull_request':
      return onPullRequest(state, result, at);
    case 'merge':
      return onMerged(state, result);
    default:
      return onDeployed(state, at);
  }
}

function onFailed(state: ConductState, step: Step, failure: Failure, at: string): Next {
  switch (opOf(step)) {
    case 'open_pull_request':
      return onPullRequestFailed(state, failure);
    case 'merge':
      return onMergeFailed(state, failure, at);
    case 'deploy':
      return onDeployFailed(state, failure);
    default:
      return inTrouble(state, 'world', opOf(step), `${failure.detail} (${failure.code})`);
  }
}

function opOf(step: Step): string {
  if (step.kind === 'tracker' || step.kind === 'deploy' || step.kind === 'workspace') return step.op.op;
  return step.kind === 'query' ? step.what.what : step.kind;
}
