import { describe, expect, test } from 'vitest';
import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import { answerPure, command, type PureRun, policy, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  begin,
  CHANGE_SET,
  callsOf,
  checked,
  checkResult,
  failedCalls,
  failing,
  keyOf,
  play,
  promptOf,
  rolesOf,
  stateOf,
  worked,
} from './fixture.ts';
import { evaluation, failingL2, failingL3 } from './results.ts';

describe('the generate chain', () => {
  test.each([
    ['single', ['generator_single']],
    ['standard', ['lead_developer', 'advisor_combined', 'implementation']],
    ['multi', ['lead_developer', 'advisor_code_quality+advisor_test_stability', 'implementation']],
  ])('WF-44: the dispatch graph of %s mode', (mode, expected) => {
    const planned = play(begin({ mode }), {}, ['gate spec']);
    const run = play(planned, {}, ['query change_set']);
    expect(rolesOf(run).slice(rolesOf(planned).length)).toEqual(expected);
  });

  test('WF-44: advisors run read-only and see the plan, never code; only the two who build may write', () => {
    const writing = Object.entries(deliverRoles).filter(([, role]) => role.profile.kind === 'writes');
    expect(writing.map(([name]) => name)).toEqual(['implementation', 'generator_single']);
    const run = play(begin({ mode: 'multi' }), {}, ['query change_set']);
    for (const call of callsOf(run)
      .flat()
      .filter(({ role }) => role.startsWith('advisor'))) {
      expect(Object.keys(call.slots)).toEqual(['spec', 'plan', 'test_cmd', 'user_lang']);
      expect(call.slots.plan).toEqual({ artefact: stateOf(run).attempt.plan });
    }
  });

  const atBuild = (replies: Parameters<typeof play>[1], from = 'gate spec') => {
    const run = play(play(begin({ mode: 'multi' }), {}, [from]), replies, ['gate commit', 'gate verify']);
    return callsOf(run)
      .flat()
      .filter(({ role }) => role === 'implementation');
  };

  test('WF-45: inputs of a first round', () => {
    const [first] = atBuild({});
    expect(first?.slots).toMatchObject({
      qa_feedback: { text: 'first round' },
      round: { text: '1' },
      scope: { text: '(no limit)' },
      max_files: { text: '20' },
      user_lang: { text: 'en' },
      failure: { text: '' },
      report: { text: '' },
      review_combined: { text: '' },
    });
    for (const name of ['spec', 'plan', 'review_code_quality', 'review_test_stability']) {
      expect(first?.slots[name]).toHaveProperty('artefact');
    }
  });

  test('WF-45: a layer-1 repair gets the failure in one line and the report', () => {
    const [, repair] = atBuild({
      check: (run, nth) =>
        nth <= 2 ? failing(run, 'test/export.test.ts expected 3 columns, got 4') : checked(run),
    });
    expect(repair?.slots.failure).toEqual({
      text: 'layer 1: test: test/export.test.ts:41 test/export.test.ts expected 3 columns, got 4',
    });
    expect(repair?.slots.report).toMatchObject({ json: { result: 'FAIL' } });
    expect(repair?.slots.qa_feedback).toEqual({ text: 'first round' });
  });

  test('WF-45: a layer-2 repair gets the QA report; round 2 gets it as feedback and has no failure', () => {
    const run = play(
      begin({ mode: 'multi' }),
      {
        'work evaluator': (at, nth) =>
          worked(at, ([failingL2, failingL3][nth - 1] ?? evaluation)(stateOf(at))),
        'gate qa': (at) => answerPure(at, 'fix'),
      },
      ['gate commit'],
    );
    const calls = callsOf(run)
      .flat()
      .filter(({ role }) => role === 'implementation');
    expect(calls).toHaveLength(3);
    const [, repair, second] = calls;
    expect(repair?.slots.failure).toEqual({ text: 'layer 2: no flag' });
    expect(repair && promptOf(run, repair)).toContain('Add the flag.');
    expect(second?.slots).toMatchObject({
      round: { text: '2' },
      failure: { text: '' },
      report: { text: '' },
    });
    expect(second && promptOf(run, second)).toContain('Rename it.');
    expect(rolesOf(run).filter((role) => role === 'lead_developer')).toHaveLength(2);
  });

  test('a generator without a result halts in generating; the same attempt is made again and counts once', () => {
    const at = play(begin(), {}, ['work generator_single']);
    const halted = settlePure(at, failedCalls(at, 'dispatch_failed'));
    expect([keyOf(halted.step), stateOf(halted).phase, stateOf(halted).attempt.attempts]).toEqual([
      'wait',
      'generating',
      1,
    ]);
    const again = signalPure(halted, command('resume'));
    expect(keyOf(again.step)).toBe('work generator_single');
    expect(stateOf(again).attempt.attempts).toBe(1);
  });

  test('WF-46: a path outside, or too many files, fails layer 1 with that reason, whatever the checks say', () => {
    const judged = (found: Record<string, unknown>) =>
      stateOf(
        play(
          begin(),
          { 'query change_set': () => ({ kind: 'queried', found: { ...CHANGE_SET, ...found } }) },
          ['phase verify_done'],
        ),
      );
    const outside = judged({
      modified: ['secret.env'],
      outside: [{ path: 'secret.env', code: 'outside_scope' }],
    });
    expect(outside.checks.report).toMatchObject({
      result: 'FAIL',
      error: 'scope: secret.env (outside_scope)',
    });
    const many = judged({ created: Array.from({ length: 21 }, (_, n) => `src/${n}.ts`), too_many: true });
    expect(many.checks.report).toMatchObject({
      result: 'FAIL',
      error: 'scope: 22 changed files',
      too_many: true,
    });
  });

  test('WF-46: in the person’s own folder a base is taken before each author, in a tree of the run’s own never', () => {
    const once = (run: PureRun, nth: number) => (nth === 2 ? failing(run) : checked(run));
    const bases = (facts = {}) => {
      const run = play(begin({}, facts), { check: once }, ['work evaluator']);
      const keys = run.steps.map(keyOf);
      return keys.flatMap((key, n) => (key === 'workspace take_base' ? [keys[n + 1]] : []));
    };
    expect(bases({ policy: { ...policy, in_place: true } })).toEqual([
      'work generator_single',
      'work generator_single',
    ]);
    expect(bases({ git: null })).toEqual(['work generator_single', 'work generator_single']);
    expect(bases()).toEqual([]);
  });

  test('a change set of thousands of files stays bounded and cannot be waved through', () => {
    const created = Array.from({ length: 4_000 }, (_, n) => `src/${n}.ts`);
    const run = play(
      begin(),
      { 'query change_set': () => ({ kind: 'queried', found: { ...CHANGE_SET, created, too_many: true } }) },
      ['gate verify'],
    );
    expect(keyOf(run.step)).toBe('gate verify');
    expect(run.step).toMatchObject({ gate: { offers: ['stop'] } });
    expect(JSON.stringify(run.state).length).toBeLessThan(40_000);
  });

  test('a failing check is told with its command and a skipped one is skipped', () => {
    const run = play(
      begin(),
      {
        check: (at, nth) =>
          nth === 1
            ? checked(at)
            : checked(at, {
                build: checkResult('build', 'fail', ['src/a.ts broken']),
                test: checkResult('test', 'skipped'),
                lint: checkResult('lint', 'skipped'),
              }),
      },
      ['gate verify'],
    );
    expect(stateOf(run).checks.report?.checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
      'build fail',
      'test skipped',
      'lint skipped',
      'type_check skipped',
    ]);
  });
});
