import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { builtinAttempt } from '../../../src/adapters/agent-rehearsal/builtin.ts';
import { SpecDoc } from '../../../src/contract/spec-work.ts';
import { partsWithCode } from '../../../src/workflows/spec/spec-checks.ts';

const TASKS = [
  ['en', 'A tool that renames photos by date'],
  ['en', 'Export of invoices as CSV with a --json flag'],
  ['ko', '날짜별로 사진 이름을 바꾸는 도구'],
  ['ko', '가계부를 월별로 요약하는 화면'],
] as const;

/** Specifications that ship with the product: the built-in writer's, and those of the demo's script. */
const golden: [string, unknown][] = [
  ...TASKS.map(([lang, task]): [string, unknown] => [
    task,
    builtinAttempt({ role: 'writer', nth: 1, lang, slots: { task } })?.result,
  ]),
  ...(
    parse(readFileSync('scripts/demo-script.yaml', 'utf8')) as {
      roles: { synthesis: { result: unknown }[] };
    }
  ).roles.synthesis.map(({ result }, n): [string, unknown] => [`demo draft ${n + 1}`, result]),
];

/** What only a reader of the analyses or of the talk before could follow. */
const LEANS_ON_TALK = /as discussed|see above|mentioned (above|earlier)|the analyst|위에서 말한|앞서 논의/i;

/** Requirements only, and to be understood by somebody who saw nothing else: each line is a fault found. */
function rubric(doc: SpecDoc): string[] {
  const text = JSON.stringify(doc);
  return [
    ...partsWithCode(doc).map((part) => `code in ${part}`),
    ...(LEANS_ON_TALK.test(text) ? ['leans on a talk the reader did not see'] : []),
    ...doc.acceptance_criteria
      .filter(({ given, when, outcome }) => [given, when, outcome].some((part) => part.length < 8))
      .map(({ id }) => `${id} cannot be checked`),
  ];
}

describe('SP-33: the rubric on a golden set', () => {
  test.each(golden)('%s holds requirements only and stands alone', (_name, result) => {
    expect(rubric(SpecDoc.parse(result))).toEqual([]);
  });

  test('finds each fault it looks for', () => {
    const doc = SpecDoc.parse(golden[0]?.[1]);
    expect(rubric({ ...doc, goal: 'Run\n```sh\nmv a b\n```' })).toEqual(['code in goal']);
    expect(rubric({ ...doc, goal: 'Do it as discussed.' })).toEqual([
      'leans on a talk the reader did not see',
    ]);
    const [first] = doc.acceptance_criteria;
    const vague = first ? [{ ...first, outcome: 'works' }] : [];
    expect(rubric({ ...doc, acceptance_criteria: vague })).toEqual([`${first?.id} cannot be checked`]);
  });
});
