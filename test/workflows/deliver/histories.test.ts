import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeliverState } from '../../../src/contract/deliver.ts';
import { DELIVER_PHASES } from '../../../src/contract/deliver.ts';
import type { Evaluation } from '../../../src/contract/deliver-work.ts';
import { EvidencePart, joinEvidence } from '../../../src/workflows/deliver/evidence.ts';
import { judge } from '../../../src/workflows/deliver/verdict.ts';
import { entries, type PureRun, policy } from '../../support/pure-run.ts';
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
    return outcomes[stateOf(run).pass === 'patch' ? usual.answers % 2 : usual.checks] ?? outcomes[0];
  }
  if (keyOf(step) === 'work evaluator') return outcomes[usual.evaluation];
  if (keyOf(step) === 'gate spec') return outcomes[0];
  if (step.kind === 'gate') return outcomes[usual.answers % Math.max(1, outcomes.length)];
  return possible[0];
}

const RUNS = fc.sample(history, { numRuns: 300, seed: 7 });
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
      RUNS.flatMap((one) => states(one).map(({ autofix }) => autofix?.applied ?? 'none')),
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
        if (building) expect(state.approval?.hash).toBe(state.spec?.hash);
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
        (state, n) => state.autofix?.applied === 'applied' && list[n - 1]?.autofix?.applied !== 'applied',
      );
      expect(patches.length).toBeLessThanOrEqual(1);
    });
  });

  test('WF INV-5, WF-51: counters move by one or by the start of a round; rounds only go up', () => {
    steps((before, after) => {
      expect(after.round - before.round).toBeGreaterThanOrEqual(0);
      expect(after.round - before.round).toBeLessThanOrEqual(1);
      for (const key of ['layer1_retries', 'layer2_retries'] as const) {
        const [from, to] = [before.verify[key], after.verify[key]];
        if (after.round > before.round) expect(to).toBe(0);
        else expect([from, from + 1]).toContain(to);
      }
    });
  });

  test('WF INV-6, WF-54: I1 to I4 hold in every state', () => {
    always((one) => {
      let stoppedIn = 0;
      for (const [n, state] of states(one).entries()) {
        const { autofix, verify } = state;
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
          before.autofix?.applied === 'stopped'
        ) {
          expect(verify.layer1_retries).toBe(before.verify.layer1_retries);
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
      for (const key of DECIDED) {
        if (after[key] === before[key] || after[key] === null) continue;
        if (key === 'autofix') {
          if (before.autofix === null) expect(one.name).toBe('verify auto_fix');
          if (after.autofix?.applied === 'accepted') expect(['auto_fix apply', 'failed']).toContain(one.name);
        } else if (before[key] === null) {
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
        if (state.completion_reason !== 'qa_pass') expect(evidence.passed).toBe(false);
        return;
      }
      passed += 1;
      expect(evidence.passed).toBe(true);
      expect(
        state.report?.checks.filter(({ name, judged }) => judged === 'fail' && /build|test/.test(name)),
      ).toEqual([]);
      expect(state.report?.result === 'PASS' || state.waiver !== null).toBe(true);
      expect(state.report?.outside).toEqual([]);
      expect(state.qa).toMatchObject({ verdict: 'PASS', met: state.spec?.criteria.length });
    });
    expect(passed).toBeGreaterThan(5);
  });

  test('WF INV-13: results and verdicts are functions of the record: recomputed they are the same', () => {
    always(({ happened }) => {
      for (const { one, before, after } of happened) {
        if ('outcome' in one) expect(happen(before, one)?.state).toEqual(after.state);
      }
    });
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
          (state) => state.phase === 'evaluating' && state.round === round && state.attempts === attempt,
        );
        expect(judge(evaluation, at?.report ?? null).verdict).toBe(verdict);
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
      if (stateOf(run).completion_reason === 'accepted_as_is') expect(decided).toContain('accepted_as_is');
    });
    expect(commits).toBeGreaterThan(5);
  });

  test('nothing in the state grows with history', () => {
    always((one) => {
      for (const state of states(one)) expect(JSON.stringify(state).length).toBeLessThan(16_000);
    });
  });
});

