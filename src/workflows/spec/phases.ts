import type { SpecPhase, SpecState } from '../../contract/spec.ts';
import { pass, wait } from '../../engine/decide.ts';
import type { PhaseDefinition } from '../../engine/workflow.ts';
import type { AnalystTable } from './analysts.ts';
import { critic } from './critic.ts';
import { haltReason } from './deep-briefs.ts';
import { draftReady } from './drafts.ts';
import { completed, specReady } from './finish.ts';
import { beginPass, generate, revise } from './generate.ts';
import { interview } from './interview.ts';
import { say } from './messages.ts';
import type { Next } from './moves.ts';
import { setup } from './setup.ts';

type Decide = (state: SpecState, analysts: AnalystTable) => Next;

interface SpecPhaseRow extends PhaseDefinition {
  readonly decide: Decide;
}

const phase = (name: SpecPhase, order: number, to: readonly SpecPhase[], decide: Decide): SpecPhaseRow => ({
  label: say(`spec.phase.${name}`),
  order,
  to,
  decide,
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
export const specPhases: Readonly<Record<SpecPhase, SpecPhaseRow>> = {
  setup: phase('setup', 0, ['convention_scan_active'], setup),
  convention_scan_active: phase('convention_scan_active', 1, ['qa_active'], integrity),
  qa_active: phase('qa_active', 2, ['qa_complete'], interview),
  qa_complete: phase('qa_complete', 3, ['gen_ready'], needsConventions(beginPass)),
  gen_ready: phase('gen_ready', 4, ['spec_ready', 'critic_active'], needsConventions(generate)),
  critic_active: phase(
    'critic_active',
    5,
    ['critic_complete', 're_synthesis_active', 'critic_halted'],
    critic,
  ),
  re_synthesis_active: phase('re_synthesis_active', 6, ['re_critic_active', 'critic_halted'], revise),
  re_critic_active: phase('re_critic_active', 7, ['critic_complete', 'critic_halted'], critic),
  critic_complete: phase('critic_complete', 8, ['spec_ready'], (state) =>
    pass((at) => draftReady(state, at, {})),
  ),
  critic_halted: phase('critic_halted', 9, ['qa_active'], (state) =>
    wait({ kind: 'command', commands: ['reopen', 'restart', 'abandon'], why: haltReason(state) }),
  ),
  spec_ready: phase('spec_ready', 10, ['completed', 'qa_complete'], specReady),
  completed: phase('completed', 11, [], completed),
};

/** A run without conventions never calls a worker for its draft (SP-24). */
function needsConventions(decide: Decide): Decide {
  return (state, analysts) => (state.conventions ? decide(state, analysts) : integrity());
}

function integrity(): Next {
  return wait({ kind: 'command', commands: ['resume', 'abandon'], why: say('spec.halt.integrity') });
}
