import type { Answer } from '../../contract/answer.ts';
import type { Hash, Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome } from '../../contract/outcome.ts';
import { type Critic, FINDINGS_SHOWN, type FindingCounts, type SpecState } from '../../contract/spec.ts';
import { type CriticItem, CriticResult, SEVERITIES } from '../../contract/spec-analysis.ts';
import { cutText } from '../../engine/cut-text.ts';
import { InvariantError } from '../../engine/errors.ts';
import { say } from './messages.ts';
import { go, languageAfter, nameOf, notice } from './moves.ts';
import { NEW_CRITIC } from './pass.ts';

/** The critic ended, for the first or second time. The branch depends only on the counts computed here (INV-10). */
export function onCritic(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  const critic = state.critic ?? NEW_CRITIC;
  if (call.kind !== 'ok') {
    return call.kind === 'dispatch_failed'
      ? noReview(state, critic, call.attempts, at)
      : unreadable(state, critic, call, at);
  }
  const { items } = CriticResult.parse(call.result);
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
  { text, attempts }: Exclude<CallOutcome, { kind: 'ok' }>,
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
export const onCriticGate: Readonly<Record<string, (state: SpecState, answer: Answer) => Move<SpecState>>> = {
  auto_revise: (state, { at }) => revise(state, at, null),
  modify: (state, { at, text }) => revise(state, at, text ?? ''),
  approve: (state, { at, by }) => {
    const { critic } = gated(state);
    const failure_reason =
      state.critic_gate === 'unreadable' ? 'parse_failed_approved' : critic.failure_reason;
    const changes = {
      phase: 'critic_complete',
      critic_gate: null,
      critic: { ...critic, applied: 'approved', failure_reason },
    } as const;
    const data = { option: 'approve', round: critic.round, counts: critic.counts, by: nameOf(by), at };
    return go(state, at, changes, [
      { kind: 'decision', name: 'critic_gate', data },
      notice(say('spec.notice.passed', { by: nameOf(by) })),
    ]);
  },
  stop: (state, { at, by }) => {
    const { critic } = gated(state);
    const reason = state.critic_gate === 'unreadable' ? 'parse_failed_halted' : 'user_stopped';
    const changes = {
      phase: 'critic_halted',
      critic_gate: null,
      critic: { ...critic, failure_reason: reason },
    } as const;
    const data = { option: 'stop', round: critic.round, counts: critic.counts, by: nameOf(by), at };
    return go(state, at, changes, [
      { kind: 'decision', name: 'critic_gate', data },
      notice(say('spec.halt.critic', { reason }), 'warning'),
    ]);
  },
};

function revise(state: SpecState, at: Instant, modify_text: string | null): Move<SpecState> {
  const { critic } = gated(state);
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

function gated(state: SpecState): { readonly critic: Critic } {
  if (!state.critic || !state.critic_gate) throw new InvariantError('a critic answer without its gate');
  return { critic: state.critic };
}
