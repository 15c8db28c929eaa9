import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckFailure, CheckResult } from '../../../src/contract/outcome.ts';
import type { CheckCommands } from '../../../src/engine/detect-checks.ts';
import {
  failurePrint,
  firstFailure,
  hasStalled,
  type JudgeInput,
  judgeCheck,
  judgeChecks,
  toBaseline,
} from '../../../src/engine/judge-checks.ts';

const NAMES = ['build', 'test', 'lint', 'type_check'] as const;
const found = (name: string) => ({ command: `make ${name}`, source: 'baton.yaml' });
const ALL: CheckCommands = {
  build: found('build'),
  test: found('test'),
  lint: found('lint'),
  type_check: found('type_check'),
};

function result(name: string, more: Partial<CheckResult> = {}): CheckResult {
  return {
    ...{ name, result: 'pass', exit: 0, timed_out: false, seconds: 1, output: null, note: null },
    ...{
      tool: null,
      counts: null,
      problems: null,
      failures: [],
      keys: [],
      complete: true,
      fingerprint: null,
    },
    ...more,
  };
}

const failure = (key: string): CheckFailure => ({ file: `src/${key}.ts`, line: 3, text: `no ${key}`, key });

/** A failing check that names these items. */
function failing(name: string, keys: readonly string[], more: Partial<CheckResult> = {}): CheckResult {
  const fingerprint = `sha256:${keys.join('+')}` as const;
  return result(name, { result: 'fail', exit: 1, keys, failures: keys.map(failure), fingerprint, ...more });
}

const input = (more: Partial<JudgeInput>): JudgeInput => ({
  ...{ commands: ALL, checks: NAMES.map((name) => result(name)), baseline: null },
  ...{ todo: [], todo_blocking: false, outside: [], files: 1, max_files: 20, judge_all: false },
  ...more,
});

const MARKER = { path: 'src/a.ts', line: 2, text: '// TODO: later' };

describe('old and new failures', () => {
  const judge = (now: CheckResult, before: CheckResult | null, all = false) => {
    const verdict = judgeCheck(now, before && toBaseline(before), all);
    return [verdict.judged, verdict.fresh.length, verdict.old.length, verdict.fresh_count, verdict.old_count];
  };

  test.each<readonly [string, CheckResult, CheckResult | null, readonly unknown[]]>([
    ['a pass is a pass', result('test'), failing('test', ['a']), ['pass', 0, 0, 0, 0]],
    ['without a baseline all count', failing('test', ['a', 'b']), null, ['fail', 2, 0, 2, 0]],
    ['after a passing baseline all count', failing('test', ['a']), result('test'), ['fail', 1, 0, 1, 0]],
    [
      'the same items are old',
      failing('test', ['b', 'a']),
      failing('test', ['a', 'b']),
      ['pass', 0, 2, 0, 2],
    ],
    ['fewer items are old', failing('test', ['a']), failing('test', ['a', 'b']), ['pass', 0, 1, 0, 1]],
    [
      'a new one counts beside old ones',
      failing('test', ['a', 'c']),
      failing('test', ['a']),
      ['fail', 1, 1, 1, 1],
    ],
    [
      'a check skipped on the untouched tree has no old failures',
      failing('test', ['a']),
      result('test', { result: 'skipped' }),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'without names the same fingerprint is old',
      failing('test', [], { fingerprint: 'sha256:x' }),
      failing('test', [], { fingerprint: 'sha256:x' }),
      ['pass', 0, 1, 0, 1],
    ],
    [
      'without names another fingerprint counts',
      failing('test', [], { fingerprint: 'sha256:x' }),
      failing('test', [], { fingerprint: 'sha256:y' }),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'names that are not all there are not trusted',
      failing('test', ['a'], { complete: false, fingerprint: 'sha256:x' }),
      failing('test', ['a']),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'a runner that counts more than it names is not trusted',
      failing('test', ['a'], { counts: { total: 9, passed: 7, failed: 2, skipped: 0 } }),
      failing('test', ['a'], {
        counts: { total: 9, passed: 8, failed: 1, skipped: 0 },
        fingerprint: 'sha256:y',
      }),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'more errors than before count although every name is known',
      failing('lint', ['a', 'b'], { problems: { errors: 5, warnings: 0 } }),
      failing('lint', ['a', 'b', 'c'], { problems: { errors: 3, warnings: 0 } }),
      ['fail', 2, 0, 2, 0],
    ],
    [
      'a time limit that was kept before counts',
      failing('test', ['a'], { timed_out: true, exit: null }),
      failing('test', ['a']),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'the same time limit is old',
      failing('test', [], { timed_out: true, complete: false }),
      failing('test', [], { timed_out: true, complete: false }),
      ['pass', 0, 1, 0, 1],
    ],
    [
      'warnings that were there beside an error are old when only they are left',
      failing('lint', ['w1', 'w2']),
      failing('lint', ['e1', 'w1', 'w2']),
      ['pass', 0, 2, 0, 2],
    ],
    [
      'a new warning beside an old error does not count',
      failing('lint', ['e1', 'w1', 'w2'], { failures: [failure('e1')] }),
      failing('lint', ['e1', 'w1'], { failures: [failure('e1')] }),
      ['pass', 0, 1, 0, 1],
    ],
    ['a skipped check says nothing', result('test', { result: 'skipped' }), null, ['none', 0, 0, 0, 0]],
    [
      'a command that was never there says nothing',
      result('test', { result: 'unavailable' }),
      result('test', { result: 'unavailable' }),
      ['none', 0, 0, 0, 0],
    ],
    [
      'a command that is gone counts, also when it failed before',
      result('test', { result: 'unavailable', exit: 127 }),
      failing('test', ['a']),
      ['fail', 1, 0, 1, 0],
    ],
    [
      'a command that is gone counts',
      result('test', { result: 'unavailable' }),
      result('test'),
      ['fail', 1, 0, 1, 0],
    ],
  ])('%s', (_, now, before, expected) => {
    expect(judge(now, before)).toEqual(expected);
  });

  test('a new item beyond those listed by name still counts', () => {
    const keys = Array.from({ length: 60 }, (_, n) => `k${n}`);
    const now = failing('test', keys, { failures: keys.slice(0, 40).map(failure) });
    expect(judge(now, failing('test', keys.slice(0, 59)))).toEqual(['fail', 1, 40, 1, 59]);
  });

  test('judge_all makes every failure count', () => {
    const same = failing('test', ['a']);
    expect(judge(same, same, true)).toEqual(['fail', 1, 0, 1, 0]);
    expect(judgeChecks(input({ checks: [same], baseline: [same], judge_all: true })).result).toBe('FAIL');
    expect(judgeChecks(input({ checks: [same], baseline: [same] })).result).toBe('PASS');
  });
});

