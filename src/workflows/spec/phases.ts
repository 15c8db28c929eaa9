import type { SpecPhase } from '../../contract/spec.ts';
import type { PhaseDefinition } from '../../engine/workflow.ts';
import { say } from './messages.ts';

const phase = (name: SpecPhase, order: number, to: readonly SpecPhase[]): PhaseDefinition => ({
  label: say(`spec.phase.${name}`),
  order,
  to,
});

/**
 * The state table of the requirement, including deep mode. In order, this holds in each phase:
 * setup: the run owns nothing.
 * convention_scan_active: the subject is claimed, and conventions are unset.
 * qa_active: a round of questions is open.
 * qa_complete: the notes are complete, and no worker is called yet.
 * gen_ready: the analyses of deep mode and a draft are being written.
 * critic_active, re_synthesis_active, re_critic_active: deep mode reviews the draft, and revises it once at most.
 * critic_complete: the review is over, and the draft continues to approval.
 * critic_halted: the review or the revision stopped. The run waits for reopen, restart or abandon.
 * spec_ready: the approval gate, then the writing of documents.
 * completed: a person approved and the documents are written. The next-step gate stays open until a person answers.
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
