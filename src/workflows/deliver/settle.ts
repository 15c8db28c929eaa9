import type { DeliverState } from '../../contract/deliver.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Rejection } from '../../engine/rejection.ts';
import { settleConventions } from '../kit/conventions.ts';
import { answered, stepName, worked } from '../kit/settle-step.ts';
import { advance } from './advance.ts';
import { onApplied, onAutofixGate, onProposal } from './autofix.ts';
import { onEvaluation, onQaGate } from './evaluate.ts';
import { onCleanedUp, onCommitGate, onCommitted, onCompared, onPatchSaved, onPublished } from './finish.ts';
import { onBaseTaken, onChangeSet, onImplementation, onLeadDeveloper, onReviews } from './generate.ts';
import { go, haltFailed, worldFailed } from './moves.ts';
import { conventionScope } from './next.ts';
import { onCritiques, onProposals, onSpec } from './plan.ts';
import { onBaseline, onHandover, onInstalled, onProject, onTreeOpened } from './prepare.ts';
import { onConflict, onMode, onModel, onSession, onSetupQuery } from './settle-setup.ts';
import { onSpecGate } from './settle-spec.ts';
import { onPass, onVerifyGate } from './verify.ts';
import { onOutputBase, onWiped, onWipeGate } from './wipe.ts';

type OnOutcome = (state: DeliverState, outcome: Outcome, step: Step) => Move<DeliverState> | Rejection;

/** Applies an outcome to the state. Total for effects. A Rejection is only possible for an answer that does not fit. */
export function settle(state: DeliverState, step: Step, outcome: Outcome): Move<DeliverState> | Rejection {
  if (state.ended) return go(state, outcome.at, {});
  const name = stepName(step, nameOfWork);
  const settleStep = BY_STEP[name];
  if (!settleStep) throw new InvariantError(`nothing settles the step '${name}'`);
  return settleStep(state, outcome, step);
}

/** One function per gate, query, role and write. The key is the name that the step carries. */
const BY_STEP: Readonly<Record<string, OnOutcome>> = {
  'gate session': answered(onSession),
  'gate session_conflict': answered(onConflict),
  'gate mode': answered(onMode),
  'gate model': answered(onModel),
  'gate conventions': convention,
  'gate candidates': convention,
  'gate spec': answered(onSpecGate),
  'gate verify': answered(onVerifyGate),
  'gate auto_fix': answered(onAutofixGate),
  'gate qa': answered(onQaGate),
  'gate commit': answered(onCommitGate),
  'gate wipe': answered(onWipeGate),
  'query setup': onSetupQuery,
  'query project': onProject,
  'query handover': onHandover,
  'query conventions': convention,
  'query change_set': onChangeSet,
  'query output_base': onOutputBase,
  'query content': onCompared,
  check: (state, outcome) => {
    if (state.prepare === 'install') return onInstalled(state, outcome);
    return state.prepare ? onBaseline(state, outcome) : onPass(state, outcome);
  },
  'work ': (state, outcome) => passed(state, outcome.at),
  'work convention_scanner': convention,
  'work planner_single': worked((state, call, at) => onSpec(state, 'planner_single', call, at)),
  'work synthesis': worked((state, call, at) => onSpec(state, 'synthesis', call, at)),
  'work architect': proposals,
  'work senior_dev': proposals,
  'work qa_specialist': proposals,
  'work cross_critique': (state, outcome, step) => onCritiques(state, step, outcome),
  'work lead_developer': worked(onLeadDeveloper),
  'work advisor_combined': reviews,
  'work advisor_code_quality': reviews,
  'work advisor_test_stability': reviews,
  'work implementation': worked((state, call, at) => onImplementation(state, 'implementation', call, at)),
  'work generator_single': worked((state, call, at) => onImplementation(state, 'generator_single', call, at)),
  'work auto_fix_proposer': worked(onProposal),
  'work evaluator': worked(onEvaluation),
  'workspace open_tree': onTreeOpened,
  'workspace take_base': onBaseTaken,
  'workspace write_documents': onDocuments,
  'workspace apply_patch': onApplied,
  'workspace commit': onCommitted,
  'workspace publish': onPublished,
  'workspace clean_up': onCleanedUp,
  'workspace save_patch': onPatchSaved,
  'workspace wipe_base': onWiped,
};

/** The first role names a group of workers, because the calls of one step always belong to one group. */
function nameOfWork({ calls }: Extract<Step, { kind: 'work' }>): string {
  return `work ${calls[0]?.role ?? ''}`;
}

function proposals(state: DeliverState, outcome: Outcome, step: Step): Move<DeliverState> {
  return onProposals(state, step, outcome);
}

function reviews(state: DeliverState, outcome: Outcome, step: Step): Move<DeliverState> {
  return onReviews(state, step, outcome);
}

/** A step without a call advances the run. Missing conventions are searched for first (WF-34). */
function passed(state: DeliverState, at: Instant): Move<DeliverState> {
  const unset = state.conventions === null && (state.phase === 'plan_ready' || state.phase === 'planning');
  return unset ? go(state, at, { convention_stage: { at: 'query' } }) : advance(state, at);
}

/** The documents of the phase are written, so the run may advance. */
function onDocuments(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'write_documents', outcome.failure);
  return advance({ ...state, docs_due: false }, at);
}

/** The shared convention step. One move sets the value and the next phase. */
function convention(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const stage = state.convention_stage;
  if (!stage) throw new InvariantError('a convention outcome outside of the convention step');
  const move = settleConventions(stage, conventionScope(state), outcome);
  switch (move.to) {
    case 'stage':
      return go(state, outcome.at, { convention_stage: move.stage }, move.records);
    case 'halt':
      return haltFailed({ ...state, convention_stage: { at: 'query' } }, outcome.at, move.why, move.records);
    case 'set': {
      const phase = state.phase === 'plan_ready' ? 'planning' : state.phase;
      return go(
        state,
        outcome.at,
        { conventions: move.conventions, convention_stage: null, phase },
        move.records,
      );
    }
  }
}