/** Any result of a check with items out of a few. */
const anyResult = (name: string) =>
  fc
    .record({
      end: fc.constantFrom('pass', 'fail', 'fail', 'skipped', 'unavailable' as const),
      keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'w1'), { maxLength: 4 }),
      complete: fc.boolean(),
      timed_out: fc.boolean(),
    })
    .map(({ end, keys, complete, timed_out }) =>
      end === 'fail' ? failing(name, keys, { complete, timed_out }) : result(name, { result: end as 'pass' }),
    );

const anyInput: fc.Arbitrary<JudgeInput> = fc
  .record({
    checks: fc.tuple(...NAMES.map(anyResult)),
    baseline: fc.option(fc.tuple(...NAMES.map(anyResult))),
    without: fc.subarray([...NAMES]),
    todo: fc.option(fc.constantFrom([], [MARKER])),
    todo_blocking: fc.boolean(),
    outside: fc.constantFrom([], [], [{ path: 'x', code: 'outside_scope' }]),
    files: fc.constantFrom(0, 20, 21),
    judge_all: fc.boolean(),
  })
  .map(({ without, ...rest }) => {
    const commands = { ...ALL, ...Object.fromEntries(without.map((name) => [name, null])) };
    return { ...rest, commands, max_files: 20 };
  });

