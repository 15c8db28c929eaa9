import { describe, expect, test } from 'vitest';
import { DELIVER_PHASES, type DeliverState, STEPS, type StepName } from '../../../src/contract/deliver.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { nextCommand } from '../../../src/workflows/deliver/halts.ts';
import { withChanges } from '../../../src/workflows/deliver/moves.ts';
import {
  answerPure,
  command,
  offered,
  type PureRun,
  refusedSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  begin,
  CHANGE_SET,
  checked,
  failing,
  keyOf,
  play,
  rolesOf,
  stateOf,
  withState,
  worked,
} from './fixture.ts';
import { evaluation, failingL2, failingL3 } from './results.ts';

type Replies = Parameters<typeof play>[1];

/** Phases in which a run came to a halt, resumed by hand each time until it ends. */
function haltsOf(run: PureRun, replies: Replies = {}, way = 'resume'): string[] {
  const halts: string[] = [];
  let at = play(run, replies);
  for (let n = 0; n < 40 && at.step.kind === 'wait'; n += 1) {
    halts.push(at.state.phase);
    at = play(signalPure(at, command(way)), replies);
  }
  expect(at.step.kind).toBe('end');
  return halts;
}

const verifyOf = (run: PureRun) => stateOf(run).checks.verify;
const HALTS = ['plan_done', 'generate_done', 'verify_done', 'evaluate_done'];
const failOnce = () => {
  let checks = 0;
  return (run: PureRun) => {
    checks += 1;
    return checks === 2 ? failing(run, 'a.ts x') : checked(run);
  };
};
const judgedBy = (...hows: (typeof failingL2)[]) => {
  let calls = 0;
  return (run: PureRun) => {
    calls += 1;
    return worked(run, (hows[calls - 1] ?? evaluation)(stateOf(run)));
  };
};

/** At `verify_done` in the person's folder, while its documents are still being written. */
const writing = (replies: Replies, isThere: (state: DeliverState) => boolean = () => true) =>
  play(begin({}, { git: null }), {
    ...replies,
    'workspace write_documents': (run) =>
      run.state.phase === 'verify_done' && isThere(stateOf(run)) ? null : WRITTEN,
  });
const WRITTEN = { kind: 'written', result: { files: [] } } as const;
describe('steps asked for while documents are written', () => {
  test('WF-85: verify leads to a fresh pass, not to a halt that names a step it would refuse', () => {
    const asked = signalPure(writing({}), command('verify'));
    expect(keyOf(asked.step)).toBe('workspace write_documents');
    expect(keyOf(settlePure(asked, WRITTEN).step)).toBe('query change_set');
  });

  test('a repair that a person spends on a stalled pass begins when they are written', () => {
    const check = (at: PureRun, nth: number) => (nth === 1 ? checked(at) : failing(at, 'a.ts x'));
    const run = writing({ check }, ({ checks: { stalled } }) => stalled);
    const asked = signalPure(run, command('generate'));
    expect([keyOf(asked.step), asked.state.phase]).toEqual(['workspace write_documents', 'verify_done']);
    const going = play(settlePure(asked, WRITTEN), {}, ['work generator_single']);
    expect([keyOf(going.step), verifyOf(going).layer1_retries]).toEqual(['work generator_single', 3]);
  });
});

