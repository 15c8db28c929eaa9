import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { SpecState } from '../../contract/spec.ts';
import type { InterviewerResult, Note, Question } from '../../contract/spec-work.ts';
import { type Ended, gate, pass, work } from '../../engine/decide.ts';
import { questionsGate } from './briefs.ts';
import { interviewerCall } from './calls.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { go, languageAfter, type Next, notice } from './moves.ts';
import { confirmation, toNotes, toQuestions } from './questions.ts';

/** A reopened run may have no round left. Three rounds are the limit, even with open questions (SP-26). */
export function interview(state: SpecState): Next {
  if (state.round) return askRound(state);
  if (state.rounds_closed >= 3)
    return pass((at) => complete(state, at, {}, [notice(say('spec.notice.rounds_used'))]));
  return work([interviewerCall(state)], ([call], at) => onInterviewer(state, call, at));
}

/** The options that close a round (SP-27). The move that closes it also saves the notes. */
function askRound(state: SpecState): Next {
  const unanswered = ({ at }: { readonly at: Instant }) =>
    closeRound(state, toNotes(state, {}), { at, user_lang: state.user_lang, last: true });
  return gate(specGates.questions, questionsGate(state), {
    answer: ({ fields, at }) => {
      const notes = toNotes(state, fields);
      const said = notes.map((note) => note.answer ?? '').join('\n');
      const user_lang = languageAfter(state, said);
      return closeRound(state, notes, { at, user_lang, last: state.qa_round === 3 });
    },
    skip: unanswered,
    no_more: unanswered,
  });
}

/**
 * Applies the interviewer's result. A failed interviewer never stops a run. Round 1 then asks the fixed question, and
 * later rounds have nothing new. Both add a warning.
 */
function onInterviewer(state: SpecState, call: Ended<InterviewerResult>, at: Instant): Move<SpecState> {
  const raw = call.kind === 'ok' ? call.result.questions : [];
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
