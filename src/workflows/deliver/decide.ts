import type { DeliverChanges, DeliverPhase, DeliverState } from '../../contract/deliver.ts';
import { isStepName } from '../../contract/deliver-invocation.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { end, follow, pass, wait } from '../../engine/decide.ts';
import { type ConventionMove, type ConventionScope, decideConventions } from '../kit/conventions.ts';
import { isHaltDue } from './due-documents.ts';
import { evaluate, judged } from './evaluate.ts';
import { finish } from './finish.ts';
import { beginRound, generate } from './generate.ts';
import { haltForStyle, nextCommand } from './halts.ts';
import { tierOf } from './models.ts';
import { go, haltFailed, type Next } from './moves.ts';
import { approveSpec, isReadyToBuild, plan } from './plan.ts';
import { prepare } from './prepare.ts';
import { setup } from './setup.ts';
import { runPass, verified, verify } from './verify.ts';
import { wipe } from './wipe.ts';
import { writeDocuments } from './write-documents.ts';

/** What the run does now, and what follows. Total and pure: called again while the step runs, the step is the same. */
export function decide(state: DeliverState): Next {
  const { ended, halted, convention_stage } = state;
  if (ended) {
    const { result, why, successor } = ended;
    return end({ result, ...(why ? { why } : {}), ...(successor ? { successor } : {}) });
  }
  if (halted) {
    const idle = halted.kind === 'style' && ({ idle: 'style' } as const);
    return wait({ kind: 'command', commands: commandsOf(state), why: halted.why, ...idle });
  }
  if (state.wipe) return wipe(state, state.wipe);
  if (state.documents === 'due') return writeDocuments(state);
  if (convention_stage) {
    const decision = decideConventions(convention_stage, conventionScope(state));
    return follow(decision, (move, at) => afterConventions(state, move, at));
  }
  if (isHaltDue(state)) return pass((at) => haltForStyle(state, at));
  return PHASES[state.phase](state);
}

const PHASES: Readonly<Record<DeliverPhase, (state: DeliverState) => Next>> = {
  setup,
  plan_ready: prepare,
  planning: plan,
  plan_done: (state) =>
    // A person approves by an answer, and that answer leaves this phase. A ticket has approved before.
    state.ticket !== null && isReadyToBuild(state)
      ? to(state, { phase: 'generate_ready' })
      : approveSpec(state),
  generate_ready: (state) =>
    isReadyToBuild(state) ? pass((at) => beginRound(state, at)) : approveSpec(state),
  generating: (state) => (isReadyToBuild(state) ? generate(state) : approveSpec(state)),
  generate_done: (state) =>
    // A person may have changed the tree while the run waited, so the change set is computed again.
    to(state, { phase: 'verify_ready', checks: { pass_due: state.run_style !== 'auto' } }),
  verify_ready: verify,
  verifying: runPass,
  verify_done: verified,
  evaluate_ready: (state) => to(state, { phase: 'evaluating' }),
  evaluating: evaluate,
  evaluate_done: judged,
  completed: finish,
};

function to(state: DeliverState, changes: DeliverChanges): Next {
  return pass((at) => go(state, at, changes));
}

/** Commands that a waiting run accepts. The step that is due comes first, if there is one. */
function commandsOf(state: DeliverState): readonly string[] {
  const due = nextCommand(state);
  const again = state.ticket === null ? ['restart'] : [];
  return [...(isStepName(due) ? [due] : []), 'resume', ...again, 'abandon'];
}

/**
 * Input of the shared convention step. If no conventions are found, the step always asks, except in a ticket's build
 * (WF-35).
 */
function conventionScope(state: DeliverState): ConventionScope {
  const { task, user_lang, model_config, ticket } = state;
  const tier = tierOf('convention_scanner', model_config);
  const only = { has_git: ticket === null, claude_md: true, reference: null, reference_hash: null } as const;
  return { task, lang: user_lang, ...only, tier };
}

/** One move sets the conventions and the next phase. */
function afterConventions(state: DeliverState, move: ConventionMove, at: Instant): Move<DeliverState> {
  const { records } = move;
  switch (move.to) {
    case 'stage':
      return go(state, at, { convention_stage: move.stage }, records);
    case 'halt':
      return haltFailed({ ...state, convention_stage: { at: 'query' } }, at, move.why, records);
    case 'set': {
      const phase = state.phase === 'plan_ready' ? 'planning' : state.phase;
      return go(state, at, { conventions: move.conventions, convention_stage: null, phase }, records);
    }
  }
}
