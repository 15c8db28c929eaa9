import type { AnsweredBy } from '../../contract/answer.ts';
import type { Hash, Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import {
  type Critic,
  type Draft,
  FINDINGS_SHOWN,
  type FindingCounts,
  type SpecState,
} from '../../contract/spec.ts';
import { type CriticItem, type CriticResult, SEVERITIES } from '../../contract/spec-analysis.ts';
import { cutText } from '../../engine/cut-text.ts';
import { type Ended, type EndedFailed, gate, work } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { criticGate } from './deep-briefs.ts';
import { criticCall } from './deep-calls.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { go, languageAfter, type Next, nameOf, notice } from './moves.ts';
import { NEW_CRITIC } from './pass.ts';

/** The first or second review of a draft, then the gate for its findings. */
export function critic(state: SpecState): Next {
  const { spec, critic_gate } = state;
  if (!spec) throw new InvariantError('a critic without a specification');
  if (critic_gate) return askAboutReview(state, spec, critic_gate);
  return work([criticCall(state, spec)], ([call], at) => onCritic(state, call, at));
}

/** The branch depends only on the counts computed here (INV-10). */
function onCritic(state: SpecState, call: Ended<CriticResult>, at: Instant): Move<SpecState> {
  const critic = state.critic ?? NEW_CRITIC;
  if (call.kind !== 'ok') {
    return call.kind === 'dispatch_failed'
      ? noReview(state, critic, call.attempts, at)
      : unreadable(state, critic, call, at);
  }
  const { items } = call.result;
  const counts = countItems(items);
  const seen = { ...critic, last_findings_path: call.artefact, counts };
  const records = [findings(call.artefact), notice(say('spec.notice.critic', counts))];
  const findings_shown = toShown(items);
  if (counts.critical + counts.major === 0) {
    const changes = {
      findings_shown,
      critic: { ...seen, applied: 'approved' },
      phase: 'critic_complete',
    } as const;
    const rule = { round: critic.round, counts };
    return go(state, at, changes, [
      ...records,
      { kind: 'decision', name: 'critic_clean', data: rule, by_rule: 'SP-47' },
    ]);
  }
  return go(state, at, { findings_shown, critic: seen, critic_gate: 'findings' }, records);
}

/** Counts come from the items. Counts that the critic declares are ignored (SP-43). */
function countItems(items: readonly Pick<CriticItem, 'severity'>[]): FindingCounts {
  const of = (severity: CriticItem['severity']) => items.filter((item) => item.severity === severity).length;
  return { critical: of('Critical'), major: of('Major'), minor: of('Minor') };
}

/** The most severe first, so that a gate leaves out only the least severe. */
function toShown(items: readonly CriticItem[]): SpecState['findings_shown'] {
  return SEVERITIES.flatMap((severity) => items.filter((item) => item.severity === severity))
    .slice(0, FINDINGS_SHOWN.count)
    .map(({ id, title }) => ({ id, title: cutText(title, FINDINGS_SHOWN.characters) }));
}

function findings(hash: Hash): MoveRecord {
  return { kind: 'artefact', name: 'critic_findings', hash };
}

/** The critic gave no result. The draft goes to the approval gate, which says that it was not reviewed (SP-45). */
function noReview(state: SpecState, critic: Critic, attempts: number, at: Instant): Move<SpecState> {
  const changes = {
    phase: 'critic_complete',
    findings_shown: [],
    critic: {
      ...critic,
      applied: 'approved',
      failure_reason: 'dispatch_failed',
      last_findings_path: null,
      counts: null,
    },
  } satisfies Partial<SpecState>;
  return go(state, at, changes, [
    { kind: 'decision', name: 'critic_failed', data: { round: critic.round }, by_rule: 'SP-45' },
    notice(say('spec.notice.critic_failed', { attempts }), 'warning'),
  ]);
}

/** The critic's text is unreadable. That is neither an approval nor a halt until a person decides (SP-46). */
function unreadable(
  state: SpecState,
  critic: Critic,
  { text, attempts }: EndedFailed,
  at: Instant,
): Move<SpecState> {
  const changes = {
    findings_shown: [],
    critic: { ...critic, last_findings_path: text, counts: null },
    critic_gate: 'unreadable',
  } satisfies Partial<SpecState>;
  return go(state, at, changes, [
    ...(text ? [findings(text)] : []),
    notice(say('spec.notice.critic_unreadable', { attempts }), 'warning'),
  ]);
}

/**
 * Answers of the critic's gate. A revision is possible once per pass. Its request is stored before its worker starts.
 */
function askAboutReview(state: SpecState, spec: Draft, asked: NonNullable<SpecState['critic_gate']>): Next {
  const { critic } = state;
  if (!critic) throw new InvariantError('a critic gate without a critic');
  const answer = (option: string, by: AnsweredBy, at: Instant): MoveRecord => {
    const data = { option, round: critic.round, counts: critic.counts, by: nameOf(by), at };
    return { kind: 'decision', name: 'critic_gate', data };
  };
  return gate(specGates.critic, criticGate(state, spec, critic), {
    auto_revise: ({ at }) => revise(state, critic, at, null),
    modify: ({ at, text }) => revise(state, critic, at, text),
    approve: ({ at, by }) => {
      const failure_reason = asked === 'unreadable' ? 'parse_failed_approved' : critic.failure_reason;
      const changes = {
        phase: 'critic_complete',
        critic_gate: null,
        critic: { ...critic, applied: 'approved', failure_reason },
      } as const;
      return go(state, at, changes, [
        answer('approve', by, at),
        notice(say('spec.notice.passed', { by: nameOf(by) })),
      ]);
    },
    stop: ({ at, by }) => {
      const reason = asked === 'unreadable' ? 'parse_failed_halted' : 'user_stopped';
      const changes = {
        phase: 'critic_halted',
        critic_gate: null,
        critic: { ...critic, failure_reason: reason },
      } as const;
      return go(state, at, changes, [
        answer('stop', by, at),
        notice(say('spec.halt.critic', { reason }), 'warning'),
      ]);
    },
  });
}

function revise(state: SpecState, critic: Critic, at: Instant, modify_text: string | null): Move<SpecState> {
  if (critic.round !== 0) throw new InvariantError('a second revision inside one pass');
  const user_lang = modify_text === null ? state.user_lang : languageAfter(state, modify_text);
  const changes = {
    phase: 're_synthesis_active',
    critic_gate: null,
    user_lang,
    critic: { ...critic, modify_text },
  } as const;
  const request = modify_text === null ? 'no' : 'yes';
  return go(state, at, changes, [notice(say('spec.notice.revising', { request }))]);
}