describe('the result of layer 1', () => {
  test('WF-49 INV-13 it is FAIL exactly when the report has a failing item, and the same evidence gives the same', () => {
    fc.assert(
      fc.property(anyInput, (some) => {
        const judgement = judgeChecks(some);
        const { checks, scan, scope } = judgement.report;
        const failingItem =
          checks.some(({ fresh }) => fresh.length > 0) || scan.result === 'FAIL' || scope.result === 'FAIL';
        expect(judgement.result).toBe(failingItem ? 'FAIL' : 'PASS');
        expect(judgement.reasons.length > 0).toBe(failingItem);
        expect(checks.map(({ name }) => name)).toEqual(NAMES);
        for (const { judged, fresh, old, result: end } of checks) {
          expect(judged === 'fail').toBe(fresh.length > 0);
          if (end === 'fail') expect(fresh.length + old.length).toBeGreaterThan(0);
          if (end === 'pass' || end === 'skipped') expect(fresh.length + old.length).toBe(0);
        }
        expect(judgeChecks(structuredClone(some))).toEqual(judgement);
      }),
      { numRuns: 2000 },
    );
  });

  test('WF-49 without a baseline it is FAIL exactly when an executed check failed, the scan blocks or a limit is left', () => {
    fc.assert(
      fc.property(anyInput, (some) => {
        const ran = some.checks.filter(({ name }) => some.commands[name as 'test'] !== null);
        const expected =
          ran.some(({ result: end }) => end === 'fail' || end === 'unavailable') ||
          (some.todo_blocking && (some.todo ?? []).length > 0) ||
          some.outside.length > 0 ||
          some.files > 20;
        expect(judgeChecks({ ...some, baseline: null }).result).toBe(expected ? 'FAIL' : 'PASS');
      }),
      { numRuns: 2000 },
    );
  });

  test('WF-49 all checks skipped is a PASS that says that nothing was executed', () => {
    const none = { build: null, test: null, lint: null, type_check: null };
    const judged = (more: Partial<JudgeInput>) => {
      const { result: end, executed } = judgeChecks(input(more));
      return [end, executed];
    };
    expect(judged({ commands: none, checks: [] })).toEqual(['PASS', false]);
    expect(judged({ checks: NAMES.map((name) => result(name, { result: 'skipped' })) })).toEqual([
      'PASS',
      false,
    ]);
    expect(judged({ commands: { ...none, test: ALL.test }, checks: [result('test')] })).toEqual([
      'PASS',
      true,
    ]);
  });

  test('WF-49 the report has command, result, duration, counts and places of each check, and the scan', () => {
    const counts = { total: 3, passed: 2, failed: 1, skipped: 0 };
    const problems = { errors: 0, warnings: 4 };
    const checks = [failing('test', ['a'], { counts, seconds: 2.5 }), result('lint', { problems })];
    const { report } = judgeChecks(input({ commands: { ...ALL, type_check: null }, checks, todo: [MARKER] }));
    expect(report.checks).toMatchObject([
      { name: 'build', command: 'make build', result: 'skipped', judged: 'none' },
      {
        ...{
          name: 'test',
          command: 'make test',
          source: 'baton.yaml',
          result: 'fail',
          judged: 'fail',
          exit: 1,
        },
        ...{ seconds: 2.5, counts, fresh: [{ check: 'test', file: 'src/a.ts', line: 3, text: 'no a' }] },
      },
      { name: 'lint', command: 'make lint', result: 'pass', judged: 'pass', problems },
      { name: 'type_check', command: null, result: 'skipped', judged: 'none' },
    ]);
    expect(report.scan).toEqual({ result: 'WARN', markers: [MARKER] });
  });

  test('reasons name what counts', () => {
    const judgement = judgeChecks(
      input({
        checks: [failing('test', ['a', 'b']), result('lint', { result: 'unavailable' })],
        outside: [{ path: '../x', code: 'parent_segment' }],
        ...{ files: 21, todo: [MARKER], todo_blocking: true },
      }),
    );
    expect(judgement.reasons).toEqual([
      { code: 'outside', path: '../x', rule: 'parent_segment' },
      { code: 'too_many_files', files: 21, max_files: 20 },
      { code: 'check_failed', check: 'test', count: 2 },
      { code: 'check_lost', check: 'lint', count: 1 },
      { code: 'markers_block', count: 1 },
    ]);
    expect(firstFailure(judgement)).toMatchObject({ check: 'test', text: 'no a' });
  });
});

describe('progress of repairs', () => {
  const printOf = (...checks: CheckResult[]) => failurePrint(judgeChecks(input({ checks })));

  test('two repairs that leave the same failures behind have stalled', () => {
    const same = printOf(failing('test', ['a']));
    expect(hasStalled([same, same])).toBe(true);
    expect(hasStalled([printOf(failing('test', ['b'])), same, same])).toBe(true);
    expect(hasStalled([same])).toBe(false);
    expect(hasStalled([same, printOf(failing('test', ['b']))])).toBe(false);
    expect(hasStalled([same, printOf(failing('lint', ['a']))])).toBe(false);
    expect(hasStalled([])).toBe(false);
  });

  test('a pass has no print and never stalls', () => {
    expect(printOf()).toBe('');
    expect(hasStalled(['', ''])).toBe(false);
  });

  test('what lies outside the scope is part of the print', () => {
    const print = (path: string) =>
      failurePrint(judgeChecks(input({ outside: [{ path, code: 'outside_scope' }] })));
    expect(print('a')).not.toBe(print('b'));
    expect(print('a')).toBe(print('a'));
  });
});
