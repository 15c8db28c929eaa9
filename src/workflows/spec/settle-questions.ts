import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome } from '../../contract/outcome.ts';
import type { SpecState } from '../../contract/spec.ts';
import { InterviewerResult, type Note, type Question } from '../../contract/spec-work.ts';
import { say } from './messages.ts';
import { go, languageAfter, notice } from './moves.ts';
import { confirmation, toNotes, toQuestions } from './questions.ts';

/**
 * Applies the interviewer's result. A failed interviewer never stops a run. Round 1 then asks the fixed question, and
 * later rounds have nothing new. Both add a warning.
 */
export function onInterviewer(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  const raw = call.kind === 'ok' ? InterviewerResult.parse(call.result).questions : [];
  const asked = toQuestions(state, raw);
  const warnings: MoveRecord[] = [];
  if (call.kind !== 'ok') {
    warnings.push(notice(say('spec.notice.interviewer_failed', { reason: call.kind }), 'warning'));
  }
  if (raw.length > asked.length) {
    warnings.push(notice(say('spec.notice.cut', { n: raw.length, kept: asked.length })));
  }
  if (asked.length > 0) return openRound(state, asked, warnings, at);
  if (state.qa_round === 1 || state.reopened) return openRound(state, confirmation(state), warnings, at);
  return complete(state, at, {}, [...warnings, notice(say('spec.notice.nothing_new'))]);
}

function openRound(
  state: SpecState,
  questions: Question[],
  records: readonly MoveRecord[],
  at: Instant,
): Move<SpecState> {
  const text = say('spec.notice.round', { round: state.qa_round ?? 1, of: 3, n: questions.length });
  const changes = { round: { questions }, asked: state.asked + questions.length, reopened: false };
  return go(state, at, changes, [...records, notice(text)]);
}

/** The options that close a round (SP-27). The move that closes it also saves the notes. */
export const onQuestions: Readonly<Record<string, (state: SpecState, answer: Answer) => Move<SpecState>>> = {
  answer: (state, { fields, at }) => {
    const notes = toNotes(state, fields);
    const said = notes.map((note) => note.answer ?? '').join('\n');
    const user_lang = languageAfter(state, said);
    return closeRound(state, notes, { at, user_lang, last: state.qa_round === 3 });
  },
  skip: closeUnanswered,
  no_more: closeUnanswered,
};

function closeUnanswered(state: SpecState, { at }: Answer): Move<SpecState> {
  return closeRound(state, toNotes(state, {}), { at, user_lang: state.user_lang, last: true });
}

function closeRound(
  state: SpecState,
  notes: readonly Note[],
  how: { at: Instant; user_lang: SpecState['user_lang']; last: boolean },
): Move<SpecState> {
  const round = state.qa_round ?? 1;
  const open = notes.filter((note) => note.unconfirmed).map((note) => note.id);
  const changes = {
    round: null,
    rounds_closed: round,
    user_lang: how.user_lang,
    unconfirmed: [...state.unconfirmed, ...open],
  };
  const records: MoveRecord[] = [
    ...notes.map((data) => ({ kind: 'entry', name: 'note', data }) as const),
    notice(
      say('spec.notice.round_closed', { round, answered: notes.length - open.length, open: open.length }),
    ),
  ];
  if (how.last) return complete(state, how.at, changes, records);
  return go(state, how.at, { ...changes, qa_round: round + 1 }, records);
}

/** Every exit of the questions ends here, with complete notes. */
function complete(
  state: SpecState,
  at: Instant,
  changes: Partial<SpecState>,
  records: readonly MoveRecord[],
): Move<SpecState> {
  const open = (changes.unconfirmed ?? state.unconfirmed).length;
  const text = say('spec.notice.discovery', { asked: state.asked, open });
  return go(state, at, { ...changes, phase: 'qa_complete', reopened: false }, [...records, notice(text)]);
}

/** A reopened run has no round left. The answers stay, and the new pass begins. */
export function onRoundsUsed(state: SpecState, at: Instant): Move<SpecState> {
  return complete(state, at, {}, [notice(say('spec.notice.rounds_used'))]);
}
