import type { ChangeNotes, DeliverSpec, Evaluation } from '../../src/contract/deliver-work.ts';

/** One entry of a script. */
export type Entry = Readonly<Record<string, unknown>>;
export type Roles = Readonly<Record<string, readonly Entry[]>>;

/** A small npm project with a real test runner: `add` is wrong until somebody writes it. */
export const NPM_PROJECT: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify(
    { name: 'sums', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  'src/sums.js': 'export const subtract = (a, b) => a - b;\n',
  'test/subtract.test.js': [
    "import assert from 'node:assert';",
    "import test from 'node:test';",
    "import { subtract } from '../src/sums.js';",
    "test('subtracts', () => assert.equal(subtract(3, 1), 2));",
    '',
  ].join('\n'),
};

/** The same with a check that takes no time, for tests that are not about checks. */
export const QUICK_PROJECT: Readonly<Record<string, string>> = {
  ...NPM_PROJECT,
  'baton.yaml': "checks: { build: null, test: 'true', lint: null, type_check: null }\n",
};

const SUBTRACT = 'export const subtract = (a, b) => a - b;\n';
export const ADD_TEST = [
  "import assert from 'node:assert';",
  "import test from 'node:test';",
  "import { add } from '../src/sums.js';",
  "test('adds', () => assert.equal(add(1, 2), 3));",
  '',
].join('\n');

/** The change as it should be, and one whose test fails. */
const GOOD_EDITS = [
  { path: 'src/sums.js', content: `${SUBTRACT}export const add = (a, b) => a + b;\n` },
  { path: 'test/add.test.js', content: ADD_TEST },
];
export const BAD_EDITS = [
  { path: 'src/sums.js', content: `${SUBTRACT}export const add = (a, b) => a - b;\n` },
  { path: 'test/add.test.js', content: ADD_TEST },
];
const GOOD_PATHS = ['src/sums.js', 'test/add.test.js'];

export function deliverSpec(changes: Partial<DeliverSpec> = {}): DeliverSpec {
  return {
    goal: 'Two numbers can be added.',
    background: ['Only subtraction exists.'],
    scope: { in: ['src/sums.js and its tests'], out: ['Other operations'] },
    approach: ['One more function beside subtract.'],
    completion_criteria: [
      { id: 'AC-1', name: 'Adds', given: 'two numbers', when: 'add is called', outcome: 'their sum' },
    ],
    edge_cases: ['Negative numbers.'],
    testing_strategy: ['One test for add.'],
    risks: [
      { text: 'None known', source: 'planner', likelihood: 'low', impact: 'low', mitigation: 'The test.' },
    ],
    ...changes,
  };
}

export function changeNotes(changes: Partial<ChangeNotes> = {}): ChangeNotes {
  return { summary: 'Adds add.', changes: ['add in src/sums.js'], files: GOOD_PATHS, advice: [], ...changes };
}

/** A worker that makes these edits and tells about them. */
export function writes(edits: readonly Entry[] = GOOD_EDITS, more: Entry = {}): Entry {
  return { line: 'editing', edits, result: changeNotes(), ...more };
}

/** A checklist over these paths in which everything holds. */
export function passing(
  paths: readonly string[] = GOOD_PATHS,
  ids: readonly string[] = ['AC-1'],
  changes: Partial<Evaluation> = {},
): { result: Evaluation } {
  const good = { result: 'PASS', evidence: 'seen at src/sums.js:2' } as const;
  const refuted = (text: string) => ({ text, finding: 'refuted', evidence: 'tried' }) as const;
  return {
    result: {
      criteria: ids.map((id) => ({
        id,
        met: 'YES',
        evidence: [{ file: paths[0] ?? 'src/sums.js', line: 1 }],
        note: '',
      })),
      files: paths.map((path) => ({ path, requirements: [ids[0] ?? 'AC-1'], note: '' })),
      tests: ids.map((id) => ({ criterion: id, test: 'test/add.test.js' })),
      risks: [],
      layer3: {
        completion: good,
        scope: good,
        bug_free: { ...good, hypotheses: [refuted('overflow'), refuted('strings')] },
        consistency: good,
        minimal_changes: good,
      },
      verdict: 'PASS',
      summary: 'It does what was asked.',
      fix_instructions: [],
      ...changes,
    },
  };
}

/** The same with its first criterion not met (layer 2), or inconsistent (layer 3). */
export function failing(layer: 2 | 3, paths: readonly string[] = GOOD_PATHS): { result: Evaluation } {
  const { result } = passing(paths);
  if (layer === 3) {
    const layer3 = { ...result.layer3, consistency: { result: 'FAIL', evidence: 'names differ' } } as never;
    return { result: { ...result, layer3, verdict: 'FAIL_L3', fix_instructions: ['Rename it.'] } };
  }
  const criteria = result.criteria.map((row) => ({
    ...row,
    met: 'NO' as const,
    evidence: [],
    note: 'not there',
  }));
  return { result: { ...result, criteria, layer3: null, verdict: 'FAIL_L2', fix_instructions: ['Add it.'] } };
}

/** JSON is YAML too. */
export function deliverScript(roles: Roles): string {
  return JSON.stringify({ script: 1, language: 'en', roles });
}

/** Single mode, done right at the first try. */
export const HAPPY: Roles = {
  planner_single: [{ line: 'planning', result: deliverSpec() }],
  generator_single: [writes()],
  evaluator: [passing()],
};
