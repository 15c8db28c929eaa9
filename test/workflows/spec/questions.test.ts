import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../../src/contract/lang.ts';
import type { Note } from '../../../src/contract/spec-work.ts';
import { isUnconfirmed, UNSURE } from '../../../src/workflows/spec/questions.ts';
import {
  answerPure,
  entries,
  failPure,
  notices,
  offered,
  type PureRun,
  settlePure,
  workPure,
} from '../../support/pure-run.ts';
import { atInterview, begin, questions, stateOf } from './fixture.ts';

const notesOf = (run: PureRun) => entries(run, 'note') as Note[];
const ids = (run: PureRun) => stateOf(run).round?.questions.map(({ id }) => id);

/** Rounds with the given numbers of questions, all answered. */
function rounds(...counts: number[]): PureRun {
  return counts.reduce((run, n, round) => {
    const asked = workPure(run, questions(n, `Round ${round + 1}`));
    const fields = Object.fromEntries((ids(asked) ?? []).map((id) => [id, `answer to ${id}`]));
    return answerPure(asked, 'answer', { fields });
  }, atInterview());
}

describe('questions', () => {
  test('SP-25: nine questions: five are asked in round 1, three in rounds 2 and 3, in order', () => {
    let run = atInterview();
    for (const kept of [5, 3, 3]) {
      run = workPure(run, questions(9));
      const asked = stateOf(run).round?.questions.map(({ text }) => text);
      expect(asked).toEqual(
        questions(9)
          .questions.slice(0, kept)
          .map(({ text }) => text),
      );
      run = answerPure(run, 'answer');
    }
    expect(notesOf(run).map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, n) => `q${n + 1}`));
  });

  test('SP-25: the worker is told the round and its limit, and ids it gives are not taken', () => {
    const run = atInterview();
    const said = (one: PureRun) => (one.step.kind === 'work' ? one.step.calls[0]?.slots.round : null);
    expect(said(run)).toEqual({ text: 'round 1 of 3, at most 5 questions' });
    const asked = workPure(run, {
      questions: [{ id: 'q9', text: 'Which formats?', why: 'decides the reader' }],
    });
    expect(ids(asked)).toEqual(['q1']);
    expect(said(answerPure(asked, 'answer'))).toEqual({ text: 'round 2 of 3, at most 3 questions' });
  });

  test('SP-26: a first round without questions asks the fixed one, in the language of the run', () => {
    const english = workPure(atInterview(), { questions: [] });
    expect(stateOf(english).round?.questions).toMatchObject([
      { id: 'q1', text: 'Is the task complete as written, or is there something the spec must also say?' },
    ]);
    const korean = workPure(atInterview({ lang: 'ko' }), { questions: [] });
    expect(stateOf(korean).round?.questions[0]?.text).toContain('충분한가요');
  });

  test('SP-26: closed rounds are 1 to 3 whenever the questions are complete', () => {
    const history = fc.array(fc.tuple(fc.nat(9), fc.nat(3)), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(history, (choices) => {
        let run = atInterview();
        let closed = 0;
        for (const [n, way] of choices) {
          if (stateOf(run).phase !== 'qa_active') break;
          run = way === 0 ? failPure(run) : workPure(run, questions(n));
          if (run.step.kind !== 'gate') break;
          run = way === 1 ? answerPure(run, offered(run)[1] ?? '') : answerPure(run, 'answer');
          closed += 1;
        }
        expect(stateOf(run).phase).toBe('qa_complete');
        expect(closed).toBeGreaterThanOrEqual(1);
        expect(closed).toBeLessThanOrEqual(3);
        expect(new Set(notesOf(run).map(({ round }) => round)).size).toBe(closed);
      }),
    );
  });

  test('SP-26: three rounds are asked while there are questions, and never a fourth', () => {
    expect(stateOf(rounds(1, 1))).toMatchObject({ phase: 'qa_active', qa_round: 3, rounds_closed: 2 });
    expect(stateOf(rounds(1, 1, 1))).toMatchObject({ phase: 'qa_complete', rounds_closed: 3 });
  });

  test.each([
    ['skip in round 1', () => answerPure(workPure(atInterview(), questions(2)), 'skip'), 2, 2],
    ['no more in round 2', () => answerPure(workPure(rounds(2), questions(3)), 'no_more'), 5, 3],
    ['no more in round 3', () => answerPure(workPure(rounds(2, 1), questions(1)), 'no_more'), 4, 1],
    ['nothing new in round 2', () => workPure(rounds(2), { questions: [] }), 2, 0],
    ['nothing new in round 3', () => workPure(rounds(2, 2), { questions: [] }), 4, 0],
    ['round 3 answered', () => rounds(5, 3, 3), 11, 0],
    ['the interviewer fails in round 2', () => failPure(rounds(1), 'parse_failed'), 1, 0],
  ])('SP-27: %s ends in qa_complete with complete notes', (_name, exit, pairs, open) => {
    const run = exit();
    expect(stateOf(run)).toMatchObject({ phase: 'qa_complete', round: null, asked: pairs });
    expect(notesOf(run)).toHaveLength(pairs);
    expect(notesOf(run).filter(({ unconfirmed }) => unconfirmed)).toHaveLength(open);
    expect(stateOf(run).unconfirmed).toHaveLength(open);
    expect(notices(run, 'en').at(-1)).toMatch(/^Discovery complete: /);
  });

  test('SP-27: round 1 offers answer and skip, later rounds answer and no more', () => {
    expect(offered(workPure(atInterview(), questions(1)))).toEqual(['answer', 'skip']);
    expect(offered(workPure(rounds(1), questions(1)))).toEqual(['answer', 'no_more']);
    expect(offered(workPure(rounds(1, 1), questions(1)))).toEqual(['answer', 'no_more']);
  });

  test('a failed interviewer in round 1 warns and asks the fixed question', () => {
    const run = failPure(atInterview());
    expect(notices(run, 'en', 'warning')).toEqual(['The interviewer gave no usable questions (no result).']);
    expect(ids(run)).toEqual(['q1']);
  });

  test('SP-28: partial answers mark only the missing ones, and nothing is invented', () => {
    const run = workPure(atInterview(), questions(4));
    const fields = { q1: 'JPEG and HEIC', q2: null, q3: '  ', q4: "I don't know." };
    expect(notesOf(answerPure(run, 'answer', { fields }))).toEqual([
      {
        id: 'q1',
        round: 1,
        question: 'Question 1?',
        why: 'reason 1',
        answer: 'JPEG and HEIC',
        unconfirmed: false,
      },
      { id: 'q2', round: 1, question: 'Question 2?', why: 'reason 2', answer: null, unconfirmed: true },
      { id: 'q3', round: 1, question: 'Question 3?', why: 'reason 3', answer: null, unconfirmed: true },
      { id: 'q4', round: 1, question: 'Question 4?', why: 'reason 4', answer: null, unconfirmed: true },
    ]);
  });

  // Do-not-know, unsure and no opinion, as the requirement names them: not from the list of the product.
  test.each([
    ['en', ["I don't know", 'Not sure', 'No opinion']],
    ['ko', ['모르겠어요', '확실하지 않아요', '의견 없어요']],
    ['ja', ['わかりません', '自信がありません', '意見はありません']],
    ['zh', ['我不知道', '不确定', '没有意见']],
    ['es', ['No lo sé', 'No estoy seguro', 'Sin opinión']],
    ['de', ['Ich weiß nicht', 'Nicht sicher', 'Keine Meinung']],
  ])('SP-28: not knowing, being unsure and having no opinion are no answers in %s', (_lang, said) => {
    expect(said.filter((answer) => !isUnconfirmed(answer))).toEqual([]);
  });

  test.each(LANGUAGES)('SP-28: every phrase for not knowing counts in %s, in any dress', (lang) => {
    for (const phrase of UNSURE[lang]) {
      const dresses = [
        phrase,
        phrase.toUpperCase(),
        ` ${phrase} . `,
        `${phrase}!`,
        phrase.replaceAll("'", '’'),
        phrase.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
      ];
      for (const dress of dresses) expect(isUnconfirmed(dress), dress).toBe(true);
    }
  });

  test.each([
    null,
    undefined,
    '',
    ' \n ',
    '?',
    '？？',
    'unknown',
    'Hmm, not sure',
    '글쎄요... 잘 모르겠습니다',
    'No sé, ni idea',
    'Keine Ahnung, sorry',
    '[unconfirmed]',
  ])('SP-28: %j is no answer', (answer) => {
    expect(isUnconfirmed(answer)).toBe(true);
  });

  test.each([
    'JPEG',
    'no',
    'yes',
    '-',
    '/',
    '0',
    'Not sure about HEIC, but JPEG for certain',
    "I don't know, perhaps JPEG",
    '잘 모르겠습니다. JPEG만 써 주세요',
    'Users who do not know their password',
    'unknown senders are rejected',
    '모르는 사용자는 거부합니다',
    '아니요',
    'いいえ',
    '不',
    'nein',
  ])('SP-28: "%s" is an answer', (answer) => {
    expect(isUnconfirmed(answer)).toBe(false);
  });

  test('SP-29: pairs and the closing of the round are one move, so no round is half saved', () => {
    const open = workPure(rounds(2), questions(2));
    const before = open.records.length;
    const closed = answerPure(open, 'answer', { fields: { q3: 'a', q4: 'b' } });
    const added = closed.records.slice(before);
    expect(added.filter(({ kind }) => kind === 'entry')).toHaveLength(2);
    expect(stateOf(closed)).toMatchObject({ round: null, qa_round: 3 });
  });

  test('SP-29: a replayed round gives the same pairs, not more of them', () => {
    const open = workPure(rounds(2), questions(2));
    const reloaded = { ...open, state: JSON.parse(JSON.stringify(open.state)) };
    const answers = { fields: { q3: 'a', q4: null } };
    expect(notesOf(answerPure(reloaded, 'answer', answers))).toEqual(
      notesOf(answerPure(open, 'answer', answers)),
    );
    const all = notesOf(answerPure(open, 'answer', answers)).map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
  });

  test('SP-29: what stays open in one round stays open when the next one closes', () => {
    const first = workPure(atInterview(), questions(2));
    const second = workPure(answerPure(first, 'answer', { fields: { q1: 'JPEG' } }), questions(2));
    const closed = answerPure(second, 'answer', { fields: { q4: 'HEIC' } });
    expect(stateOf(closed).unconfirmed).toEqual(['q2', 'q3']);
    expect(notesOf(closed).map(({ id, unconfirmed }) => [id, unconfirmed])).toEqual([
      ['q1', false],
      ['q2', true],
      ['q3', true],
      ['q4', false],
    ]);
  });

  test('SP-68: each round is told with its number, in the progress and at its gate', () => {
    for (const [n, before] of [atInterview(), rounds(1), rounds(1, 1)].entries()) {
      const asked = workPure(before, questions(2));
      expect(notices(asked, 'en').at(-1)).toContain(`${n + 1} of 3`);
      const gate = asked.step.kind === 'gate' ? asked.step.gate : null;
      expect(gate?.brief.decide).toMatchObject({ args: { round: n + 1, of: 3, n: 2 } });
      expect(gate?.brief.context).toMatchObject([{ args: { task: stateOf(asked).task } }]);
    }
  });

  test('SP-30: qa_round starts at 1 only when absent, and a run read back in round 3 goes on in round 3', () => {
    expect(stateOf(begin()).qa_round).toBeNull();
    expect(stateOf(atInterview()).qa_round).toBe(1);
    const third = workPure(rounds(2, 1), questions(2));
    const reloaded = { ...third, state: JSON.parse(JSON.stringify(third.state)) };
    expect(reloaded.def.next(reloaded.state)).toEqual(third.step);
    const closed = answerPure(reloaded, 'answer', { fields: { q4: 'x' } });
    expect(notesOf(closed).map(({ id, round }) => `${id}/${round}`)).toEqual([
      'q1/1',
      'q2/1',
      'q3/2',
      'q4/3',
      'q5/3',
    ]);
    expect(stateOf(closed).unconfirmed).toEqual(['q5']);
  });

  test('an answer to an option the gate does not have is refused', () => {
    const open = workPure(atInterview(), questions(1));
    const answered = { kind: 'answered', answer: { option: 'toString', gate: 'sp-3aa.g1' } } as never;
    expect(() => settlePure(open, answered)).toThrow('no_such_option');
  });

  test('answers in another language switch the run, unless a language was named', () => {
    const fields = { q1: '사진은 JPEG와 HEIC 형식만 지원하면 충분합니다' };
    const switched = answerPure(workPure(atInterview(), questions(1)), 'answer', { fields });
    expect(stateOf(switched).user_lang).toBe('ko');
    const kept = answerPure(workPure(atInterview({ lang: 'en' }), questions(1)), 'answer', { fields });
    expect(stateOf(kept).user_lang).toBe('en');
  });
});
