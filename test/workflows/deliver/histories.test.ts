import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeliverState } from '../../../src/contract/deliver.ts';
import { DELIVER_PHASES } from '../../../src/contract/deliver.ts';
import type { Evaluation } from '../../../src/contract/deliver-work.ts';
import { EvidencePart, joinEvidence } from '../../../src/workflows/deliver/evidence.ts';
import { judge } from '../../../src/workflows/deliver/verdict.ts';
import { command, entries, type PureRun, policy } from '../../support/pure-run.ts';
import { begin, keyOf, SLUG, stateOf } from './fixture.ts';
import { type Happening, happen, happenings, isGivingUp } from './histories.ts';

const live = {
  run: 'de-old',
  workflow: 'deliver',
  subject: `deliver:${SLUG}`,
  phase: 'verify_done',
  status: 'waiting',
  title: 'earlier',
} as const;

/** Ways to begin: every mode, style and place. */
const BEGINNINGS: readonly (() => PureRun)[] = [
  () => begin(),
  () => begin({ mode: 'standard', step: 'plan' }),
  () => begin({ mode: 'multi' }, { git: null }),
  () => begin({ mode: null, model_config: null }, { live: [live] }),
  () => begin({ todo_blocking: true, step: 'plan' }, { policy: { ...policy, in_place: true } }),
];

interface History {
  readonly run: PureRun;
  readonly happened: readonly {
    readonly one: Happening;
    readonly before: PureRun;
    readonly after: PureRun;
  }[];
}

/** What usually happens in a history: which way checks, evaluations and people mostly go. */
interface Mood {
  readonly beginning: number;
  readonly checks: number;
  readonly evaluation: number;
  readonly answers: number;
}

const mood: fc.Arbitrary<Mood> = fc.record({
  beginning: fc.nat(BEGINNINGS.length - 1),
  checks: fc.constantFrom(0, 0, 1, 2, 3),
  evaluation: fc.constantFrom(0, 0, 1, 2),
  answers: fc.nat(2),
});

/** Six of ten choices go the usual way, so that runs get far; giving up is possible everywhere and chosen rarely. */
const history = fc
  .tuple(mood, fc.array(fc.nat(9_999), { minLength: 60, maxLength: 200 }))
  .map(([usual, choices]): History => {
    let run = (BEGINNINGS[usual.beginning] as () => PureRun)();
    const happened: History['happened'][number][] = [];
    for (const choice of choices) {
      const possible = happenings(run).filter((one) => !isGivingUp(one) || choice > 9_980);
      const one =
        choice % 10 < 8 ? usually(run, possible, usual) : possible[choice % Math.max(1, possible.length)];
      if (!one) break;
      const after = happen(run, one);
      if (!after) continue;
      happened.push({ one, before: run, after });
      run = after;
    }
    return { run, happened };
  });

function usually(run: PureRun, possible: readonly Happening[], usual: Mood): Happening | undefined {
  const outcomes = possible.filter((one) => 'outcome' in one);
  const { step, state } = run;
  if (step.kind === 'check' && state.phase === 'verifying') {
    return outcomes[stateOf(run).checks.pass === 'patch' ? usual.answers % 2 : usual.checks] ?? outcomes[0];
  }
  if (keyOf(step) === 'work evaluator') return outcomes[usual.evaluation];
  if (keyOf(step) === 'gate spec') return outcomes[0];
  if (step.kind === 'gate') return outcomes[usual.answers % Math.max(1, outcomes.length)];
  return possible[0];
}

const RUNS = fc.sample(history, { numRuns: 350, seed: 7 });
const states = ({ run }: History) => run.states as unknown as DeliverState[];
const always = (check: (history: History) => void) => {
  for (const one of RUNS) check(one);
};
const steps = (check: (before: DeliverState, after: DeliverState, one: Happening, at: PureRun) => void) =>
  always(({ happened }) => {
    for (const { one, before, after } of happened) check(stateOf(before), stateOf(after), one, before);
  });

