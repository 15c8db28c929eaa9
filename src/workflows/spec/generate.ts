import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { AnalystReport, Critic, Draft, SpecState } from '../../contract/spec.ts';
import type { SpecDoc } from '../../contract/spec-work.ts';
import { cutText } from '../../engine/cut-text.ts';
import { type Ended, gate, pass, work } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { AnalystTable } from './analysts.ts';
import { writerCall } from './calls.ts';
import { analystsGate } from './deep-briefs.ts';
import { type AnalysisFindings, analystCalls, synthesisCall } from './deep-calls.ts';
import { draftOf, draftReady, haltGeneration } from './drafts.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { go, type Next, nameOf, notice } from './moves.ts';
import { NEW_CRITIC } from './pass.ts';
import { uncited } from './spec-checks.ts';

/** The questions are done and the pass begins. Skipped conventions are reported again, because the draft lacks them. */
export function beginPass(state: SpecState, analysts: AnalystTable): Next {
  const passes = state.passes + 1;
  const n = Object.keys(analysts).length;
  const begun =
    state.mode === 'deep'
      ? say('spec.notice.analysing', { n, pass: passes })
      : say('spec.notice.writing', { pass: passes });
  const skipped =
    state.conventions === 'skipped' ? [notice(say('spec.notice.no_conventions'), 'warning')] : [];
  return pass((at) => go(state, at, { phase: 'gen_ready', passes }, [...skipped, notice(begun)]));
}

/**
 * Quick mode: one writer. Deep mode: the analysts, then the synthesis. Analyses stored in this pass are not requested
 * again (SP-35). If all failed, a person decides (SP-40).
 */
export function generate(state: SpecState, analysts: AnalystTable): Next {
  if (state.mode !== 'deep')
    return work([writerCall(state)], ([call], at) => {
      if (call.kind !== 'ok') return haltGeneration(state, call, at);
      const { draft, record } = draftOf(call);
      return draftReady(state, at, { spec: draft }, [record]);
    });
  const { analyses, notes_only } = state;
  if (analyses === null)
    return work(analystCalls(state, analysts), (ended, at) => afterAnalysts(state, ended, at));
  const failed = analyses.every(({ status }) => status !== 'ok');
  if (failed && !notes_only) return analystsFailed(state, analyses);
  return work([synthesisCall(state)], ([call], at) => afterSynthesis(state, call, at));
}

/**
 * All analysts have ended, however many there are. Each status is stored with its analysis, and so is any text (SP-38).
 * If all succeeded and found nothing, the critic is skipped at once (SP-39).
 */
function afterAnalysts(
  state: SpecState,
  ended: readonly Ended<AnalysisFindings>[],
  at: Instant,
): Move<SpecState> {
  const analyses = ended.map(report);
  const records: MoveRecord[] = [
    ...analyses.flatMap(({ role, artefact }) =>
      artefact ? [{ kind: 'artefact', name: role, hash: artefact } as const] : [],
    ),
    ...ended.flatMap(failure),
    notice(say('spec.notice.analysts_done', tally(analyses))),
  ];
  if (!foundNothing(analyses)) return go(state, at, { analyses }, records);
  const critic = { ...NEW_CRITIC, applied: 'approved' } as const;
  return go(state, at, { analyses, critic }, [
    ...records,
    { kind: 'decision', name: 'critic_passed_over', data: { round: 0 }, by_rule: 'SP-39' },
    notice(say('spec.notice.nothing_found')),
  ]);
}

function report(call: Ended<AnalysisFindings>): AnalystReport {
  const { role } = call;
  if (call.kind !== 'ok') return { role, status: call.kind, has_findings: false, artefact: call.text };
  return { role, status: 'ok', has_findings: call.result.has_findings, artefact: call.artefact };
}

function failure(call: Ended<AnalysisFindings>): MoveRecord[] {
  if (call.kind === 'ok') return [];
  const { role, kind: reason, attempts, detail } = call;
  const args = { role, reason, attempts, detail: cutText(detail, 200) };
  return [notice(say('spec.notice.analyst_failed', args), 'warning')];
}

function tally(analyses: readonly AnalystReport[]): { ok: number; of: number; found: number } {
  const ok = analyses.filter(({ status }) => status === 'ok');
  return { ok: ok.length, of: analyses.length, found: ok.filter((one) => one.has_findings).length };
}

function foundNothing(analyses: readonly AnalystReport[]): boolean {
  return analyses.every(({ status, has_findings }) => status === 'ok' && !has_findings);
}

/** All analysts failed, so a person decides how to continue. Stop holds the gate, which the engine does by itself. */
function analystsFailed(state: SpecState, analyses: readonly AnalystReport[]): Next {
  return gate(specGates.analysts, analystsGate(analyses), {
    retry: ({ at }) => go(state, at, { analyses: null }, [notice(say('spec.notice.retry_analysts'))]),
    notes_only: ({ at, by }) =>
      go(state, at, { notes_only: true }, [
        { kind: 'decision', name: 'notes_only', data: { by: nameOf(by), at } },
        notice(say('spec.notice.notes_only'), 'warning'),
      ]),
  });
}

/** Only `critic.applied = approved` lets a draft skip the critic (SP-03). */
function afterSynthesis(state: SpecState, call: Ended<SpecDoc>, at: Instant): Move<SpecState> {
  if (call.kind !== 'ok') return haltGeneration(state, call, at);
  const { draft, record } = draftOf(call);
  if (state.critic?.applied === 'approved') return draftReady(state, at, { spec: draft }, [record]);
  const written = notice(say('spec.notice.synthesised', { criteria: draft.criteria }));
  return go(state, at, { phase: 'critic_active', spec: draft }, [record, written]);
}

/**
 * A revision must cite every critical and major finding. If it does not, it is requested once more (SP-42). Ids that
 * are still missing go to the second critic and the gates. If the retry gives no result, the existing revision is used.
 */
export function revise(state: SpecState): Next {
  const { critic, revising } = state;
  if (!critic) throw new InvariantError('a revision without a critic');
  return work([synthesisCall(state)], ([call], at) => {
    if (call.kind !== 'ok')
      return revising
        ? revised(state, critic, at, { ...revising, records: [] })
        : haltRevision(state, critic, at);
    const { draft, record } = draftOf(call);
    const missing = uncited(call.result, requiredIds(critic));
    if (missing.length === 0 || revising)
      return revised(state, critic, at, { draft, missing, records: [record] });
    const again = notice(say('spec.notice.cite_again', { ids: missing.join(', ') }));
    return go(state, at, { revising: { draft, missing } }, [record, again]);
  });
}

/** Ids count up per severity, so the counts determine all of them. */
function requiredIds({ counts }: Critic): string[] {
  const { critical, major } = counts ?? { critical: 0, major: 0 };
  const ids = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i + 1}`);
  return [...ids('C', critical), ...ids('M', major)];
}

function revised(
  state: SpecState,
  critic: Critic,
  at: Instant,
  { draft, missing, records }: { draft: Draft; missing: string[]; records: readonly MoveRecord[] },
): Move<SpecState> {
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

function haltRevision(state: SpecState, critic: Critic, at: Instant): Move<SpecState> {
  const reason = 're_synthesis_failed';
  const changes = { phase: 'critic_halted', critic: { ...critic, failure_reason: reason } } as const;
  return go(state, at, changes, [notice(say('spec.halt.critic', { reason }), 'warning')]);
}
