import type { SpecState } from '../../contract/spec.ts';
import type { InterviewerResult, Note, Question } from '../../contract/spec-work.ts';
import { textIn } from './messages.ts';
import { isUnconfirmed } from './unconfirmed.ts';

/** Round 1 may ask five questions, the later ones three (SP-25). */
export function maxQuestions(round: number): number {
  return round === 1 ? 5 : 3;
}

/** The questions to ask: surplus cut from the end, ids counted on over all rounds, whatever the worker called them. */
export function toQuestions(state: SpecState, asked: InterviewerResult['questions']): Question[] {
  return asked
    .slice(0, maxQuestions(state.qa_round ?? 1))
    .map(({ text, why }, n) => ({ id: `q${state.asked + n + 1}`, text, why }));
}

/** What round 1 asks when nothing else is open: no specification is written without one word of a person (SP-26). */
export function confirmation(state: SpecState): Question[] {
  const { user_lang } = state;
  const text = textIn(user_lang, 'spec.questions.confirm');
  const why = textIn(user_lang, 'spec.questions.confirm.why');
  return [{ id: `q${state.asked + 1}`, text, why }];
}

/** Pairs of the round that closes. An answer that tells nothing is left open; nothing is invented for it (SP-28). */
export function toNotes(state: SpecState, answers: Readonly<Record<string, string | null>>): readonly Note[] {
  const round = state.qa_round ?? 1;
  return (state.round?.questions ?? []).map(({ id, text, why }) => {
    const given = Object.hasOwn(answers, id) ? answers[id] : null;
    const unconfirmed = isUnconfirmed(given);
    return { id, round, question: text, why, answer: unconfirmed ? null : (given ?? null), unconfirmed };
  });
}