describe('run styles', () => {
  test('WF-30: auto waits only at gates; phase halts after each part', () => {
    expect(haltsOf(begin())).toEqual([]);
    expect(haltsOf(begin({ step: 'plan' }))).toEqual(HALTS);
  });

  test('WF-30: a halt says what is complete, the next command, and where documents are', () => {
    const t = translator('en');
    const said: string[] = [];
    let run = play(begin({ step: 'plan' }));
    while (run.step.kind === 'wait') {
      said.push(run.step.until.kind === 'command' ? t(run.step.until.why) : '');
      run = play(signalPure(run, command('resume')));
    }
    const path = stateOf(run).docs_path;
    expect(said).toEqual([
      `Plan complete. Next: baton deliver generate --run de-7k2   Documents: ${path}`,
      `Generate complete. Next: baton deliver verify --run de-7k2   Documents: ${path}`,
      `Verify complete: PASS. Next: baton deliver evaluate --run de-7k2   Documents: ${path}`,
      `Evaluate complete: PASS. Next: baton resume de-7k2   Documents: ${path}`,
    ]);
  });

  test('the steps by name lead through the same halts', () => {
    let run = play(begin({ step: 'plan' }));
    run = play(signalPure(run, command('generate')));
    expect(stateOf(run)).toMatchObject({ phase: 'generate_done', run_style: 'phase' });
    run = play(signalPure(run, command('verify')));
    expect(stateOf(run)).toMatchObject({ phase: 'verify_done', run_style: 'step' });
    run = play(signalPure(run, command('evaluate')));
    expect(stateOf(run)).toMatchObject({ phase: 'evaluate_done', run_style: 'step' });
    run = play(signalPure(run, command('resume')));
    expect(stateOf(run).ended?.result).toBe('passed');
  });

  test('WF-86: phase style: no halt after a layer-1 repair', () => {
    expect(haltsOf(begin({ step: 'plan' }), { check: failOnce() })).toEqual(HALTS);
  });

  test('WF-86: phase style: one FAIL_L2 halts before the verdict rule, then again after the repaired round', () => {
    expect(haltsOf(begin({ step: 'plan' }), { 'work evaluator': judgedBy(failingL2) })).toEqual([
      ...HALTS,
      'verify_done',
      'evaluate_done',
    ]);
  });

  test('WF-86: phase style: FAIL_L3 halts before the gate; Fix starts a round with all its halts', () => {
    const replies = {
      'work evaluator': judgedBy(failingL3),
      'gate qa': (run: PureRun) => answerPure(run, 'fix'),
    };
    expect(haltsOf(begin({ step: 'plan' }), replies)).toEqual([
      ...HALTS,
      'generate_done',
      'verify_done',
      'evaluate_done',
    ]);
  });

  test('WF-86: phase style: gate Verify is answered first, then the halt', () => {
    const gate = play(signalPure(play(begin({ step: 'plan' })), command('generate')), {
      check: (run) => failing(run),
    });
    expect(stateOf(gate).phase).toBe('generate_done');
    const verify = play(signalPure(gate, command('resume')), { check: (run) => failing(run) }, [
      'gate verify',
    ]);
    expect(keyOf(verify.step)).toBe('gate verify');
    const halted = play(answerPure(verify, 'continue'));
    expect([keyOf(halted.step), stateOf(halted).phase]).toEqual(['wait', 'verify_done']);
    expect(stateOf(signalPure(halted, command('resume'))).phase).toBe('evaluating');
  });

  test('WF-86: verify in step style on failing checks calls no worker; the repair waits for a resume', () => {
    const generated = play(signalPure(play(begin({ step: 'plan' })), command('generate')));
    const verified = play(signalPure(generated, command('verify')), { check: (run) => failing(run) });
    expect(keyOf(verified.step)).toBe('wait');
    expect(rolesOf(verified)).toEqual(rolesOf(generated));
    expect(stateOf(verified)).toMatchObject({
      phase: 'verify_done',
      run_style: 'step',
      attempt: { repair: { done: false } },
    });
    const resumed = signalPure(verified, command('resume'));
    expect(stateOf(resumed)).toMatchObject({ phase: 'generating', run_style: 'phase' });
    const next = play(resumed);
    expect([keyOf(next.step), stateOf(next).phase]).toEqual(['wait', 'verify_done']);
  });

  test.each([failingL2, failingL3])(
    'WF-86: evaluate in step style halts with the result before any rule',
    (how) => {
      const verified = play(
        signalPure(play(signalPure(play(begin({ step: 'plan' })), command('generate'))), command('verify')),
      );
      const judged = play(signalPure(verified, command('evaluate')), { 'work evaluator': judgedBy(how) });
      expect([keyOf(judged.step), stateOf(judged).phase]).toEqual(['wait', 'evaluate_done']);
      expect(stateOf(judged).checks.verify.layer2_retries).toBe(0);
    },
  );
});

