import * as z from 'zod';
import type { AnalystReport, Draft, SpecState } from '../../contract/spec.ts';
import { CriticResult } from '../../contract/spec-analysis.ts';
import { SpecDoc } from '../../contract/spec-work.ts';
import type { SlotRef } from '../../contract/step.ts';
import type { Call } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { AnalystTable } from './analysts.ts';
import { baseSlots, callOf } from './calls.ts';

/** The only part of an analysis that decides anything. The rest goes to the synthesis as it is. */
const AnalysisFindings = z.looseObject({ has_findings: z.boolean() });
export type AnalysisFindings = z.infer<typeof AnalysisFindings>;

/** Calls all analysts at once. Each gets the same slots and nothing from the others. */
export function analystCalls(state: SpecState, analysts: AnalystTable): Call<AnalysisFindings>[] {
  return Object.keys(analysts).map((role) => callOf(state, role, AnalysisFindings, baseSlots(state)));
}

/**
 * The synthesis. Findings, draft and the request of the critic's gate are passed only in a revision. The state alone
 * decides whether it is one, so findings that merely exist are never read (SP-41).
 */
export function synthesisCall(state: SpecState): Call<SpecDoc> {
  const { task, notes, lang, requests } = baseSlots(state);
  const first = { task, notes, ...analysisSlots(state), lang, requests };
  const slots = isRevision(state) ? { ...first, ...revisionSlots(state) } : first;
  return callOf(state, 'synthesis', SpecDoc, slots);
}

function isRevision({ phase, critic }: SpecState): boolean {
  const open = critic?.applied === 'pending' || critic?.applied === 'revised';
  return phase === 're_synthesis_active' && open && critic.last_findings_path !== null;
}

function revisionSlots({ critic, spec, revising }: SpecState): Record<string, SlotRef> {
  if (!critic?.last_findings_path || !spec) throw new InvariantError('a revision without draft or findings');
  return {
    draft: { artefact: revising?.draft.hash ?? spec.hash },
    findings: { artefact: critic.last_findings_path },
    missing: { text: revising?.missing.join(', ') ?? '' },
    ...(critic.modify_text === null ? {} : { revision_request: { text: critic.modify_text } }),
  };
}

/** One slot per analyst with its text if there is one, and one slot that lists how each analyst ended (SP-38). */
function analysisSlots({ analyses, notes_only }: SpecState): Record<string, SlotRef> {
  const reports = notes_only ? [] : (analyses ?? []);
  const texts = reports.flatMap(({ role, artefact }) => (artefact ? [[role, { artefact }] as const] : []));
  const told = reports.map((report) => `${report.role}: ${HOW[howEnded(report)]}`).join('\n');
  const none = 'There are no analyses: all analysts failed, and the person chose to go on with the notes.';
  return { analysts: { text: notes_only ? none : told }, ...Object.fromEntries(texts) };
}

const HOW = {
  findings: 'analysed, with findings',
  empty: 'analysed, nothing found',
  dispatch_failed: 'failed, there is no text',
  parse_failed: 'gave a text that is not in the agreed form; it is handed over as it came',
} as const;

function howEnded({ status, has_findings }: AnalystReport): keyof typeof HOW {
  if (status !== 'ok') return status;
  return has_findings ? 'findings' : 'empty';
}

/**
 * The critic starts cold, with task, language, notes and the requests of earlier passes. From this pass it gets only
 * the spec and the ids of findings not addressed (SP-43).
 */
export function criticCall(state: SpecState, { hash }: Draft): Call<CriticResult> {
  const { task, notes, lang, requests } = baseSlots(state);
  return callOf(state, 'critic', CriticResult, {
    task,
    spec: { artefact: hash },
    notes,
    not_addressed: { text: state.not_addressed.join(', ') },
    lang,
    requests,
  });
}
