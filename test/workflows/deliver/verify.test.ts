import { describe, expect, test } from 'vitest';
import type { Autofix, DeliverChanges, DeliverState } from '../../../src/contract/deliver.ts';
import { isAutofixOffered } from '../../../src/workflows/deliver/repairs.ts';
import {
  answerPure,
  command,
  hashOf,
  notices,
  offered,
  type PureRun,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import {
  begin,
  CHANGE_SET,
  checked,
  checkResult,
  failing,
  keyOf,
  play,
  rolesOf,
  stateOf,
  stepsOf,
  withState,
  worked,
} from './fixture.ts';
import { evaluation, failingL2, failingL3 } from './results.ts';

/** From the untouched tree on, tests fail: with no name at all, or the way `how` says. */
const always = (how: (run: PureRun, nth: number) => string[] = () => []) => ({
  check: (run: PureRun, nth: number) => (nth === 1 ? checked(run) : failing(run, ...how(run, nth))),
});
const atGate = (input: Record<string, unknown> = {}) => play(begin(input), always(), ['gate verify']);
const GATE = atGate();

describe('layer 1', () => {
  test('WF-50: an always failing command: one and three generator calls, four passes with its second run, then the gate', () => {
    const run = GATE;
    expect(rolesOf(run)).toEqual(['planner_single', ...Array(4).fill('generator_single')]);
    expect(stepsOf(run).filter((key) => key === 'check')).toHaveLength(1 + 4 * 2);
    expect(stateOf(run)).toMatchObject({
      phase: 'verify_done',
      checks: { verify: { layer1_retries: 3, layer1_result: 'FAIL' } },
    });
  });

  test.each(['standard', 'multi'])(
    'WF-50: a repair in %s mode is one implementation worker, no new plan or review',
    (mode) => {
      const roles = rolesOf(atGate({ mode })).filter((role) => /lead|advisor|implementation/.test(role));
      expect(roles.slice(3)).toEqual(['implementation', 'implementation', 'implementation']);
    },
  );

  test('a repair is set and counted in the move that settles the failing pass', () => {
    const before = play(begin(), always(), ['phase verifying']);
    const again = settlePure(before, failing(before, 'a.ts x'));
    expect(stateOf(again)).toMatchObject({
      phase: 'verifying',
      checks: { verify: { layer1_retries: 0 }, recheck: { stage: 'again', checks: ['test'] } },
    });
    const after = settlePure(again, failing(again, 'a.ts x'));
    expect(stateOf(after)).toMatchObject({
      phase: 'generating',
      checks: { verify: { layer1_retries: 1 }, recheck: null },
      attempt: { repair: { layer: 1, attempt: 1, done: false } },
    });
  });

  test('two repairs that leave the same failures stop the series before its cap', () => {
    const run = play(
      begin(),
      always(() => ['test/a.test.ts wrong']),
      ['gate verify'],
    );
    expect(rolesOf(run).filter((role) => role === 'generator_single')).toHaveLength(3);
    expect(stateOf(run)).toMatchObject({ checks: { stalled: true, verify: { layer1_retries: 2 } } });
    expect(offered(run)).toEqual(['continue', 'stop']);
    const forced = signalPure(run, command('generate'));
    expect(stateOf(forced)).toMatchObject({
      phase: 'generating',
      checks: { verify: { layer1_retries: 3 }, stalled: false },
    });
  });

  test('failures that change from repair to repair spend the whole cap', () => {
    const run = play(
      begin(),
      always((_, nth) => [`test/${nth}.test.ts wrong`]),
      ['gate verify'],
    );
    expect(stateOf(run).checks.verify.layer1_retries).toBe(3);
    expect(stateOf(run).checks.stalled).toBe(false);
  });

  test('failures of the untouched tree do not count, new ones beside them do', () => {
    const old = ['test/old.test.ts broken'];
    const quiet = play(begin(), { check: (run) => failing(run, ...old) }, ['phase evaluating']);
    expect(stateOf(quiet).checks.report).toMatchObject({ result: 'PASS' });
    expect(stateOf(quiet).checks.report?.checks[1]).toMatchObject({
      result: 'fail',
      judged: 'pass',
      old: 1,
      fresh: 0,
    });
    const fresh = play(
      begin(),
      { check: (run, nth) => failing(run, ...old, ...(nth > 1 ? ['src/new.ts wrong'] : [])) },
      ['gate verify'],
    );
    expect(stateOf(fresh).checks.report?.checks[1]).toMatchObject({ judged: 'fail', old: 1, fresh: 1 });
    expect(JSON.stringify(fresh.step)).toContain('deliver.verify.old');
  });

  test.each([
    [[], false, 'PASS', 'PASS'],
    [[{ path: 'src/a.ts', line: 3, text: 'TODO: later' }], false, 'WARN', 'PASS'],
    [[{ path: 'src/a.ts', line: 3, text: 'TODO: later' }], true, 'FAIL', 'FAIL'],
    [null, true, 'SKIPPED', 'PASS'],
  ])('WF-48: markers %j, blocking %s: scan %s, layer 1 %s', (todo, todo_blocking, scan, result) => {
    const found = { kind: 'queried', found: { ...CHANGE_SET, todo } } as const;
    const run = play(begin({ todo_blocking }), { 'query change_set': () => found }, ['phase verify_done']);
    expect(stateOf(run).checks.report).toMatchObject({ result, scan: { result: scan } });
  });

  test('WF-49: FAIL exactly when a failing item is in the report; nothing executed is flagged', () => {
    const RESULTS = ['pass', 'fail', 'skipped', 'unavailable'] as const;
    const at = play(begin(), {}, ['phase verifying']);
    for (const build of RESULTS) {
      for (const tests of RESULTS) {
        for (const lint of RESULTS) {
          const results = { build, test: tests, lint };
          const outcome = checked(
            at,
            Object.fromEntries(Object.entries(results).map(([name, one]) => [name, checkResult(name, one)])),
          );
          const {
            checks: { report },
          } = stateOf(settlePure(at, outcome));
          const fails = Object.values(results).some((one) => one === 'fail' || one === 'unavailable');
          expect(report?.result, JSON.stringify(results)).toBe(fails ? 'FAIL' : 'PASS');
          expect(report?.checks.some(({ judged }) => judged === 'fail')).toBe(fails);
          expect(report?.error === null).toBe(!fails);
          const executed = Object.values(results).some((one) => one === 'pass' || one === 'fail');
          expect(report?.nothing_executed).toBe(!executed);
        }
      }
    }
  });

  test('WF-49: the report has command, result, duration, counts and failures of each check', () => {
    const at = play(begin(), {}, ['phase verifying']);
    const counts = { total: 9, passed: 7, failed: 1, skipped: 1 };
    const problems = { errors: 2, warnings: 5 };
    const outcome = checked(at, {
      test: { ...checkResult('test', 'fail', ['test/a.ts wrong']), counts, seconds: 3 },
      lint: { ...checkResult('lint', 'fail', ['src/b.ts bad']), problems, seconds: 4 },
    });
    const {
      checks: { report },
    } = stateOf(settlePure(at, outcome));
    expect(report?.checks).toMatchObject([
      { name: 'build', command: 'npm run build', result: 'pass', exit: 0, seconds: 1 },
      {
        ...{ name: 'test', command: 'npm test', result: 'fail', exit: 1, seconds: 3, counts, problems: null },
        failures: [{ file: 'test/a.ts', line: 41, text: 'test/a.ts wrong' }],
      },
      {
        ...{
          name: 'lint',
          command: 'npm run lint',
          result: 'fail',
          exit: 1,
          seconds: 4,
          counts: null,
          problems,
        },
        failures: [{ file: 'src/b.ts', line: 41, text: 'src/b.ts bad' }],
      },
      { name: 'type_check', command: null, result: 'skipped' },
    ]);
  });

  test('WF-49: a project without commands passes, flagged', () => {
    const none = { lang: 'unknown', build: null, test: null, lint: null, type_check: null };
    const run = play(begin(), { 'query project': () => ({ kind: 'queried', found: none }) }, [
      'phase evaluating',
    ]);
    expect(stateOf(run).checks.report).toMatchObject({ result: 'PASS', nothing_executed: true });
    expect(notices(run, 'en').join()).toContain('nothing was executed');
  });
});

describe('gate Verify', () => {
  const record = (applied: Autofix['applied']): Autofix => ({
    last_patch_path: hashOf('p'),
    applied,
    reason: null,
    triggered_at: '2026-11-15T10:00:00.000Z',
  });

  test.each([
    [null, ['auto_fix', 'continue', 'stop']],
    ['verified', ['continue', 'stop']],
    ['stopped', ['continue', 'stop']],
    ['rejected', ['continue', 'stop']],
  ] as const)('WF-52: auto-fix %s: the options are %j', (applied, options) => {
    const run = GATE;
    const verify = { ...stateOf(run).checks.verify, autofix_attempted: applied !== null };
    const checks = { autofix: applied ? record(applied) : null, verify };
    expect(offered(withState(run, { checks }))).toEqual(options);
  });

  test.each([false, true])(
    'WF-52: with the right used %s, the auto-fix is offered only beside no record',
    (used) => {
      const all = [null, 'proposed', 'accepted', 'applied', 'verified', 'stopped', 'rejected'] as const;
      const seen = all.filter((applied) =>
        isAutofixOffered({
          ...stateOf(GATE),
          checks: {
            ...stateOf(GATE).checks,
            autofix: applied ? record(applied) : null,
            verify: { ...stateOf(GATE).checks.verify, autofix_attempted: used },
          },
        }),
      );
      expect(seen).toEqual(used ? [] : [null]);
    },
  );

  test('WF-52: Continue stores a waiver with the name and goes to the evaluator; Stop is a hold', () => {
    const run = GATE;
    expect(run.def.gates.verify?.options.stop?.effect_on_run).toBe('hold');
    const on = answerPure(run, 'continue');
    expect(stateOf(on)).toMatchObject({
      phase: 'evaluating',
      checks: {
        waiver: { by: 'Ada <ada@example.org>', error: 'test: exit 1' },
        verify: { layer1_result: 'FAIL', layer1_retries: 3 },
      },
    });
  });

  test('WF-89: it shows attempts used, the latest error and the report', () => {
    const text = JSON.stringify(atGate().step);
    expect(text).toContain('"used":3');
    expect(text).toContain('test: exit 1');
    expect(text).toContain('verify_report.md');
  });
});

describe('resuming at verify_done', () => {
  /** Step that must follow each (autofix, result, retries); the proposal is stored unless said. */
  function expected(applied: Autofix['applied'] | null, result: 'PASS' | 'FAIL', retries: number): string {
    if (applied === 'proposed') return 'gate auto_fix';
    if (applied === 'accepted') return 'workspace apply_patch';
    if (applied === 'applied') return 'query change_set';
    if (result === 'PASS') return 'evaluating';
    return retries < 3 ? 'generating' : 'gate verify';
  }

  const APPLIED = [null, 'proposed', 'accepted', 'applied', 'verified', 'stopped', 'rejected'] as const;
  const rows = APPLIED.flatMap((applied) =>
    (['PASS', 'FAIL'] as const).flatMap((result) =>
      [0, 1, 2, 3].map((retries) => [applied, result, retries] as const),
    ),
  );

  test.each(rows)('WF-27: auto-fix %s, %s, %i retries', (applied, result, retries) => {
    const gate = GATE;
    const base = stateOf(gate);
    const due =
      result === 'FAIL' && retries < 3 ? { layer: 1, attempt: retries + 1, error: 'x', done: false } : null;
    const state = {
      halted: { kind: 'style', why: { msg: 'deliver.halt.none' } },
      was_idle: true,
      checks: {
        autofix: applied
          ? { last_patch_path: hashOf('p'), applied, reason: null, triggered_at: base.created_at }
          : null,
        proposal:
          applied === 'proposed'
            ? { confidence: 'High', targets: ['src/a.ts'], hunks: 1, rationale: 'x', limitations: null }
            : null,
        pass: applied === 'applied' ? 'patch' : 'attempt',
        pass_due: applied === 'applied',
        report: { ...(base.checks.report as object), result },
        verify: {
          ...base.checks.verify,
          layer1_result: applied === 'applied' ? null : result,
          // A repair that is due has been counted already.
          layer1_retries: due ? due.attempt : retries,
          autofix_attempted: applied !== null && applied !== 'proposed',
        },
      },
      attempt: { repair: due },
    } as DeliverChanges;
    const before = withState(gate, state);
    const after = signalPure(before, command('resume'));
    const step = keyOf(after.step);
    const phase = stateOf(after).phase;
    expect(phase === 'verify_done' ? step : phase).toBe(expected(applied, result, retries));
    const counters = ({ checks: { verify } }: DeliverState) => [
      verify.layer1_retries,
      verify.layer2_retries,
      verify.autofix_attempted,
    ];
    expect(counters(stateOf(after))).toEqual(counters(stateOf(before)));
    if (step === 'gate verify') expect(offered(after).includes('auto_fix')).toBe(applied === null);
  });

  test('WF-54: resuming at proposed without a stored patch asks the proposer again, never the first gate', () => {
    const asked = answerPure(atGate(), 'auto_fix');
    expect(keyOf(asked.step)).toBe('work auto_fix_proposer');
    expect(keyOf(withState(asked, {}).step)).toBe('work auto_fix_proposer');
  });
});

describe('the budget of layer 1', () => {
  test('WF-51: a layer-2 repair gives nothing back, a new round does', () => {
    const run = play(
      begin(),
      {
        check: (at, nth) => (nth > 1 && nth < 6 ? failing(at, `test/${nth}.ts x`) : checked(at)),
        'work evaluator': (at, nth) =>
          worked(at, ([failingL2, failingL3][nth - 1] ?? evaluation)(stateOf(at))),
        'gate qa': (at) => answerPure(at, 'fix'),
      },
      ['gate commit'],
    );
    const counts = run.states.map((state) => stateOf({ ...run, state }).checks.verify.layer1_retries);
    expect(counts.filter((count, n) => count !== counts[n - 1])).toEqual([0, 1, 2, 0]);
    const atReset = counts.findIndex((count, n) => n > 0 && count === 0 && counts[n - 1] === 2);
    expect(stateOf({ ...run, state: run.states[atReset] as never })).toMatchObject({
      phase: 'generate_ready',
      round: 2,
    });
  });

  test('WF-91: stopped in round 1, Fix, always failing in round 2: three repairs and a gate without auto-fix', () => {
    const first = play(atGate(), {
      ...always(),
      check: (at) => failing(at),
      'gate verify': (at, nth) =>
        nth === 1 ? answerPure(at, 'auto_fix') : nth === 2 ? answerPure(at, 'continue') : null,
      'gate auto_fix': (at) => answerPure(at, 'apply'),
      'work evaluator': (at) => worked(at, failingL3(stateOf(at))),
      'gate qa': (at) => answerPure(at, 'fix'),
    });
    expect(stateOf(first)).toMatchObject({
      round: 2,
      checks: { autofix: { applied: 'stopped' }, verify: { layer1_retries: 3 } },
    });
    expect(offered(first)).toEqual(['continue', 'stop']);
    const inRound2 = first.states.filter((state) => stateOf({ ...first, state }).round === 2);
    expect(Math.max(...inRound2.map((state) => stateOf({ ...first, state }).attempt.attempts))).toBe(4);
  });

  test('WF-59: whoever asks for an auto-fix wherever there is one gets one patch in three rounds', () => {
    const run = play(atGate(), {
      ...always(),
      check: (at) => failing(at),
      'gate verify': (at) => answerPure(at, offered(at)[0] ?? ''),
      'gate auto_fix': (at) => answerPure(at, 'apply'),
      'work evaluator': (at) => worked(at, failingL3(stateOf(at))),
      'gate qa': (at) => answerPure(at, 'fix'),
    });
    expect(stateOf(run)).toMatchObject({
      phase: 'completed',
      round: 3,
      verdict: { completion_reason: 'max_rounds' },
    });
    const gates = run.steps.flatMap((step) => (step.kind === 'gate' ? [step.gate.name] : []));
    expect(gates.filter((name) => name === 'verify')).toHaveLength(4);
    expect(gates.filter((name) => name === 'auto_fix')).toHaveLength(1);
    expect(gates.filter((name) => name === 'qa')).toHaveLength(2);
  });
});