describe('steps by name on a live run', () => {
  const HAS = { spec: 'plan_done', changes: 'generate_done', report: 'verify_done' } as const;
  const order = (phase: string) => DELIVER_PHASES.indexOf(phase as never);
  const whole = stateOf(play(begin(), { 'gate commit': () => null }));
  const stateAt = (phase: DeliverState['phase'], complete: boolean): DeliverState =>
    withChanges(whole, {
      phase,
      documents: 'current',
      setup: phase === 'setup' ? { stage: 'looking', other: null, bad_models: 0, bad_model: null } : null,
      verdict: { completion_reason: phase === 'completed' ? 'qa_pass' : null },
      ...(complete ? {} : { plan: { spec: null }, attempt: { changes: null }, checks: { report: null } }),
    });
  const needs: Record<StepName, { from: string; has: (keyof typeof HAS)[] }> = {
    plan: { from: 'setup', has: [] },
    generate: { from: 'plan_done', has: ['spec'] },
    verify: { from: 'generate_done', has: ['changes'] },
    evaluate: { from: 'verify_done', has: ['spec', 'changes', 'report'] },
  };
  const rows = STEPS.flatMap((step) =>
    DELIVER_PHASES.flatMap((phase) => [true, false].map((complete) => [step, phase, complete] as const)),
  );

  test.each(rows)('WF-13: %s at %s with its artefacts %s', (step, phase, complete) => {
    const base = begin();
    const state = stateAt(phase, complete);
    const move = base.def.receive(state as never, { ...command(step), at: state.updated_at } as never);
    const met = order(phase) >= order(needs[step].from) && (complete || needs[step].has.length === 0);
    const first = isRejection(move) && move.message.msg === 'deliver.run_first';
    expect(first).toBe(!met);
    if (first && isRejection(move)) {
      expect(move.message.args).toEqual({ step, earlier: STEPS[STEPS.indexOf(step) - 1], run: 'de-7k2' });
    }
  });

  test.each([
    ['generate', 'spec'],
    ['verify', 'changes'],
    ['evaluate', 'spec'],
    ['evaluate', 'changes'],
    ['evaluate', 'report'],
  ] as const)('WF-13: %s with everything but the %s is sent back to the step before it', (step, missing) => {
    const without = {
      spec: { plan: { spec: null } },
      changes: { attempt: { changes: null } },
      report: { checks: { report: null } },
    };
    const state = withChanges(stateAt('evaluate_done', true), without[missing]);
    const move = begin().def.receive(state as never, { ...command(step), at: state.updated_at } as never);
    expect(move).toMatchObject({ message: { msg: 'deliver.run_first', args: { step } } });
  });

  /** What a step does where its prerequisites are met: the phase or step that follows, or nothing. */
  const EFFECTS: Record<string, Partial<Record<StepName, string>>> = {
    plan_done: { generate: 'gate spec' },
    generate_done: { verify: 'verify_ready' },
    'verify_done PASS': { verify: 'query change_set', evaluate: 'evaluating' },
    'verify_done FAIL due': { generate: 'generating', verify: 'query change_set', evaluate: 'gate verify' },
    'verify_done FAIL spent': {
      generate: 'gate verify',
      verify: 'query change_set',
      evaluate: 'gate verify',
    },
    'verify_done waived': { verify: 'query change_set', evaluate: 'evaluating' },
    'verify_done proposed': {},
    'verify_done accepted': {},
    'verify_done pass due': { verify: 'query change_set' },
    'evaluate_done FAIL_L2': { generate: 'generating' },
    'evaluate_done FAIL_L3': { generate: 'gate qa' },
    'evaluate_done PASS': {},
    verify_ready: {},
    verifying: {},
    evaluate_ready: {},
    evaluating: {},
    generate_ready: {},
    generating: {},
    completed: {},
  };
  const failed = play(begin(), { check: (run, nth) => (nth === 1 ? checked(run) : failing(run)) }, [
    'gate verify',
  ]);
  const proposed = answerPure(failed, 'auto_fix');
  const offer = settlePure(
    proposed,
    worked(proposed, {
      confidence: 'High',
      diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
      rationale: 'r',
      limitations: null,
    }),
  );
  const qaState = (how: typeof failingL2) =>
    stateOf(
      play(
        begin({ step: 'plan' }),
        { wait: (run) => signalPure(run, command('resume')), 'work evaluator': judgedBy(how) },
        ['phase evaluate_done'],
      ),
    );
  const waiver = { by: 'Ada', at: whole.created_at, digest: 'd', error: 'x' };
  const situations: Record<string, () => DeliverState> = {
    'verify_done PASS': () => stateAt('verify_done', true),
    'verify_done FAIL due': () =>
      withChanges(stateOf(failed), {
        checks: { verify: { ...stateOf(failed).checks.verify, layer1_retries: 2 } },
        attempt: { repair: { layer: 1, attempt: 2, error: 'x', done: false } },
      }),
    'verify_done FAIL spent': () => stateOf(failed),
    'verify_done waived': () => withChanges(stateOf(failed), { checks: { waiver } }),
    'verify_done proposed': () => stateOf(offer),
    'verify_done accepted': () => stateOf(answerPure(offer, 'apply')),
    'verify_done pass due': () =>
      withChanges(stateAt('verify_done', true), { checks: { pass: 'command', pass_due: true } }),
    'evaluate_done FAIL_L2': () => ({ ...qaState(failingL2), documents: 'current' }),
    'evaluate_done FAIL_L3': () => ({ ...qaState(failingL3), documents: 'current' }),
    'evaluate_done PASS': () => stateAt('evaluate_done', true),
  };

  test.each(Object.keys(EFFECTS))(
    'WF-85: at %s each step does what the state table has, else it is refused with the next command',
    (at) => {
      const state = situations[at]?.() ?? stateAt(at as never, true);
      const base = withState(begin(), state);
      const counters = ({ checks: { verify } }: DeliverState) => [
        verify.layer1_retries,
        verify.layer2_retries,
      ];
      for (const step of ['generate', 'verify', 'evaluate'] as const) {
        const wanted = EFFECTS[at]?.[step];
        const met = order(state.phase) >= order(needs[step].from);
        if (wanted === undefined) {
          expect(refusedSignal(base, command(step)).message.msg).toBe(
            met ? 'deliver.no_such_edge' : 'deliver.run_first',
          );
          continue;
        }
        const after = signalPure(base, command(step));
        expect(
          stateOf(after).phase === state.phase ? keyOf(after.step) : stateOf(after).phase,
          `${at} ${step}`,
        ).toBe(wanted);
        if (wanted !== 'generating') expect(counters(stateOf(after))).toEqual(counters(state));
      }
    },
  );

  test('WF-85: stopped at gate Verify, repaired by hand, verify: PASS, gate gone, no worker, counters as before', () => {
    const again = signalPure(failed, command('verify'));
    expect(keyOf(again.step)).toBe('query change_set');
    const passed = play(again);
    expect([keyOf(passed.step), stateOf(passed).phase]).toEqual(['wait', 'verify_done']);
    expect(stateOf(passed).checks.verify).toMatchObject({ layer1_result: 'PASS', layer1_retries: 3 });
    expect(rolesOf(passed)).toEqual(rolesOf(failed));
    const on = signalPure(passed, command('evaluate'));
    expect(stateOf(on).phase).toBe('evaluating');
  });

  test('WF-85: after a halt verify looks at the change anew: what a person did meanwhile is what is checked', () => {
    const halted = play(signalPure(play(begin({ step: 'plan' })), command('generate')));
    expect([keyOf(halted.step), stateOf(halted).phase]).toEqual(['wait', 'generate_done']);
    const found = { ...CHANGE_SET, content: 'content-2', created: ['src/by-hand.ts'] };
    const run = play(signalPure(halted, command('verify')), {
      'query change_set': () => ({ kind: 'queried', found }),
    });
    expect([run.state.phase, stateOf(run).attempt.changes?.content]).toEqual(['verify_done', 'content-2']);
  });

  test('WF-85: a repeated pass that fails again counts nothing, and repairs go on from it only while there are any', () => {
    const spent = play(signalPure(failed, command('verify')), { check: (run) => failing(run) });
    expect(stateOf(spent).checks.verify.layer1_retries).toBe(3);
    expect(keyOf(signalPure(spent, command('resume')).step)).toBe('gate verify');
    const once = play(begin({ step: 'plan' }), {
      wait: (run, nth) => (nth < 3 ? signalPure(run, command('resume')) : null),
    });
    expect([once.state.phase, verifyOf(once).layer1_result]).toEqual(['verify_done', 'PASS']);
    const broken = play(signalPure(once, command('verify')), { check: (run) => failing(run) });
    expect(stateOf(broken).checks.verify).toMatchObject({ layer1_result: 'FAIL', layer1_retries: 0 });
    const repaired = signalPure(broken, command('resume'));
    expect([repaired.state.phase, verifyOf(repaired).layer1_retries]).toEqual(['generating', 1]);
  });

  test('WF-85: evaluate on an unwaived FAIL opens gate Verify early, auto-fix only at three repairs', () => {
    const due = withState(begin(), situations['verify_done FAIL due']?.() as DeliverState);
    const early = signalPure(due, command('evaluate'));
    expect([keyOf(early.step), offered(early)]).toEqual(['gate verify', ['continue', 'stop']]);
    expect(offered(signalPure(failed, command('evaluate')))).toEqual(['auto_fix', 'continue', 'stop']);
  });

  test('WF-89: a gate Verify that opens early says how many repairs were made, and how the next one is', () => {
    const briefOf = (run: PureRun) => (run.step.kind === 'gate' ? run.step.gate.brief : null);
    const translate = translator('en');
    const due = withState(begin(), situations['verify_done FAIL due']?.() as DeliverState);
    expect([verifyOf(due).layer1_retries, stateOf(due).attempt.repair?.done]).toEqual([2, false]);
    const early = briefOf(signalPure(due, command('evaluate')));
    expect(translate(early?.decide ?? '')).toBe('The checks fail after 1 repair of 3. What now?');
    const left = /^A repair is left\. To have it made: baton deliver generate --run /;
    const told = [expect.stringMatching(left), expect.stringContaining('that baton status')];
    expect(early?.context.map(translate)).toEqual(expect.arrayContaining(told));
    expect(early?.items.map(({ text }) => translate(text))[0]).toMatch(/^a repair of /);
    const spent = briefOf(signalPure(failed, command('evaluate')));
    expect(translate(spent?.decide ?? '')).toBe('The checks fail after 3 repairs of 3. What now?');
    expect(spent?.context.map(translate)).not.toContainEqual(expect.stringMatching(left));
  });

  test('every next command is told somewhere, and telling changes nothing', () => {
    const run = play(begin({ step: 'plan' }), { wait: (one) => signalPure(one, command('resume')) });
    const before = JSON.stringify(run.states);
    const told = run.states.map((state) => nextCommand(stateOf({ ...run, state })));
    expect(JSON.stringify(run.states)).toBe(before);
    const all = ['answer', 'evaluate', 'generate', 'resume', 'verify', 'wait'];
    expect([...new Set(told)].sort()).toEqual(all);
  });
});
