import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome } from '../../contract/outcome.ts';
import type { Critic, Draft, SpecState } from '../../contract/spec.ts';
import { InvariantError } from '../../engine/errors.ts';
import { draftOf, draftReady, haltGeneration } from './drafts.ts';
import { say } from './messages.ts';
import { go, notice } from './moves.ts';
import { uncited } from './spec-checks.ts';

/** A synthesis ended: the first one of the pass, or its single revision. The phase decides which. */
export function onSynthesis(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  return state.phase === 're_synthesis_active' ? onRevision(state, call, at) : onFirst(state, call, at);
}

/** Only `critic.applied = approved` lets a draft skip the critic (SP-03). */
function onFirst(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  if (call.kind !== 'ok') return haltGeneration(state, call, at);
  const { draft, record } = draftOf(call);
  if (state.critic?.applied === 'approved') return draftReady(state, at, { spec: draft }, [record]);
  const told = notice(say('spec.notice.synthesised', { criteria: draft.criteria }));
  return go(state, at, { phase: 'critic_active', spec: draft }, [record, told]);
}

/**
 * A revision must cite every critical and major finding. If it does not, it is requested once more (SP-42). Ids that
 * are still missing go to the second critic and the gates. If the retry gives no result, the existing revision is used.
 */
function onRevision(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  const { critic, revising } = state;
  if (!critic) throw new InvariantError('a revision without a critic');
  if (call.kind !== 'ok') {
    if (revising) return revised(state, at, { ...revising, records: [] });
    return failed(state, critic, at);
  }
  const { draft, doc, record } = draftOf(call);
  const missing = uncited(doc, requiredIds(critic));
  if (missing.length === 0 || revising) return revised(state, at, { draft, missing, records: [record] });
  const told = notice(say('spec.notice.cite_again', { ids: missing.join(', ') }));
  return go(state, at, { revising: { draft, missing } }, [record, told]);
}

/** Ids count up per severity, so the counts determine all of them. */
function requiredIds({ counts }: Critic): string[] {
  const { critical, major } = counts ?? { critical: 0, major: 0 };
  const ids = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i + 1}`);
  return [...ids('C', critical), ...ids('M', major)];
}

function revised(
  state: SpecState,
  at: Instant,
  { draft, missing, records }: { draft: Draft; missing: string[]; records: readonly MoveRecord[] },
): Move<SpecState> {
  const { critic } = state;
  if (!critic) throw new InvariantError('a revision without a critic');
  const open = notice(say('spec.notice.not_addressed', { ids: missing.join(', ') }), 'warning');
  const changes = {
    phase: 're_critic_active',
    spec: draft,
    revising: null,
    not_addressed: missing,
    critic: { ...critic, applied: 'revised', round: 1 },
  } as const;
  return go(state, at, changes, [
    ...records,
    ...(missing.length > 0 ? [open] : []),
    notice(say('spec.notice.revised', { criteria: draft.criteria })),
  ]);
}

function failed(state: SpecState, critic: Critic, at: Instant): Move<SpecState> {
  const changes = {
    phase: 'critic_halted',
    critic: { ...critic, failure_reason: 're_synthesis_failed' },
  } as const;
  return go(state, at, changes, [
    notice(say('spec.halt.critic', { reason: changes.critic.failure_reason }), 'warning'),
  ]);
}
