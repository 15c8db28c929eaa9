import { describe, expect, test } from 'vitest';
import { failingFiles, outlinePatch } from '../../../src/workflows/deliver/autofix.ts';
import {
  answerPure,
  command,
  notices,
  offered,
  type PureRun,
  settlePure,
  signalPure,
  slotsOf,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  begin,
  checked,
  failedCalls,
  failing,
  keyOf,
  play,
  rolesOf,
  stateOf,
  withState,
  worked,
} from './fixture.ts';
import { fix, PATCH } from './results.ts';

const failAlways = { check: (run: PureRun, nth: number) => (nth === 1 ? checked(run) : failing(run)) };
const GATE = play(begin(), failAlways, ['gate verify']);
const atFirstGate = () => GATE;
const asked = () => answerPure(atFirstGate(), 'auto_fix');
const propose = (result: unknown) => {
  const run = asked();
  return settlePure(run, worked(run, result));
};
const atGate = () => propose(fix());

describe('auto-fix', () => {
  test('WF-53: chosen at the first gate it is proposed, on record before the proposer is called', () => {
    const run = asked();
    expect(keyOf(run.step)).toBe('work auto_fix_proposer');
    expect(stateOf(run)).toMatchObject({
      checks: {
        autofix: { applied: 'proposed', last_patch_path: null, reason: null },
        verify: { autofix_attempted: false },
      },
    });
  });

  test('WF-53: every edge of the sub-machine, each together with the used right', () => {
    const gate = atGate();
    const apply = answerPure(gate, 'apply');
    const fails = { check: (run: PureRun) => failing(run) };
    const applied = settlePure(apply, { kind: 'written', result: { applied: true } });
    const refused = (reason: string) =>
      settlePure(apply, { kind: 'written', result: { applied: false, reason } });
    const edges: [PureRun, string, string | null, boolean][] = [
      [gate, 'proposed', null, false],
      [apply, 'accepted', null, true],
      [applied, 'applied', null, true],
      [play(applied, {}, ['phase evaluate_ready']), 'verified', null, true],
      [play(applied, fails, ['gate verify']), 'stopped', null, true],
      [answerPure(gate, 'reject'), 'rejected', 'rejected_by_user', true],
      [answerPure(gate, 'stop'), 'rejected', 'stopped_by_user', true],
      [propose(fix({ diff: '' })), 'rejected', 'empty_patch', true],
      [refused('path_violation'), 'rejected', 'path_violation', true],
      [refused('failed_hunk'), 'rejected', 'failed_hunk', true],
      [refused('refused_kind'), 'rejected', 'refused_kind', true],
      [refused('empty_patch'), 'rejected', 'empty_patch', true],
    ];
    for (const [run, state, reason, used] of edges) {
      expect(stateOf(run).checks.autofix).toMatchObject({ applied: state, reason });
      expect(stateOf(run).checks.verify.autofix_attempted).toBe(used);
    }
  });

  test('WF-53: a proposer from whom nothing came gives the right back', () => {
    const run = asked();
    const after = settlePure(run, failedCalls(run, 'dispatch_failed'));
    expect(stateOf(after)).toMatchObject({ checks: { autofix: null, verify: { autofix_attempted: false } } });
    expect(offered(after)).toEqual(['auto_fix', 'continue', 'stop']);
  });

  test('WF-08: garbage instead of a proposal is one of unknown confidence and is not offered', () => {
    const run = asked();
    const after = settlePure(run, failedCalls(run, 'parse_failed'));
    expect(stateOf(after)).toMatchObject({
      checks: { autofix: { applied: 'rejected', reason: 'empty_patch' } },
    });
    expect(offered(after)).toEqual(['continue', 'stop']);
    expect(notices(after, 'en', 'warning').at(-1)).toContain('auto_fix_proposer');
  });

  test('an accepted patch is applied by one write; a failed write is repeated by a resume', () => {
    const apply = answerPure(atGate(), 'apply');
    expect(apply.step).toMatchObject({
      kind: 'workspace',
      op: {
        op: 'apply_patch',
        input: { patch: { artefact: expect.stringMatching(/^sha256/), field: 'diff' } },
      },
    });
    const failed = settlePure(apply, {
      kind: 'failed',
      failure: { code: 'io', retry: 'permanent', detail: 'x' },
    });
    expect(stateOf(failed).checks.autofix?.applied).toBe('accepted');
    expect(keyOf(signalPure(failed, command('resume')).step)).toBe('workspace apply_patch');
  });

  test('WF-58: an applied patch gets a fresh change set and exactly one pass, repairs uncounted', () => {
    const applied = settlePure(answerPure(atGate(), 'apply'), { kind: 'written', result: { applied: true } });
    expect(stateOf(applied).checks.verify).toMatchObject({ layer1_result: null, layer1_retries: 3 });
    expect(keyOf(applied.step)).toBe('query change_set');
    const stopped = play(applied, { check: (run) => failing(run) }, ['gate verify']);
    expect(stateOf(stopped).checks.verify.layer1_retries).toBe(3);
    expect(rolesOf(stopped).filter((role) => role === 'generator_single')).toHaveLength(4);
  });

  test('WF-58, WF-88: a patch that could not be applied is told as reverted, and uses the right up', () => {
    const result = { applied: false, reason: 'failed_hunk' };
    const after = settlePure(answerPure(atGate(), 'apply'), { kind: 'written', result });
    expect(notices(after, 'en', 'warning').at(-1)).toMatch(/reverted|as it was/i);
    expect(offered(after)).toEqual(['continue', 'stop']);
  });

  test('WF-55: eight named paths, two hostile: five safe ones and two dropped', () => {
    const run = atFirstGate();
    const files = [
      'src/1.ts',
      '../../etc/passwd',
      'src/2.ts',
      '.git/config',
      'src/3.ts',
      'src/4.ts',
      'src/5.ts',
      'src/6.ts',
    ];
    const report = { ...stateOf(run).checks.report } as NonNullable<
      ReturnType<typeof stateOf>['checks']['report']
    >;
    const checks = report.checks.map((check) =>
      check.name === 'test'
        ? { ...check, failures: files.map((file) => ({ file, line: 1, text: 'x' })) }
        : check,
    );
    expect(failingFiles({ checks: { report: { ...report, checks } }, namespace: 'baton' })).toEqual({
      paths: ['src/1.ts', 'src/2.ts', 'src/3.ts', 'src/4.ts', 'src/5.ts'],
      dropped: ['../../etc/passwd', '.git/config'],
    });
  });

  test('WF-55: each dropped path is one warning, and the files that are read are told', () => {
    const {
      checks: { report },
    } = stateOf(atFirstGate());
    if (!report) throw new Error('no report');
    const named = ['src/1.ts', '../../etc/passwd', '.git/config'];
    const failures = named.map((file) => ({ file, line: 1, text: 'x' }));
    const checks = report.checks.map((check) => (check.name === 'test' ? { ...check, failures } : check));
    const run = withState(atFirstGate(), { checks: { report: { ...report, checks } } });
    const told = (one: PureRun) => notices(one, 'en', 'warning').slice(notices(run, 'en', 'warning').length);
    const after = answerPure(run, 'auto_fix');
    expect(told(after)).toEqual([
      expect.stringContaining('../../etc/passwd'),
      expect.stringContaining('.git/config'),
    ]);
    expect(notices(after, 'en').at(-1)).toContain('src/1.ts');
    expect(slotsOf(after, 'auto_fix_proposer').failing_files).toBe('src/1.ts');
  });

  test('WF-55: a report that names no file is allowed, with a warning', () => {
    expect(notices(asked(), 'en', 'warning').at(-1)).toContain('does not name a file');
  });

  test('WF-56: no diff or no hunk is not offered; the first gate comes back without the option', () => {
    for (const diff of ['', 'just words', '--- a/x\n+++ b/x\n', '@@ -1 +1 @@\n-a\n+b\n']) {
      const run = propose(fix({ diff }));
      expect(keyOf(run.step)).toBe('gate verify');
      expect(offered(run)).toEqual(['continue', 'stop']);
    }
    expect(outlinePatch(PATCH)).toEqual({ targets: ['src/export.ts'], hunks: 1 });
  });

  test('WF-56: low confidence needs its limits said and shows the caution', () => {
    const run = asked();
    const role = run.def.roles.auto_fix_proposer;
    for (const [confidence, alone] of [
      ['Low', false],
      ['Medium', false],
      ['High', true],
      ['Unknown', true],
    ] as const) {
      expect(role?.result.safeParse(fix({ confidence })).success).toBe(alone);
      expect(role?.result.safeParse(fix({ confidence, limitations: 'x' })).success).toBe(true);
    }
    expect(role?.result.safeParse(fix({ confidence: 'Certain' as never })).success).toBe(false);
    const low = propose(fix({ confidence: 'Low', limitations: 'only one case' }));
    const t = translator('en');
    const { brief } = (low.step as Extract<PureRun['step'], { kind: 'gate' }>).gate;
    expect(brief.banners.map(t).join()).toContain('Caution');
    expect(brief.context.map(t).join()).toContain('only one case');
    expect(brief.context.map(t).join()).toContain('opus');
  });

  test('WF-56: the proposer works with the advisor of the preset, with preset default opus, and both gates say so', () => {
    const tiers = { default: 'opus', balanced: 'opus', economy: 'sonnet' } as const;
    for (const [model_config, tier] of Object.entries(tiers)) {
      const first = play(begin({ model_config }), failAlways, ['gate verify']);
      expect(JSON.stringify(first.step)).toContain(`"model":"${tier}"`);
      const run = answerPure(first, 'auto_fix');
      expect(run.step).toMatchObject({ calls: [{ role: 'auto_fix_proposer', tier }] });
      const gate = settlePure(run, worked(run, fix()));
      expect(JSON.stringify(gate.step)).toContain(`"model":"${tier}"`);
    }
  });

  test('WF-57: the gate shows confidence and targets, binds the patch, and the answer uses the right', () => {
    const run = atGate();
    expect(run.step).toMatchObject({
      gate: { name: 'auto_fix', artefacts: { auto_fix_patch: stateOf(run).checks.autofix?.last_patch_path } },
    });
    expect(JSON.stringify(run.step)).toContain('src/export.ts');
    expect(stateOf(run).checks.verify.autofix_attempted).toBe(false);
    // What a process finds that takes the run over from its row alone.
    const row = JSON.parse(JSON.stringify(run.state));
    expect(run.def.next(row)).toEqual(run.step);
  });

  test('WF-90: Reject goes back to the verify gate at once; Stop halts and a resume opens it; both without the option', () => {
    const rejected = answerPure(atGate(), 'reject');
    expect([keyOf(rejected.step), offered(rejected)]).toEqual(['gate verify', ['continue', 'stop']]);
    const stopped = answerPure(atGate(), 'stop');
    expect([keyOf(stopped.step), stateOf(stopped).phase]).toEqual(['wait', 'verify_done']);
    expect(stateOf(stopped)).toMatchObject({
      checks: {
        autofix: { applied: 'rejected', reason: 'stopped_by_user' },
        verify: { autofix_attempted: true },
      },
    });
    const resumed = signalPure(stopped, command('resume'));
    expect([keyOf(resumed.step), offered(resumed)]).toEqual(['gate verify', ['continue', 'stop']]);
  });
});
