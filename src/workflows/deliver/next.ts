import type { DeliverPhase, DeliverState } from '../../contract/deliver.ts';
import { isStepName } from '../../contract/deliver-invocation.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type ConventionScope, conventionStep } from '../kit/conventions.ts';
import { isRepairDue } from './advance.ts';
import { applyStep, proposerStep } from './autofix.ts';
import { autofixGate, commitGate, qaGate, specGate, verifyGate } from './briefs.ts';
import { pass, work } from './calls.ts';
import { checkStep } from './checks.ts';
import { writeDocuments } from './documents.ts';
import { evaluateStep } from './evaluate.ts';
import { finishStep } from './finish.ts';
import { changeSetQuery, generateStep } from './generate.ts';
import { nextCommand } from './halts.ts';
import { branchOf, hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { tierOf } from './models.ts';
import { planStep, synthesis } from './plan.ts';
import { prepareStep } from './prepare.ts';
import { isApproved } from './settle-spec.ts';
import { conflictGate, modeGate, modelGate, sessionGate } from './setup-briefs.ts';
import { ruleOf } from './verdict.ts';
import { wipeStep } from './wipe.ts';

/** Commands that a waiting run accepts. The step that is due comes first, if there is one. */
function commandsOf(state: DeliverState): readonly string[] {
  const due = nextCommand(state);
  const again = state.ticket === null ? ['restart'] : [];
  return [...(isStepName(due) ? [due] : []), 'resume', ...again, 'abandon'];
}

/** Returns the next step of the run. Total and pure: called again while the step runs, it returns the same step. */
export function next(state: DeliverState): Step {
  const { ended, halted } = state;
  if (ended) {
    const { result, why, successor } = ended;
    return { kind: 'end', outcome: { result, ...(why ? { why } : {}), ...(successor ? { successor } : {}) } };
  }
  if (halted) {
    const idle = halted.kind === 'style' && ({ idle: 'style' } as const);
    return {
      kind: 'wait',
      until: { kind: 'command', commands: commandsOf(state), why: halted.why, ...idle },
    };
  }
  if (state.wipe) return wipeStep(state, state.wipe);
  if (state.docs_due) return writeDocuments(state);
  if (state.convention_stage) {
    return conventionStep(state.convention_stage, conventionScope(state), state.phase);
  }
  return STEPS[state.phase](state);
}

const STEPS: Readonly<Record<DeliverPhase, (state: DeliverState) => Step>> = {
  setup: setupStep,
  plan_ready: (state) => (state.prepare ? prepareStep(state, state.prepare) : pass(state)),
  planning: (state) => (state.conventions ? planStep(state) : pass(state)),
  plan_done: (state) => (state.ticket === null ? specStep(state) : approvedStep(state)),
  generate_ready: approvedStep,
  generating: (state) => (isApproved(state) && !state.revising ? generateStep(state) : specStep(state)),
  generate_done: pass,
  verify_ready: (state) => (state.pass_due ? changeSetQuery(state) : pass(state)),
  verifying: checkStep,
  verify_done: verifiedStep,
  evaluate_ready: pass,
  evaluating: evaluateStep,
  evaluate_done: (state) => {
    const { qa, verify, round } = state;
    const asks = qa && ruleOf(qa.verdict, verify.layer2_retries, round) === 3;
    return asks ? { kind: 'gate', gate: qaGate(state) } : pass(state);
  },
  completed: (state) => {
    if (state.finish) return finishStep(state, state.finish);
    if (state.pass_due) return changeSetQuery(state);
    return state.has_git ? { kind: 'gate', gate: commitGate(state) } : pass(state);
  },
};

/**
 * Input of the shared convention step. If no conventions are found, the step always asks, except in a ticket's build
 * (WF-35).
 */
export function conventionScope(state: DeliverState): ConventionScope {
  const { task, user_lang, model_config, ticket } = state;
  const tier = tierOf('convention_scanner', model_config);
  const only = { has_git: ticket === null, claude_md: true, reference: null, reference_hash: null } as const;
  return { task, lang: user_lang, ...only, tier };
}

function setupStep(state: DeliverState): Step {
  const { setup, slug, docs_path } = state;
  if (!setup) throw new InvariantError('phase setup without its working part');
  switch (setup.stage) {
    case 'session':
      return { kind: 'gate', gate: sessionGate(state, setup) };
    case 'session_conflict':
      return { kind: 'gate', gate: conflictGate(setup) };
    case 'replacing': {
      const run = setup.other?.run ?? '';
      return {
        kind: 'wait',
        until: { kind: 'run_ended', run, why: say('deliver.session.waiting', { run }) },
      };
    }
    case 'mode':
      return { kind: 'gate', gate: modeGate(setup) };
    case 'model':
      return { kind: 'gate', gate: modelGate(state, setup) };
    case 'looking': {
      const branch = hasOwnTree(state) ? branchOf(state) : null;
      return { kind: 'query', during: 'setup', what: { what: 'setup', input: { slug, docs_path, branch } } };
    }
  }
}

/** With an approved specification the run continues. Otherwise the specification comes first. */
function approvedStep(state: DeliverState): Step {
  return isApproved(state) && !state.revising ? pass(state) : specStep(state);
}

/** One worker applies a requested change. After that, and at first, a person is asked (WF-43). */
function specStep(state: DeliverState): Step {
  if (state.revising) return work(state, [synthesis(state)]);
  return { kind: 'gate', gate: specGate(state) };
}

/** The order of WF-27: an open proposal, an accepted patch, a due pass, then the result. */
function verifiedStep(state: DeliverState): Step {
  const { autofix, verify, waiver } = state;
  if (autofix?.applied === 'proposed') {
    return state.proposal ? { kind: 'gate', gate: autofixGate(state) } : proposerStep(state);
  }
  if (autofix?.applied === 'accepted') return applyStep(state);
  if (state.pass_due) return changeSetQuery(state);
  if (verify.layer1_result === 'PASS' || waiver) return pass(state);
  return isRepairDue(state) ? pass(state) : { kind: 'gate', gate: verifyGate(state) };
}
