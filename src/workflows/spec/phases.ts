import type { SpecPhase } from '../../contract/spec.ts';
import type { PhaseDefinition } from '../../engine/workflow.ts';
import { say } from './messages.ts';

const phase = (name: SpecPhase, order: number, to: readonly SpecPhase[]): PhaseDefinition => ({
  label: say(`spec.phase.${name}`),
  order,
  to,
});

/**
 * The state table of the requirement, deep mode included. What is true in each phase and what leaves it:
 * setup: the run owns nothing. convention_scan_active: the subject is claimed, conventions unset. qa_active: a round
 * is open. qa_complete: notes complete, nothing dispatched. gen_ready: a draft is being written. spec_ready: the
 * approval gate, then the writing of documents. completed: a person approved and the documents stand; what comes
 * next is asked until somebody answers.
 */
export const specPhases: Readonly<Record<SpecPhase, PhaseDefinition>> = {
  setup: phase('setup', 0, ['convention_scan_active']),
  convention_scan_active: phase('convention_scan_active', 1, ['qa_active']),
  qa_active: phase('qa_active', 2, ['qa_complete']),
  qa_complete: phase('qa_complete', 3, ['gen_ready']),
  gen_ready: phase('gen_ready', 4, ['spec_ready', 'critic_active']),
  critic_active: phase('critic_active', 5, ['critic_complete', 're_synthesis_active', 'critic_halted']),
  re_synthesis_active: phase('re_synthesis_active', 6, ['re_critic_active', 'critic_halted']),
  re_critic_active: phase('re_critic_active', 7, ['critic_complete', 'critic_halted']),
  critic_complete: phase('critic_complete', 8, ['spec_ready']),
  critic_halted: phase('critic_halted', 9, ['qa_active']),
  spec_ready: phase('spec_ready', 10, ['completed', 'qa_complete']),
  completed: phase('completed', 11, []),
};
