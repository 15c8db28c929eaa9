import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtinAttempt } from '../../src/adapters/agent-rehearsal/builtin.ts';
import { ScanResult } from '../../src/contract/conventions.ts';
import { ANALYST_SECTIONS, analysisSchema, CriticResult } from '../../src/contract/spec-analysis.ts';
import { InterviewerResult, type Note, SpecDoc } from '../../src/contract/spec-work.ts';

const TASK = 'A tool that renames photos by date';
const note = (id: string, answer: string | null): Note => ({
  id,
  round: 1,
  question: `Question ${id}?`,
  why: 'because',
  answer,
  unconfirmed: answer === null,
});

function play(
  role: string,
  slots: Record<string, string>,
  more: { nth?: number; lang?: string } = {},
): unknown {
  return builtinAttempt({ role, nth: 1, lang: 'en', slots, ...more })?.result;
}

describe.each([
  ['en', 'no model wrote this'],
  ['ko', '모델이 작성한 글이 아닙니다'],
])('the built-in script in %s', (lang, disclaimer) => {
  test('asks about the task in the first round and has no question later', () => {
    const first = InterviewerResult.parse(play('interviewer', { task: TASK }, { lang }));
    expect(first.questions.length).toBeGreaterThanOrEqual(2);
    expect(first.questions.every(({ text, why }) => text.includes(TASK) && why.includes(disclaimer))).toBe(
      true,
    );
    expect(play('interviewer', { task: TASK }, { lang, nth: 2 })).toEqual({ questions: [] });
  });

  test('writes a specification that echoes task, answers and requests and marks what is open', () => {
    const notes = JSON.stringify([note('q1', 'JPEG and HEIC'), note('q2', null)], null, 1);
    const requests = JSON.stringify([{ text: 'Also PNG, please.' }]);
    const spec = SpecDoc.parse(play('writer', { task: TASK, notes, requests }, { lang }));
    const text = JSON.stringify(spec);
    expect(spec.goal).toContain(TASK);
    expect(spec.goal).toContain(disclaimer);
    expect(text).toContain('JPEG and HEIC');
    expect(text).toContain('Also PNG, please.');
    expect(text).toContain('[unconfirmed q2]');
    expect(text).not.toContain('[unconfirmed q1]');
  });

  test('gives each analyst all sections of its role and says that nobody thought', () => {
    const notes = JSON.stringify([note('q1', 'JPEG'), note('q2', null)]);
    for (const [role, sections] of Object.entries(ANALYST_SECTIONS)) {
      const result = analysisSchema(role, sections).parse(play(role, { task: TASK, notes }, { lang }));
      const text = JSON.stringify(result.sections);
      expect(text).toContain(TASK);
      expect(text).toContain(disclaimer);
      expect(text.includes('q2: ')).toBe(Object.keys(sections).some((key) => key.startsWith('unconfirmed_')));
    }
  });

  test('shows one revision: a Major item, a synthesis that cites it, then nothing to object to', () => {
    const first = SpecDoc.parse(play('synthesis', { task: TASK }, { lang }));
    const review = CriticResult.parse(play('critic', { spec: JSON.stringify(first) }, { lang }));
    expect(review.items).toMatchObject([{ id: 'M1', severity: 'Major' }]);
    expect(review.items[0]?.issue).toContain(disclaimer);
    const findings = JSON.stringify(review);
    const slots = { task: TASK, findings, 'revision_request 1': 'Also PNG, please.' };
    const second = SpecDoc.parse(play('synthesis', slots, { lang }));
    expect(JSON.stringify(second)).toContain('[M1]');
    expect(JSON.stringify(second)).toContain('Also PNG, please.');
    expect(play('critic', { spec: JSON.stringify(second) }, { lang, nth: 2 })).toEqual({ items: [] });
  });

  test('gives the four areas of conventions', () => {
    const scanned = ScanResult.parse(play('convention_scanner', {}, { lang }));
    expect(scanned.files.join()).toContain(disclaimer);
  });
});

test('a Korean run gets Korean words, any other language English ones', () => {
  expect(JSON.stringify(play('interviewer', { task: TASK }, { lang: 'ko' }))).toMatch(/\p{Script=Hangul}/u);
  expect(play('interviewer', { task: TASK }, { lang: 'de' })).toEqual(play('interviewer', { task: TASK }));
});

test('a role it does not know has no part', () => {
  expect(play('implementer', {})).toBeUndefined();
  expect(play('constructor', {})).toBeUndefined();
});

test('whatever the slots hold, the results fit their schemas, and equal calls give equal results', () => {
  const long = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.repeat(700));
  const any = fc.oneof(fc.string({ unit: 'binary' }), long);
  const list = fc.array(fc.option(any), { maxLength: 11 });
  void fc.assert(
    fc.property(any, list, fc.array(any), any, (task, answers, requests, junk) => {
      const notes = JSON.stringify(answers.map((answer, index) => note(`q${index + 1}`, answer)));
      const slots = { task, notes, requests: JSON.stringify(requests.map((text) => ({ text }))) };
      const spec = SpecDoc.parse(play('writer', slots));
      expect(play('writer', slots)).toEqual(spec);
      for (const [index, answer] of answers.entries()) {
        if (answer === null) expect(JSON.stringify(spec)).toContain(`[unconfirmed q${index + 1}]`);
      }
      SpecDoc.parse(play('synthesis', { ...slots, findings: junk }));
      SpecDoc.parse(play('writer', { task: junk, notes: junk, 'requests 1': junk }));
      InterviewerResult.parse(play('interviewer', { task }));
    }),
    { numRuns: 100 },
  );
});
