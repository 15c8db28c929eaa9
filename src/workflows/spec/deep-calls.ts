import type { AnalystReport, SpecState } from '../../contract/spec.ts';
import type { SlotRef, WorkerCall } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { AnalystTable } from './analysts.ts';
import { baseSlots, callOf } from './calls.ts';

/** Calls all analysts at once. Each gets the same slots and nothing from the others. */
export function analystCalls(state: SpecState, analysts: AnalystTable): WorkerCall[] {
  return Object.keys(analysts).map((role) => callOf(state, role, baseSlots(state)));
}

/**
 * The synthesis. Findings, draft and the request of the critic's gate are passed only in a revision. The state alone
 * decides whether it is one, so findings that merely exist are never read (SP-41).
 */
export function synthesisCall(state: SpecState): WorkerCall {
  const { task, notes, lang, requests } = baseSlots(state);
  const first = { task, notes, ...analysisSlots(state), lang, requests };
  return callOf(state, 'synthesis', isRevision(state) ? { ...first, ...revisionSlots(state) } : first);
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
export function criticCall(state: SpecState): WorkerCall {
  if (!state.spec) throw new InvariantError('a critic without a specification');
  const { task, notes, lang, requests } = baseSlots(state);
  return callOf(state, 'critic', {
    task,
    spec: { artefact: state.spec.hash },
    notes,
    not_addressed: { text: state.not_addressed.join(', ') },
    lang,
    requests,
  });
}
