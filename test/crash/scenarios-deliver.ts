import type { Roles } from '../support/deliver-script.ts';
import {
  BAD,
  base,
  FAILED_2,
  FAILED_3,
  FILES,
  GOOD,
  PASSED,
  PLANNED,
  patchOf,
  proposal,
  script,
  USELESS,
  writing,
} from './deliver-folder.ts';
import type { Scenario, ScriptedAnswer } from './scenario.ts';

const { input, answers } = base;
const { commit: _, ...planned } = answers;
const NO_COMMIT = { commit: [{ option: 'no_commit' }] } as const;
const PROPOSED = { result: { analysis: 'a', approach: 'b', risks: ['c'], recommendations: ['d'] } };
const MODE = { n: 1, text: 'It breaks.', likelihood: 'low', impact: 'low' } as const;
const QA_PROPOSED = {
  result: {
    ...PROPOSED.result,
    failure_modes: [1, 2, 3, 4, 5].map((rank) => {
      const { n: _, ...mode } = MODE;
      return { rank, ...mode };
    }),
    boundaries: ['none'],
    tests: ['one'],
  },
};
const CRITIQUE = { result: { agreements: ['a'], disputes: [], gaps: [], recommendation: 'Do it.' } };
const PLAN = {
  result: {
    steps: ['Write it.'],
    files: [{ path: 'sums.txt', change: 'one more sum' }],
    integration: ['none'],
    risks: [],
  },
};
const REVIEW = { result: { issues: [] } };
const SCAN = { result: { db: 'N/A', api: 'N/A', files: ['one folder'], tests: 'N/A' } };

/** Four failing attempts bring a run to the verify gate; it is given up after what the scenario is about. */
const spent = (roles: Roles, verify: readonly ScriptedAnswer[], more: Partial<Scenario> = {}) => ({
  ...base,
  script: script({ generator_single: BAD, ...roles }),
  answers: { ...planned, verify: [...verify, { option: 'stop' }] },
  commands: ['abandon'],
  result: 'abandoned',
  ...more,
});

const fixed = (diff: string, auto_fix: string, more: Partial<Scenario> = {}) => {
  const scenario = spent({ auto_fix_proposer: [proposal(diff)] }, [{ option: 'auto_fix' }], more);
  return { ...scenario, answers: { ...scenario.answers, auto_fix: [{ option: auto_fix }] } };
};

/** All modes, repairs, verdicts and ends in a tree of the run's own. */
const cloned: readonly Scenario[] = [
  { ...base, name: 'deliver-single' },
  {
    ...base,
    name: 'deliver-standard',
    input: { ...input, mode: 'standard' },
    script: script({
      architect: [PROPOSED],
      senior_dev: [PROPOSED],
      synthesis: [PLANNED],
      lead_developer: [PLAN],
      advisor_combined: [REVIEW],
      implementation: [GOOD],
    }),
  },
  {
    ...base,
    name: 'deliver-multi',
    input: { ...input, mode: 'multi' },
    script: script({
      architect: [PROPOSED],
      senior_dev: [PROPOSED],
      qa_specialist: [QA_PROPOSED],
      cross_critique: [CRITIQUE, CRITIQUE, CRITIQUE],
      synthesis: [PLANNED],
      lead_developer: [PLAN],
      advisor_code_quality: [REVIEW],
      advisor_test_stability: [REVIEW],
      implementation: [GOOD],
    }),
  },
  {
    ...base,
    name: 'deliver-repaired',
    script: script({ generator_single: [...BAD.slice(0, 1), GOOD] }),
    answers: { ...answers, ...NO_COMMIT },
  },
  {
    ...base,
    name: 'deliver-waived',
    script: script({ generator_single: BAD }),
    answers: {
      ...answers,
      verify: [{ option: 'stop' }, { option: 'continue' }],
      qa: [{ option: 'accept' }],
    },
    commands: ['resume'],
    result: 'accepted_as_is',
  },
  {
    ...base,
    name: 'deliver-stalled',
    script: script({
      generator_single: [writing('BAD luck'), writing('BAD luck'), writing('BAD luck'), GOOD],
    }),
    answers: { ...answers, verify: [{ option: 'stop' }], ...NO_COMMIT },
    commands: ['generate', 'evaluate', 'resume'],
  },
  {
    ...base,
    name: 'deliver-layer-two',
    script: script({ generator_single: [writing('one or two'), GOOD], evaluator: [FAILED_2, PASSED] }),
  },
  {
    ...base,
    name: 'deliver-round-two',
    script: script({ generator_single: [writing('one or two'), GOOD], evaluator: [FAILED_3, PASSED] }),
    answers: { ...answers, qa: [{ option: 'fix' }] },
  },
  {
    ...base,
    name: 'deliver-max-rounds',
    script: script({
      generator_single: [writing('two'), writing('three'), GOOD],
      evaluator: [FAILED_3, FAILED_3, FAILED_3],
    }),
    answers: { ...answers, qa: [{ option: 'fix' }, { option: 'fix' }] },
    result: 'max_rounds',
  },
  {
    ...base,
    name: 'deliver-no-verdict',
    script: script({ evaluator: [USELESS] }),
    answers: { ...answers, qa: [{ option: 'accept' }], ...NO_COMMIT },
    result: 'accepted_as_is',
  },
  {
    ...base,
    name: 'deliver-commit-all',
    script: script({ convention_scanner: [{ silence: true, attempts: [SCAN] }] }),
    answers: { ...answers, conventions: [{ option: 'scan' }], commit: [{ option: 'commit_all' }] },
  },
  {
    ...base,
    name: 'deliver-hook-refuses',
    files: { ...FILES, '.git/hooks/pre-commit': '#!/bin/sh\necho no\nexit 1\n' },
    answers: { ...answers, commit: [{ option: 'code_only' }, { option: 'no_commit' }] },
  },
  {
    ...base,
    name: 'deliver-checks-write',
    files: {
      ...FILES,
      'baton.yaml': `checks: { build: 'echo built > built.txt', test: 'test -f built.txt && sh check.sh > seen.txt' }\n`,
    },
    answers: { ...answers, ...NO_COMMIT },
  },
  {
    ...base,
    name: 'deliver-claude-md',
    files: {
      ...FILES,
      'CLAUDE.md': Array.from({ length: 60 }, (_, n) => `Rule ${n}`).join('\n'),
    },
    answers: { spec: answers.spec, commit: [{ option: 'code_only' }] },
  },
];

