import type { Move } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { SpecState } from '../../contract/spec.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Rejection } from '../../engine/rejection.ts';
import { settleConventions } from '../kit/conventions.ts';
import { answered, stepName, worked } from '../kit/settle-step.ts';
import type { AnalystTable } from './analysts.ts';
import { draftReady } from './drafts.ts';
import { go, notice } from './moves.ts';
import { conventionScope } from './next.ts';
import { onAnalysts, onAnalystsGate } from './settle-analysts.ts';
import { onCritic, onCriticGate } from './settle-critic.ts';
import { onMode, onModel, onModelConfirm } from './settle-mode.ts';
import { onInterviewer, onQuestions, onRoundsUsed } from './settle-questions.ts';
import { onCollision, onRouting, onSession, onSetupQuery } from './settle-setup.ts';
import { onApproval, onDocuments, onNextStep, onQaComplete, onWriter } from './settle-spec.ts';
import { onSynthesis } from './settle-synthesis.ts';

type OnOutcome = (state: SpecState, outcome: Outcome, about: About) => Move<SpecState> | Rejection;
type About = { readonly step: Step; readonly analysts: number };

/** Applies an outcome to the state. Total for effects. A Rejection is only possible for an answer that does not fit. */
export function settle(
  state: SpecState,
  step: Step,
  outcome: Outcome,
  analysts: AnalystTable,
): Move<SpecState> | Rejection {
  if (state.ended) return go(state, outcome.at, {});
  const name = stepName(step, (work) => nameOfWork(work, analysts));
  const settleStep = BY_STEP[name];
  if (!settleStep) throw new InvariantError(`nothing settles the step '${name}'`);
  // A migrated run searches for its conventions first. A step that ran meanwhile is repeated afterwards (SP-04).
  const early = state.convention_stage && settleStep !== convention && step.kind !== 'workspace';
  if (early) return go(state, outcome.at, {});
  return settleStep(state, outcome, { step, analysts: Object.keys(analysts).length });
}

/** One function per gate, query, role and write. The key is the name that the step carries. */
const BY_STEP: Readonly<Record<string, OnOutcome>> = {
  'gate session': answered(onSession),
  'gate routing': answered(onRouting),
  'gate slug_collision': answered(onCollision),
  'gate mode': answered(onMode),
  'gate model': answered(onModel),
  'gate model_confirm': answered(onModelConfirm),
  'gate conventions': convention,
  'gate candidates': convention,
  'gate questions': answered(onQuestions),
  'gate analysts': answered(onAnalystsGate),
  'gate critic': answered(onCriticGate),
  'gate approval': answered(onApproval),
  'gate next_step': answered(onNextStep),
  'query setup': onSetupQuery,
  'query conventions': convention,
  'work convention_scanner': convention,
  'work interviewer': worked(onInterviewer),
  'work writer': worked(onWriter),
  'work analysts': (state, outcome, { step }) => onAnalysts(state, outcome, step),
  'work synthesis': worked(onSynthesis),
  'work critic': worked(onCritic),
  'pass qa_active': (state, { at }) => onRoundsUsed(state, at),
  'pass qa_complete': (state, { at }, { analysts }) => onQaComplete(state, at, analysts),
  'pass critic_complete': (state, { at }) => draftReady(state, at, {}),
  'workspace write_documents': onDocuments,
};

/** All analysts share one name, so that their number does not matter. */
function nameOfWork(step: Extract<Step, { kind: 'work' }>, analysts: AnalystTable): string {
  const role = step.calls[0]?.role;
  if (role === undefined) return `pass ${step.during}`;
  return Object.hasOwn(analysts, role) ? 'work analysts' : `work ${role}`;
}

/** The shared convention step in this workflow. One move sets `conventions` and the next phase. */
function convention(state: SpecState, outcome: Outcome): Move<SpecState> {
  const stage = state.convention_stage;
  if (!stage) throw new InvariantError('a convention outcome outside of the convention step');
  const move = settleConventions(stage, conventionScope(state), outcome);
  if (move.to === 'halt') {
    const records = [...move.records, notice(move.why, 'warning')];
    return go(state, outcome.at, { halted: { why: move.why } }, records);
  }
  // A second check replaces conventions that it finds again. It never repeats a question that was decided (SP-50).
  const found = move.to === 'set' && move.conventions !== 'skipped';
  if (state.conventions && !found) return go(state, outcome.at, { convention_stage: null });
  if (move.to === 'stage') return go(state, outcome.at, { convention_stage: move.stage }, move.records);
  return go(state, outcome.at, afterConventions(state, move.conventions), move.records);
}

/** A run from a later phase returns to that phase. `qa_round` starts at 1 only if it is absent (SP-30). */
function afterConventions(
  state: SpecState,
  conventions: NonNullable<SpecState['conventions']>,
): Partial<SpecState> {
  const done = { conventions, convention_stage: null };
  if (state.phase !== 'convention_scan_active') return done;
  return { ...done, phase: 'qa_active', qa_round: state.qa_round ?? 1 };
}
