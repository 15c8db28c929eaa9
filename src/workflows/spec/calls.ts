import type { SpecState } from '../../contract/spec.ts';
import { InterviewerResult, SpecDoc } from '../../contract/spec-work.ts';
import type { SlotRef, Tier } from '../../contract/step.ts';
import { ask, type Call, type Reader } from '../../engine/decide.ts';
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

export function callOf<R>(
  state: SpecState,
  role: string,
  result: Reader<R>,
  slots: Record<string, SlotRef>,
): Call<R> {
  return ask(role, result, slots, tierOf(state));
}

/** One tier for every worker of a deep run. Quick mode uses the adapter's default (SP-58). */
export function tierOf(state: SpecState): Tier {
  return state.model_config?.advisor ?? 'inherit';
}

export function interviewerCall(state: SpecState): Call<InterviewerResult> {
  const round = state.qa_round ?? 1;
  const said = { text: `round ${round} of 3, at most ${maxQuestions(round)} questions` };
  return callOf(state, 'interviewer', InterviewerResult, { ...baseSlots(state), round: said });
}

export function writerCall(state: SpecState): Call<SpecDoc> {
  return callOf(state, 'writer', SpecDoc, baseSlots(state));
}