describe('invariants over random histories', () => {
  test('the histories are worth looking at: every phase, every gate and every end is among them', () => {
    const phases = new Set(RUNS.flatMap((one) => states(one).map(({ phase }) => phase)));
    expect([...phases].sort()).toEqual([...DELIVER_PHASES].sort());
    const met = new Set(RUNS.flatMap(({ run }) => run.steps.map(keyOf)));
    for (const gate of [
      'session',
      'mode',
      'model',
      'conventions',
      'spec',
      'verify',
      'auto_fix',
      'qa',
      'commit',
    ]) {
      expect([...met]).toContain(`gate ${gate}`);
    }
    const ends = new Set(RUNS.map(({ run }) => stateOf(run).ended?.result ?? 'open'));
    expect([...ends].sort()).toEqual(
      expect.arrayContaining(['abandoned', 'accepted_as_is', 'open', 'passed', 'withdrawn']),
    );
    const applied = new Set(
      RUNS.flatMap((one) => states(one).map(({ checks: { autofix } }) => autofix?.applied ?? 'none')),
    );
    expect(applied.size).toBe(7);
  });

  test('WF INV-2: phases move along the table and completed is never left', () => {
    always((one) => {
      const list = states(one).map(({ phase }) => phase);
      const first = list.indexOf('completed');
      if (first >= 0) expect(list.slice(first).every((phase) => phase === 'completed')).toBe(true);
      for (const [n, phase] of list.entries()) {
        const before = list[n - 1];
        if (before && before !== phase) expect(one.run.def.phases[before]?.to).toContain(phase);
      }
    });
  });

  test('WF INV-3: no generator is called without an approval of exactly the present specification', () => {
    always(({ run }) => {
      for (const [n, step] of run.steps.entries()) {
        if (step.kind !== 'work') continue;
        const building = step.calls.some(({ role }) =>
          /generator|implementation|lead_developer|advisor/.test(role),
        );
        const state = run.states[n] as unknown as DeliverState;
        if (building) expect(state.plan.approval?.hash).toBe(state.plan.spec?.hash);
      }
    });
  });

  test('WF INV-4: at most 1 + 3 + 2 attempts per round, three rounds, one applied patch', () => {
    always((one) => {
      const list = states(one);
      const attempts = new Map<number, number>();
      for (const [n, state] of list.entries()) {
        if (state.phase !== 'generating' || list[n - 1]?.phase === 'generating') continue;
        attempts.set(state.round, (attempts.get(state.round) ?? 0) + 1);
      }
      expect(attempts.size).toBeLessThanOrEqual(3);
      for (const count of attempts.values()) expect(count).toBeLessThanOrEqual(6);
      const patches = list.filter(
        (state, n) =>
          state.checks.autofix?.applied === 'applied' && list[n - 1]?.checks.autofix?.applied !== 'applied',
      );
      expect(patches.length).toBeLessThanOrEqual(1);
    });
  });

  test('WF INV-5, WF-51: counters move by one or by the start of a round; rounds only go up', () => {
    steps((before, after) => {
      if (after.round !== before.round && after.round !== before.round + 1) throw new Error('round');
      for (const key of ['layer1_retries', 'layer2_retries'] as const) {
        const [from, to] = [before.checks.verify[key], after.checks.verify[key]];
        const legal = after.round > before.round ? to === 0 : to === from || to === from + 1;
        if (!legal) throw new Error(`${key} ${from} -> ${to}`);
      }
    });
  });

  test('WF INV-6, WF-54: I1 to I4 hold in every state', () => {
    always((one) => {
      let stoppedIn = 0;
      for (const [n, state] of states(one).entries()) {
        const {
          checks: { autofix, verify },
        } = state;
        expect(verify.autofix_attempted).toBe(autofix !== null && autofix.applied !== 'proposed');
        const step = one.run.steps[n];
        if (step?.kind === 'gate' && step.gate.name === 'verify') {
          const offered = step.gate.offers?.includes('auto_fix') ?? false;
          if (offered)
            expect([verify.autofix_attempted, autofix, verify.layer1_retries]).toEqual([false, null, 3]);
          expect(autofix?.applied).not.toBe('proposed');
        }
        if (autofix?.applied === 'stopped' && stoppedIn === 0) stoppedIn = state.round;
        const before = states(one)[n - 1];
        if (
          before &&
          stoppedIn === state.round &&
          before.round === state.round &&
          before.checks.autofix?.applied === 'stopped'
        ) {
          expect(verify.layer1_retries).toBe(before.checks.verify.layer1_retries);
        }
      }
    });
  });

  test('WF-59: over all rounds at most one patch is ever accepted', () => {
    always(({ run }) => {
      const accepted = run.records.filter(
        (record) => record.kind === 'decision' && record.name === 'auto_fix_accepted',
      );
      expect(accepted.length).toBeLessThanOrEqual(1);
    });
  });

  test('WF INV-8: what a person decides is decided by an answer at its gate and by nothing else', () => {
    const DECIDED = ['approval', 'waiver', 'accepted', 'finish', 'autofix'] as const;
    const GATES = { approval: 'spec', waiver: 'verify', accepted: 'qa', finish: 'commit' } as const;
    steps((before, after, one, at) => {
      const decidedIn = ({ plan, checks, verdict, finish }: DeliverState) => ({
        approval: plan.approval,
        waiver: checks.waiver,
        accepted: verdict.accepted,
        finish: finish.chosen,
        autofix: checks.autofix,
      });
      const [was, is] = [decidedIn(before), decidedIn(after)];
      for (const key of DECIDED) {
        if (is[key] === was[key] || is[key] === null) continue;
        if (key === 'autofix') {
          if (before.checks.autofix === null) expect(one.name).toBe('verify auto_fix');
          if (after.checks.autofix?.applied === 'accepted')
            expect(['auto_fix apply', 'failed']).toContain(one.name);
        } else if (was[key] === null) {
          expect('outcome' in one && one.outcome.kind).toBe('answered');
          expect(keyOf(at.step)).toBe(`gate ${GATES[key]}`);
        }
      }
    });
  });

  test('WF INV-9: passed means evidence for every part of it', () => {
    let passed = 0;
    always(({ run }) => {
      const state = stateOf(run);
      const evidence = joinEvidence(entries(run, 'evidence').map((part) => EvidencePart.parse(part)));
      if (state.ended?.result !== 'passed') {
        if (state.verdict.completion_reason !== 'qa_pass') expect(evidence.passed).toBe(false);
        return;
      }
      passed += 1;
      expect(evidence.passed).toBe(true);
      expect(
        state.checks.report?.checks.filter(
          ({ name, judged }) => judged === 'fail' && /build|test/.test(name),
        ),
      ).toEqual([]);
      expect(state.checks.report?.result === 'PASS' || state.checks.waiver !== null).toBe(true);
      expect(state.checks.report?.outside).toEqual([]);
      expect(state.verdict.qa).toMatchObject({ verdict: 'PASS', met: state.plan.spec?.criteria.length });
    });
    expect(passed).toBeGreaterThan(5);
  });

  test('WF INV-13: results and verdicts are functions of the record: recomputed they are the same', () => {
    for (const { happened } of RUNS.slice(0, 60)) {
      for (const { one, before, after } of happened) {
        if ('outcome' in one) expect(happen(before, one)?.state).toEqual(after.state);
      }
    }
    always(({ run }) => {
      const reports = entries(run, 'qa_report') as {
        verdict: string;
        evaluation: Evaluation | null;
        attempt: number;
        round: number;
      }[];
      for (const { verdict, evaluation, round, attempt } of reports) {
        if (!evaluation) continue;
        const at = states({ run, happened: [] }).find(
          (state) =>
            state.phase === 'evaluating' && state.round === round && state.attempt.attempts === attempt,
        );
        expect(judge(evaluation, at?.checks.report ?? null, at?.checks.waiver !== null).verdict).toBe(
          verdict,
        );
      }
    });
  });

  test('WF INV-14: whenever a planner is called, conventions are set and an artefact named was recorded', () => {
    always(({ run }) => {
      const recorded = run.records.flatMap((record) => (record.kind === 'artefact' ? [record.hash] : []));
      for (const [n, step] of run.steps.entries()) {
        if (
          step.kind !== 'work' ||
          !step.calls.some(({ role }) => /architect|senior_dev|qa_specialist|planner/.test(role))
        )
          continue;
        const { conventions } = run.states[n] as unknown as DeliverState;
        expect(conventions).not.toBeNull();
        if (conventions && conventions !== 'skipped') expect(recorded).toContain(conventions.artefact);
      }
    });
  });

  test('no history reaches a commit without a person who approved the plan and chose to commit', () => {
    let commits = 0;
    always(({ run }) => {
      const committing = run.steps.some((step) => step.kind === 'workspace' && step.op.op === 'commit');
      if (!committing) return;
      commits += 1;
      const decided = run.records.flatMap((record) => (record.kind === 'decision' ? [record.name] : []));
      expect(decided).toEqual(expect.arrayContaining(['spec_approved', 'finish']));
      if (stateOf(run).verdict.completion_reason === 'accepted_as_is')
        expect(decided).toContain('accepted_as_is');
    });
    expect(commits).toBeGreaterThan(5);
  });

  test('what failed in single mode halts the run, and a resume does exactly that step again', () => {
    let halts = 0;
    always(({ happened }) => {
      for (const { before, after } of happened) {
        const { halted, mode } = stateOf(before);
        if (halted || mode !== 'single' || stateOf(after).halted?.kind !== 'failed') continue;
        halts += 1;
        const again = happen(after, { name: 'resume', signal: command('resume') });
        expect(keyOf(again?.step ?? after.step)).toBe(keyOf(before.step));
      }
    });
    expect(halts).toBeGreaterThan(100);
  });

  test('nothing in the state grows with history', () => {
    always((one) => {
      for (const state of states(one)) expect(JSON.stringify(state).length).toBeLessThan(16_000);
    });
  });
});
