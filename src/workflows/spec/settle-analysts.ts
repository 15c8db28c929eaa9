import type { Answer } from '../../contract/answer.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { AnalystReport, SpecState } from '../../contract/spec.ts';
import type { Analysis } from '../../contract/spec-analysis.ts';
import type { Step } from '../../contract/step.ts';
import { cutText } from '../../engine/cut-text.ts';
import { InvariantError } from '../../engine/errors.ts';
import { say } from './messages.ts';
import { go, nameOf, notice } from './moves.ts';
import { NEW_CRITIC } from './pass.ts';

/**
 * All analysts have ended, however many there are. Each status is stored with its analysis, and so is any text (SP-38).
 * If all succeeded and found nothing, the critic is skipped at once (SP-39).
 */
export function onAnalysts(state: SpecState, outcome: Outcome, step: Step): Move<SpecState> {
  if (outcome.kind !== 'worked' || step.kind !== 'work') throw new InvariantError('analysts without results');
  const ended = step.calls.map(({ role }, n) => ({ role, call: outcome.calls[n] as CallOutcome }));
  const analyses = ended.map(({ role, call }) => report(role, call));
  const records: MoveRecord[] = [
    ...analyses.flatMap(({ role, artefact }) =>
      artefact ? [{ kind: 'artefact', name: role, hash: artefact } as const] : [],
    ),
    ...ended.flatMap(({ role, call }) => failure(role, call)),
    notice(say('spec.notice.analysts_done', tally(analyses))),
  ];
  if (!foundNothing(analyses)) return go(state, outcome.at, { analyses }, records);
  const critic = { ...NEW_CRITIC, applied: 'approved' } as const;
  return go(state, outcome.at, { analyses, critic }, [
    ...records,
    { kind: 'decision', name: 'critic_passed_over', data: { round: 0 }, by_rule: 'SP-39' },
    notice(say('spec.notice.nothing_found')),
  ]);
}

function report(role: string, call: CallOutcome): AnalystReport {
  if (call.kind !== 'ok') return { role, status: call.kind, has_findings: false, artefact: call.text };
  const { has_findings } = call.result as Analysis;
  return { role, status: 'ok', has_findings, artefact: call.artefact };
}

function failure(role: string, call: CallOutcome): MoveRecord[] {
  if (call.kind === 'ok') return [];
  const { kind: reason, attempts, detail } = call;
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
export const onAnalystsGate: Readonly<Record<string, (state: SpecState, answer: Answer) => Move<SpecState>>> =
  {
    retry: (state, { at }) => go(state, at, { analyses: null }, [notice(say('spec.notice.retry_analysts'))]),
    notes_only: (state, { at, by }) =>
      go(state, at, { notes_only: true }, [
        { kind: 'decision', name: 'notes_only', data: { by: nameOf(by), at } },
        notice(say('spec.notice.notes_only'), 'warning'),
      ]),
  };
