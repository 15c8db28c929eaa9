import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { SpecState } from '../../contract/spec.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { settleConventions } from '../common/conventions.ts';
import { go, notice } from './moves.ts';
import { conventionScope } from './next.ts';
import { onInterviewer, onQuestions } from './settle-questions.ts';
import { onCollision, onRouting, onSession, onSetupLook } from './settle-setup.ts';
import { onApproval, onDocuments, onQaComplete, onWriter } from './settle-spec.ts';

type OnOutcome = (state: SpecState, outcome: Outcome) => Move<SpecState> | Rejection;
type OnOption = (state: SpecState, answer: Answer) => Move<SpecState>;

/** What an outcome makes of the state. Total for effects; a Rejection is only for an answer that does not fit. */
export function settle(state: SpecState, step: Step, outcome: Outcome): Move<SpecState> | Rejection {
  if (state.ended) return go(state, outcome.at, {});
  const settleStep = BY_STEP[nameOf(step)];
  if (!settleStep) throw new InvariantError(`nothing settles the step '${nameOf(step)}'`);
  return settleStep(state, outcome);
}

/** One function per gate, look, role and write; the name is the one the step carries. */
const BY_STEP: Readonly<Record<string, OnOutcome>> = {
  'gate session': answered(onSession),
  'gate routing': answered(onRouting),
  'gate slug_collision': answered(onCollision),
  'gate conventions': convention,
  'gate candidates': convention,
  'gate questions': answered(onQuestions),
  'gate approval': answered(onApproval),
  'look setup': onSetupLook,
  'look conventions': convention,
  'work convention_scanner': convention,
  'work interviewer': worked(onInterviewer),
  'work ': onQaComplete,
  'work writer': worked(onWriter),
  'workspace write_documents': onDocuments,
};

function nameOf(step: Step): string {
  switch (step.kind) {
    case 'gate':
      return `gate ${step.gate.name}`;
    case 'work':
      return `work ${step.calls.map(({ role }) => role).join('+')}`;
    case 'look':
      return `look ${step.what.what}`;
    case 'workspace':
      return `workspace ${step.op.op}`;
    default:
      return step.kind;
  }
}

function answered(options: Readonly<Record<string, OnOption>>): OnOutcome {
  return (state, outcome) => {
    if (outcome.kind !== 'answered') throw new InvariantError(`a gate gave '${outcome.kind}'`);
    const { option } = outcome.answer;
    const choose = Object.hasOwn(options, option) ? options[option] : undefined;
    const args = { gate: outcome.answer.gate, option, allowed: Object.keys(options).join(', ') };
    return choose ? choose(state, outcome.answer) : reject('no_such_option', args);
  };
}

function worked(on: (state: SpecState, call: CallOutcome, at: Instant) => Move<SpecState>): OnOutcome {
  return (state, outcome) => {
    const call = outcome.kind === 'worked' ? outcome.calls[0] : undefined;
    if (!call) throw new InvariantError(`a worker step gave '${outcome.kind}' without a call`);
    return on(state, call, outcome.at);
  };
}

/** The shared convention step inside this workflow: `conventions` and the phase after it are set in one move. */
function convention(state: SpecState, outcome: Outcome): Move<SpecState> {
  const stage = state.convention_stage;
  if (!stage) throw new InvariantError('a convention outcome outside of the convention step');
  const move = settleConventions(stage, conventionScope(state), outcome);
  switch (move.to) {
    case 'stage':
      return go(state, outcome.at, { convention_stage: move.stage }, move.records);
    case 'halt':
      return go(state, outcome.at, { halted: { why: move.why } }, [
        ...move.records,
        notice(move.why, 'warning'),
      ]);
    case 'set':
      return go(state, outcome.at, afterConventions(state, move.conventions), move.records);
  }
}

/** A run that comes from a later phase goes back to it; `qa_round` starts at 1 only when absent (SP-30). */
function afterConventions(
  state: SpecState,
  conventions: NonNullable<SpecState['conventions']>,
): Partial<SpecState> {
  const done = { conventions, convention_stage: null };
  if (state.phase !== 'convention_scan_active') return done;
  return { ...done, phase: 'qa_active', qa_round: state.qa_round ?? 1 };
}
