import type { DeliverPhase } from '../../contract/deliver.ts';
import type { PhaseDefinition } from '../../engine/workflow.ts';
import { say } from './messages.ts';

const phase = (name: DeliverPhase, order: number, to: readonly DeliverPhase[]): PhaseDefinition => ({
  label: say(`deliver.phase.${name}`),
  order,
  to,
});

/**
 * The state table of the requirement, with `setup` before it. In order, this holds in each phase:
 * setup: the run owns nothing.
 * plan_ready: the subject is claimed. The run prepares its tree, baseline and conventions.
 * planning: the planners work.
 * plan_done: a specification is stored and waits for a person.
 * generate_ready: exactly that specification is approved, and a round begins.
 * generating: an attempt is in progress.
 * generate_done: the change set of the attempt is computed.
 * verify_ready, verifying: a pass of the checks.
 * verify_done: the report is stored. A repair, the evaluation, a person or another pass follows.
 * evaluate_ready, evaluating: the evaluator works.
 * evaluate_done: the verdict is stored.
 * completed: the verdict or a person closed the run. Only finishing remains, and the run stays in this phase.
 */
export const deliverPhases: Readonly<Record<DeliverPhase, PhaseDefinition>> = {
  setup: phase('setup', 0, ['plan_ready']),
  plan_ready: phase('plan_ready', 1, ['planning']),
  planning: phase('planning', 2, ['plan_done']),
  plan_done: phase('plan_done', 3, ['generate_ready']),
  generate_ready: phase('generate_ready', 4, ['generating']),
  generating: phase('generating', 5, ['generate_done']),
  generate_done: phase('generate_done', 6, ['verify_ready']),
  verify_ready: phase('verify_ready', 7, ['verifying']),
  verifying: phase('verifying', 8, ['verify_done']),
  verify_done: phase('verify_done', 9, ['evaluate_ready', 'generating', 'verifying']),
  evaluate_ready: phase('evaluate_ready', 10, ['evaluating']),
  evaluating: phase('evaluating', 11, ['evaluate_done']),
  evaluate_done: phase('evaluate_done', 12, ['generating', 'generate_ready', 'completed']),
  completed: phase('completed', 13, []),
};

/** At or after a phase, in the order of one round. */
export function isFrom(present: DeliverPhase, from: DeliverPhase): boolean {
  return deliverPhases[present].order >= deliverPhases[from].order;
}
