import type { SpecState } from '../../contract/spec.ts';
import type { SlotRef, WorkerCall } from '../../contract/step.ts';
import { maxQuestions } from './questions.ts';

/** Slots of most workers: task, notes, conventions, language, and all requests of earlier passes, oldest first. */
export function baseSlots(state: SpecState) {
  const { conventions } = state;
  return {
    task: { text: state.task },
    notes: { records: 'note' },
    conventions: conventions && conventions !== 'skipped' ? conventions : { text: '' },
    lang: { text: state.user_lang },
    requests: { records: 'request' },
  } satisfies Record<string, SlotRef>;
}

export function callOf(state: SpecState, role: string, slots: Record<string, SlotRef>): WorkerCall {
  return { role, slots, tier: tierOf(state) };
}

/** One tier for every worker of a deep run. Quick mode uses the adapter's default (SP-58). */
export function tierOf(state: SpecState): WorkerCall['tier'] {
  return state.model_config?.advisor ?? 'inherit';
}

export function interviewerCall(state: SpecState): WorkerCall {
  const round = state.qa_round ?? 1;
  const said = { text: `round ${round} of 3, at most ${maxQuestions(round)} questions` };
  return callOf(state, 'interviewer', { ...baseSlots(state), round: said });
}

export function writerCall(state: SpecState): WorkerCall {
  return callOf(state, 'writer', baseSlots(state));
}
