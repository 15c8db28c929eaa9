import { describe, expect, test } from 'vitest';
import { answerPure, notices, settlePure } from '../../support/pure-run.ts';
import {
  begin,
  callsOf,
  checked,
  failing,
  okCalls,
  play,
  resultOf,
  SLUG,
  stateOf,
  worked,
} from './fixture.ts';
import { evaluation, failingL2, fix } from './results.ts';

describe('progress', () => {
  const run = play(begin({ mode: 'multi' }), {
    check: (at, nth) => (nth === 2 || nth === 3 ? failing(at, 'test/a.test.ts wrong') : checked(at)),
    'work evaluator': (at, nth) => worked(at, (nth === 1 ? failingL2 : evaluation)(stateOf(at))),
  });

  test('WF-88: golden list of a multi-mode run with one repair of each layer', () => {
    const checks = ['Verify - running checks', 'Checks: PASS.', 'Verify - complete'];
    expect(notices(run, 'en')).toEqual([
      `Setup done. Folder photo-tool, branch baton/deliver-${SLUG}; mode multi, models balanced, verifier haiku, style auto, language en. Build: npm run build; test: npm test; lint: npm run lint; types: none. Scope: (no limit). Output: docs/baton/${SLUG}/`,
      'It starts from commit aaaaaaaaaaaa; what you have not committed is not in it.',
      'Baseline: every check passes on the untouched tree.',
      'Conventions: copied from CLAUDE.md (60 lines).',
      'Plan - in progress',
      'architect: done.',
      'senior_dev: done.',
      'qa_specialist: done.',
      'Proposals: 3 of 3.',
      'architect: done.',
      'senior_dev: done.',
      'qa_specialist: done.',
      'Critiques: 3 of 3.',
      'synthesis: done.',
      'Specification revision 1: 2 criteria, 1 edge case.',
      'Plan - complete',
      'Revision 1 approved by Ada <ada@example.org>.',
      'Generate - in progress',
      'lead_developer: done.',
      'advisor_code_quality: done.',
      'advisor_test_stability: done.',
      'Reviews: 2 of 2.',
      'implementation: done.',
      '2 files changed.',
      'Generate - complete',
      'Verify - running checks',
      'Failed: test. Each runs once more on the same files before a repair is counted.',
      'Checks: FAIL. test: test/a.test.ts:41 test/a.test.ts wrong',
      'Verify - complete',
      'Repair, layer 1, 1 of 3.',
      'Generate - in progress',
      'implementation: done.',
      '2 files changed.',
      'Generate - complete',
      ...checks,
      'Evaluate - in progress',
      'evaluator: done.',
      'Evaluation: FAIL, layer 2. 1 of 2 criteria with evidence, 1 open.',
      'Evaluate - complete',
      'Repair, layer 2, 1 of 2: no flag',
      'Generate - in progress',
      'implementation: done.',
      '2 files changed.',
      'Generate - complete',
      ...checks,
      'Evaluate - in progress',
      'evaluator: done.',
      'Evaluation: PASS. 2 of 2 criteria with evidence, 0 open.',
      'Evaluate - complete',
      'Passed: every criterion has evidence.',
      'Completed',
      'Committed as cccccccccccc.',
      `On branch baton/deliver-${SLUG}. To take it over: git merge baton/deliver-${SLUG}`,
    ]);
  });

  test('the same lines exist in Korean', () => {
    const korean = notices(run, 'ko');
    expect(korean).toHaveLength(notices(run, 'en').length);
    expect(korean).toContain('수정, 1층, 3번 중 1번째.');
  });

  test('WF-88: auto-fix files and targets are told, and "reverted" when an apply failed', () => {
    const named = {
      check: (at: Parameters<typeof failing>[0], nth: number) =>
        nth === 1 ? checked(at) : failing(at, `src/${nth}.ts wrong`),
    };
    const gate = play(begin(), named, ['gate verify']);
    const failed = play(
      answerPure(gate, 'auto_fix'),
      {
        'work auto_fix_proposer': (at) => worked(at, fix()),
        'gate auto_fix': (at) => answerPure(at, 'apply'),
        'workspace apply_patch': () => ({
          kind: 'written',
          result: { applied: false, reason: 'failed_hunk' },
        }),
      },
      ['gate verify'],
    );
    const told = notices(failed, 'en').join('\n');
    expect(told).toContain('Auto-fix reads: src/9.ts.');
    expect(told).toContain('Targets: src/export.ts.');
    expect(told).toContain('reverted');
  });

  test('WF-88: each worker is told with its own line, cut to one line', () => {
    const asked = play(begin(), {}, ['work planner_single']);
    const said = okCalls(
      asked,
      callsOf(asked)
        .at(-1)
        ?.map((call) => resultOf(asked, call)) ?? [],
    ).map((call) => ({ ...call, line: 'spec.md generated - 2 acceptance\ncriteria, 1 edge case' }));
    const told = notices(settlePure(asked, { kind: 'worked', calls: said }), 'en');
    expect(told).toContain('planner_single: spec.md generated - 2 acceptance criteria, 1 edge case');
  });
});