describe('walk over the graph', () => {
  const keyOfState = (run: PureRun): string => {
    const s = stateOf(run);
    return JSON.stringify([
      s.phase,
      s.setup?.stage,
      s.prepare,
      s.convention_stage?.at,
      s.run_style,
      s.docs_due,
      s.rested,
      s.halted?.kind,
      s.round,
      s.verify.layer1_result,
      s.verify.layer1_retries,
      s.verify.layer2_retries,
      s.autofix?.applied,
      s.proposal !== null,
      s.pass,
      s.pass_due,
      s.stalled,
      s.early,
      s.waiver !== null,
      s.qa?.verdict,
      [s.repair?.layer, s.repair?.done],
      s.notes !== null,
      s.revising,
      s.approval !== null,
      [s.finish?.stage, s.finish?.choice],
      s.has_git,
      s.report?.error?.split(':')[0],
      s.report?.nothing_executed,
      s.changes?.outside.length,
      s.ended?.result,
    ]);
  };

  interface Node {
    readonly run: PureRun;
    readonly to: Set<string>;
    readonly by: Set<string>;
  }

  /** Every kind of state a single-mode run can reach by the happenings allowed, with what follows each. */
  function walk(isAllowed: (one: Happening) => boolean = () => true): ReadonlyMap<string, Node> {
    const seen = new Map<string, Node>();
    const queue = [begin({ step: 'plan' }), begin(), begin({}, { git: null })];
    for (let run = queue.shift(); run; run = queue.shift()) {
      const key = keyOfState(run);
      if (seen.has(key)) continue;
      const node: Node = { run, to: new Set(), by: new Set() };
      seen.set(key, node);
      for (const one of happenings(run).filter((each) => isTelling(each) && isAllowed(each))) {
        const moved = happen(lean(run), one);
        if (!moved) continue;
        const after = lastRound(moved);
        if (isGivingUp(one)) node.by.add(one.name);
        else node.to.add(keyOfState(after));
        if (!isGivingUp(one)) queue.push(after);
      }
    }
    return seen;
  }
  /** One of each kind: what differs only in the words of it leads to the same states. */
  const isTelling = ({ name }: Happening): boolean => !/variant 2|parse_failed|by name|lint|gone|change_set 2|project 1|handover 1|path_violation|missing|taken/.test(name);
  /** Rounds 2 and 3 differ only in that none follows the last: the walk goes from the first to the last. */
  const lastRound = (run: PureRun): PureRun => {
    if (stateOf(run).round !== 2) return run;
    const state = { ...run.state, round: 3 };
    return { ...run, state, step: run.def.next(state) };
  };
  /** A run without its past, so that a long walk stays cheap. */
  const lean = (run: PureRun): PureRun => ({ ...run, records: [], states: [run.state], steps: [run.step] });
  const seen = walk();
  const stepsIn = (nodes: ReadonlyMap<string, Node>) =>
    new Set([...nodes.values()].map(({ run }) => keyOf(run.step)));

  test('every state has a next step, and every one that has not ended can be left by a person', () => {
    const phases = new Set([...seen.values()].map(({ run }) => run.state.phase));
    expect([...phases].sort()).toEqual([...DELIVER_PHASES].sort());
    expect(seen.size).toBeGreaterThan(3_000);
    for (const [key, { run, by }] of seen) {
      expect(run.step.kind, key).toBeTypeOf('string');
      if (run.step.kind === 'end') continue;
      expect([...by], key).toContain('command abandon');
      if (run.step.kind === 'gate') {
        const ways = happenings(run).filter((one) => 'outcome' in one);
        expect(ways.length, key).toBeGreaterThan(0);
      }
    }
  });

  test('every state reaches an end also when nobody gives up', () => {
    const ending = new Set([...seen].filter(([, { run }]) => run.step.kind === 'end').map(([key]) => key));
    for (let grown = true; grown; ) {
      grown = false;
      for (const [key, { to }] of seen) {
        if (ending.has(key) || ![...to].some((next) => ending.has(next))) continue;
        ending.add(key);
        grown = true;
      }
    }
    expect([...seen.keys()].filter((key) => !ending.has(key))).toEqual([]);
  });

  test('without answers of a person no generator is called and nothing is committed, whatever else happens', () => {
    const unanswered = stepsIn(walk((one) => !('outcome' in one && one.outcome.kind === 'answered')));
    expect([...unanswered]).toContain('gate spec');
    expect([...unanswered].filter((key) => /generator|commit|publish|clean_up/.test(key))).toEqual([]);
    const uncommitted = stepsIn(walk((one) => !one.name.startsWith('commit ')));
    expect([...uncommitted]).toContain('gate commit');
    expect(
      [...uncommitted].filter((key) => /workspace (commit|publish|clean_up|save_patch)/.test(key)),
    ).toEqual([]);
    const unpatched = stepsIn(walk((one) => one.name !== 'auto_fix apply'));
    expect([...unpatched]).toContain('gate auto_fix');
    expect([...unpatched]).not.toContain('workspace apply_patch');
  });

  test('no state is a dead end: something other than giving up leads on from each', () => {
    for (const [key, { run, to }] of seen) {
      if (run.step.kind === 'end') continue;
      expect(
        [...to].some((next) => next !== key),
        `${key} ${keyOf(run.step)}`,
      ).toBe(true);
    }
  });
});