const autofix: readonly Scenario[] = [
  {
    ...fixed(patchOf('sums.txt', 'one and two'), 'apply'),
    name: 'deliver-autofix-verified',
    answers: {
      ...answers,
      verify: [{ option: 'auto_fix' }],
      auto_fix: [{ option: 'apply' }],
    },
    commands: [],
    result: 'passed',
  },
  { ...fixed(patchOf('sums.txt', 'BAD again'), 'apply'), name: 'deliver-autofix-stopped' },
  { ...fixed(patchOf('sums.txt', 'one and two'), 'reject'), name: 'deliver-autofix-rejected' },
  {
    ...fixed(patchOf('sums.txt', 'one and two'), 'stop', { commands: ['resume', 'abandon'] }),
    name: 'deliver-autofix-halted',
  },
  {
    ...spent({ auto_fix_proposer: [proposal('There is nothing to change.')] }, [{ option: 'auto_fix' }]),
    name: 'deliver-autofix-empty',
  },
  { ...fixed(patchOf('../../mine.txt', 'one'), 'apply'), name: 'deliver-autofix-hostile' },
  {
    ...spent({ auto_fix_proposer: [USELESS] }, [{ option: 'auto_fix' }]),
    name: 'deliver-autofix-silent',
  },
];

/** How a run is begun, steered by steps, and where workers go wrong. */
const steered: readonly Scenario[] = [
  {
    ...base,
    name: 'deliver-setup',
    input: { task: input.task },
    answers: {
      mode: [{ option: 'single' }],
      model: [{ option: 'custom', text: 'executor:nobody' }, { option: 'economy' }],
      ...answers,
      ...NO_COMMIT,
    },
  },
  {
    ...base,
    name: 'deliver-steps',
    input: { ...input, step: 'plan' },
    commands: ['generate', 'verify', 'evaluate', 'resume'],
  },
  {
    ...base,
    name: 'deliver-spec-changed',
    script: script({ synthesis: [PLANNED, { garbage: 'no', attempts: [PLANNED] }] }),
    answers: {
      ...answers,
      spec: [
        { option: 'modify', text: 'Say it in other words.', draft: { text: 'Say it' } },
        { option: 'stop' },
        { option: 'modify', text: 'And shorter.' },
        { option: 'proceed' },
      ],
      ...NO_COMMIT,
    },
    commands: ['resume'],
  },
  {
    ...base,
    name: 'deliver-no-result',
    script: script({
      generator_single: [
        {
          garbage: 'Done!',
          edits: [{ path: 'sums.txt', content: 'BAD half\n' }],
          attempts: [
            { silence: true, edits: [{ path: 'junk.txt', content: 'junk\n' }] },
            { garbage: 'Done!', edits: [{ path: 'mine.txt', delete: true }] },
          ],
        },
        GOOD,
      ],
    }),
    commands: ['resume'],
  },
  {
    ...base,
    name: 'deliver-reader-writes',
    script: script({
      planner_single: [
        { ...PLANNED, edits: [{ path: 'sums.txt', content: 'BAD reader\n' }], attempts: [PLANNED] },
      ],
      evaluator: [{ ...PASSED, edits: [{ path: 'junk.txt', content: 'junk\n' }], attempts: [PASSED] }],
    }),
    answers: { ...answers, ...NO_COMMIT },
  },
  {
    ...base,
    name: 'deliver-session-resumed',
    before: [{ ...base, name: 'deliver-earlier' }],
    answers: { session: [{ option: 'resume' }] },
    result: 'withdrawn',
  },
  {
    ...base,
    name: 'deliver-session-restarted',
    before: [{ ...base, name: 'deliver-earlier' }],
    answers: { ...answers, session: [{ option: 'restart' }] },
  },
];

/** In the person's own folder, with and without git. */
const inFolder: readonly Scenario[] = [
  { ...base, name: 'deliver-in-place', in_place: true, asks: true },
  {
    ...base,
    name: 'deliver-in-place-all',
    in_place: true,
    asks: true,
    answers: { ...answers, commit: [{ option: 'commit_all' }] },
  },
  {
    ...base,
    name: 'deliver-in-place-none',
    in_place: true,
    asks: true,
    answers: { ...answers, ...NO_COMMIT },
  },
  {
    ...fixed(patchOf('sums.txt', 'one and two'), 'apply', { in_place: true, asks: true }),
    name: 'deliver-in-place-autofix',
    answers: {
      ...answers,
      verify: [{ option: 'auto_fix' }],
      auto_fix: [{ option: 'apply' }],
    },
    commands: [],
    result: 'passed',
  },
  {
    name: 'deliver-without-git',
    workflow: base.workflow,
    files: FILES,
    input,
    script: script({ generator_single: [...BAD.slice(0, 1), GOOD] }),
    answers: planned,
    asks: true,
    result: 'passed',
  },
];

/** Every branch of `deliver`. Single mode and a shell script for a check wherever the branch allows it. */
export const deliverScenarios: readonly Scenario[] = [...cloned, ...autofix, ...steered, ...inFolder];
