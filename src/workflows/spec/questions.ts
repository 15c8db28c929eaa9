import type { SpecState } from '../../contract/spec.ts';
import type { InterviewerResult, Note, Question } from '../../contract/spec-work.ts';
import { storedText } from '../kit/stored-text.ts';
import { isUnconfirmed } from './unconfirmed.ts';

/** Round 1 may ask five questions, the later ones three (SP-25). */
export function maxQuestions(round: number): number {
  return round === 1 ? 5 : 3;
}

/**
 * The questions to ask. Surplus questions are cut from the end. Ids count up over all rounds and replace the worker's
 * own.
 */
export function toQuestions(state: SpecState, asked: InterviewerResult['questions']): Question[] {
  return asked
    .slice(0, maxQuestions(state.qa_round ?? 1))
    .map(({ text, why }, n) => ({ id: `q${state.asked + n + 1}`, text, why }));
}

/** The question of round 1 if no other is open, so that a person is asked before every specification (SP-26). */
export function confirmation(state: SpecState): Question[] {
  const { user_lang } = state;
  const text = storedText('spec.questions.confirm', user_lang);
  const why = storedText('spec.questions.confirm.why', user_lang);
  return [{ id: `q${state.asked + 1}`, text, why }];
}

/**
 * Question and answer pairs of the closing round. An answer without information stays open, and Baton does not invent
 * one (SP-28).
 */
export function toNotes(state: SpecState, answers: Readonly<Record<string, string | null>>): readonly Note[] {
  const round = state.qa_round ?? 1;
  return (state.round?.questions ?? []).map(({ id, text, why }) => {
    const given = Object.hasOwn(answers, id) ? answers[id] : null;
    const unconfirmed = isUnconfirmed(given);
    return { id, round, question: text, why, answer: unconfirmed ? null : (given ?? null), unconfirmed };
  });
}
