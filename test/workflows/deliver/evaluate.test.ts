import { describe, expect, test } from 'vitest';
import type { DeliverState } from '../../../src/contract/deliver.ts';
import type { Evaluation } from '../../../src/contract/deliver-work.ts';
import { EvidencePart, joinEvidence } from '../../../src/workflows/deliver/evidence.ts';
import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import { judge, layer2Result } from '../../../src/workflows/deliver/verdict.ts';
import { ruleOf } from '../../../src/workflows/deliver/verdict-rule.ts';
import { answerPure, entries, notices, offered, type PureRun, settlePure } from '../../support/pure-run.ts';
import { templateOf } from '../../support/texts.ts';
import {
  begin,
  callsOf,
  checked,
  checkResult,
  failedCalls,
  failing,
  keep,
  keyOf,
  NO_HANDOVER,
  okCalls,
  play,
  promptOf,
  resultOf,
  rolesOf,
  stateOf,
  stepsOf,
  withState,
  worked,
} from './fixture.ts';
import { evaluation, failingL2, failingL3 } from './results.ts';

const at = play(begin(), {}, ['work evaluator']);
const state = stateOf(at);
const report = state.checks.report;
const whole = () => evaluation(state);
const layer3 = () => whole().layer3 as NonNullable<Evaluation['layer3']>;

describe('what the evaluator is given', () => {
  const flagged = (run: PureRun) => {
    const calls = run.step.kind === 'work' ? run.step.calls : [];
    return calls.map((call) => {
      const result = resultOf(run, call) as Record<string, unknown>;
      const marker = `MARK-${call.role}`;
      if (call.role === 'lead_developer') return { ...result, steps: [marker] };
      if (call.role.startsWith('advisor'))
        return { issues: [{ severity: 'minor', location: 'step 1', issue: marker, suggestion: 'x' }] };
      if (call.role === 'cross_critique') return { ...result, recommendation: marker };
      if (call.role === 'implementation') return { ...result, summary: marker };
      return 'analysis' in result ? { ...result, analysis: marker } : result;
    });
  };
  const flagging = (run: PureRun) => ({ kind: 'worked' as const, calls: okCalls(run, flagged(run)) });
  const MARKED = [
    'architect+senior_dev+qa_specialist',
    'cross_critique+cross_critique+cross_critique',
    'lead_developer',
    'advisor_code_quality+advisor_test_stability',
    'implementation',
  ];
  const handing = () =>
    ({ kind: 'queried', found: { ...NO_HANDOVER, qa_notes: keep('MARK-notes') } }) as const;
  const run = play(
    begin({ mode: 'multi' }),
    { ...Object.fromEntries(MARKED.map((role) => [`work ${role}`, flagging])), 'query handover': handing },
    ['work evaluator'],
  );
  const call = callsOf(run).at(-1)?.[0];

  test('WF-60: specification, bare paths, commands, round, scope, language and one note; nothing of how it came about', () => {
    if (!call) throw new Error('no evaluator');
    expect(Object.keys(call.slots)).toEqual([
      'spec',
      'changed_paths',
      'commands',
      'round',
      'scope',
      'user_lang',
      'layer1_note',
      'check_findings',
    ]);
    const prompt = promptOf(run, call);
    expect(prompt).not.toContain('MARK-');
    expect(call.slots.changed_paths).toEqual({ text: 'src/export.ts\ntest/export.test.ts' });
    expect(templateOf(deliverRoles.evaluator)).not.toMatch(
      /\b(generator|AI|agent|worker|model|LLM|assistant|author)\b/i,
    );
    expect(deliverRoles.evaluator.profile).toEqual({ kind: 'read_only' });
  });

  test('WF-60: the note says passed, failed but waived, or not executed', () => {
    const noteOf = (one: PureRun) => {
      const slot = callsOf(one).at(-1)?.[0]?.slots.layer1_note;
      return slot && 'text' in slot ? slot.text : '';
    };
    const none = { lang: 'unknown', build: null, test: null, lint: null, type_check: null };
    const unexecuted = play(begin(), { 'query project': () => ({ kind: 'queried', found: none }) }, [
      'work evaluator',
    ]);
    const waived = play(
      begin(),
      {
        check: (one, nth) => (nth === 1 ? checked(one) : failing(one)),
        'gate verify': (one) => answerPure(one, 'continue'),
      },
      ['work evaluator'],
    );
    expect(noteOf(at)).toBe('The checks of the project passed.');
    expect(noteOf(waived)).toContain('Look harder at build and tests');
    expect(noteOf(unexecuted)).toContain('No check of the project was executed');
  });
});

describe('the verdict', () => {
  const verdict = (changes: Partial<Evaluation>, on = report) =>
    judge({ ...whole(), ...changes }, on).verdict;

  test('WF-61: recomputed from the checklist: a claim of PASS with one NO is FAIL_L2', () => {
    const { criteria } = failingL2(state);
    expect(verdict({ criteria, verdict: 'PASS' })).toBe('FAIL_L2');
    const run = settlePure(at, worked(at, { ...whole(), criteria, verdict: 'PASS' }));
    expect(stateOf(run).verdict.qa).toMatchObject({ verdict: 'FAIL_L2' });
    expect(stateOf(run).checks.verify.layer2_result).toBe('FAIL');
  });

  test('WF-61: YES without evidence, a file without a requirement, a risk: each is FAIL_L2; a missing test only warns', () => {
    const [first, ...rest] = whole().criteria as [Evaluation['criteria'][number], ...Evaluation['criteria']];
    expect(verdict({ criteria: [{ ...first, evidence: [] }, ...rest] })).toBe('FAIL_L2');
    const [file, ...files] = whole().files as [Evaluation['files'][number], ...Evaluation['files']];
    expect(verdict({ files: [{ ...file, requirements: [] }, ...files] })).toBe('FAIL_L2');
    expect(verdict({ risks: [{ kind: 'security', file: 'a.ts', line: 3, text: 'open' }] })).toBe('FAIL_L2');
    const untested = judge({ ...whole(), tests: [] }, report);
    expect(untested.verdict).toBe('PASS');
    expect(untested.warnings).toHaveLength(2);
  });

  test('WF-62: a dropped, doubled or unknown row is refused', () => {
    const check = (changes: Partial<Evaluation>) =>
      deliverRoles.evaluator.check({ ...whole(), ...changes }, state);
    const { criteria, files } = whole();
    expect(check({})).toEqual([]);
    expect(check({ criteria: criteria.slice(1) })).toHaveLength(1);
    expect(check({ criteria: [...criteria, criteria[0] as never] })).toHaveLength(1);
    expect(check({ criteria: [...criteria, { ...criteria[0], id: 'AC-9' } as never] })).toHaveLength(1);
    expect(check({ files: files.slice(1) })).toHaveLength(1);
    expect(check({ files: [...files, files[0] as never] })).toHaveLength(1);
    expect(check({ files: [...files, { path: 'src/other.ts', requirements: [], note: '' }] })).toHaveLength(
      1,
    );
  });

  test.each(['completion', 'scope', 'bug_free', 'consistency', 'minimal_changes'] as const)(
    'WF-63: a failing %s flips the verdict',
    (item) => {
      expect(verdict({})).toBe('PASS');
      const failed = { ...layer3(), [item]: { ...layer3()[item], result: 'FAIL' } };
      expect(verdict({ layer3: failed as never })).toBe('FAIL_L3');
    },
  );

  test('WF-63: a confirmed hypothesis, no layer 3 at all, a build or test on record as failed: FAIL_L3', () => {
    const [one, two] = layer3().bug_free.hypotheses;
    const hypotheses = [{ ...one, finding: 'confirmed' }, two];
    const alone = { ...layer3(), bug_free: { ...layer3().bug_free, hypotheses: [one] } };
    expect(deliverRoles.evaluator.result.safeParse({ ...whole(), layer3: alone }).success).toBe(false);
    expect(
      verdict({ layer3: { ...layer3(), bug_free: { ...layer3().bug_free, hypotheses } } as never }),
    ).toBe('FAIL_L3');
    expect(verdict({ layer3: null })).toBe('FAIL_L3');
    if (!report) throw new Error('no report');
    for (const name of ['build', 'test', 'lint'] as const) {
      const checks = report.checks.map((row) =>
        row.name === name ? { ...row, judged: 'fail' as const } : row,
      );
      expect(verdict({}, { ...report, result: 'FAIL', checks })).toBe(name === 'lint' ? 'PASS' : 'FAIL_L3');
    }
  });

  test('WF-61: a path outside the limits, too many files or no change at all is never a pass, waived or not', () => {
    if (!report) throw new Error('no report');
    expect(verdict({}, { ...report, outside: [{ path: 'x', code: 'outside_scope' }] })).toBe('FAIL_L2');
    expect(verdict({}, { ...report, too_many: true })).toBe('FAIL_L2');
    expect(verdict({ files: [] }, { ...report, files: 0 })).toBe('FAIL_L2');
  });

  test('WF-64: layer2_result per verdict; a failure without a layer is layer 3', () => {
    expect(['PASS', 'FAIL_L2', 'FAIL_L3', 'NONE'].map((one) => layer2Result(one as never))).toEqual([
      'PASS',
      'FAIL',
      'PASS',
      null,
    ]);
    expect(verdict({ verdict: 'FAIL' })).toBe('FAIL_L3');
  });

  test('WF-65: where claim and rows disagree, the failure wins', () => {
    expect(verdict({ verdict: 'FAIL_L2' })).toBe('FAIL_L2');
    expect(verdict({ verdict: 'FAIL_L3' })).toBe('FAIL_L3');
    const run = play(settlePure(at, worked(at, { ...whole(), verdict: 'FAIL_L3' })), {}, ['gate qa']);
    expect(keyOf(run.step)).toBe('gate qa');
  });

  test('WF-07: prose that says PASS changes nothing', () => {
    const calls = okCalls(at, [{ ...failingL2(state), summary: 'PASS PASS PASS' }]);
    const said = calls.map((call) => ({ ...call, line: 'PASS - all good' }));
    const run = settlePure(at, { kind: 'worked', calls: said as never });
    expect(stateOf(run).verdict.qa?.verdict).toBe('FAIL_L2');
    expect(notices(run, 'en')).toContain('evaluator: PASS - all good');
  });

  test('WF-08: no valid evaluation after all tries goes to a person, never to a pass', () => {
    const run = play(settlePure(at, failedCalls(at)), {}, ['gate qa']);
    expect(stateOf(run)).toMatchObject({
      verdict: { qa: { verdict: 'NONE' } },
      checks: { verify: { layer2_result: null } },
    });
    expect(offered(run)).toEqual(['fix', 'accept']);
    expect(notices(run, 'en', 'warning').length).toBeGreaterThan(0);
  });

  test('WF-08: every role of the workflow has three tries of its own in all', () => {
    for (const [role, { caps }] of Object.entries(deliverRoles))
      expect([role, 1 + caps.correct + caps.fresh]).toEqual([role, 3]);
  });

  test('WF-66: exactly one rule per verdict, repairs and round', () => {
    for (const one of ['PASS', 'FAIL_L2', 'FAIL_L3', 'NONE'] as const) {
      for (const retries of [0, 1, 2]) {
        for (const round of [1, 2, 3]) {
          const rule = one === 'PASS' ? 1 : one === 'FAIL_L2' && retries < 2 ? 2 : round < 3 ? 3 : 4;
          expect(ruleOf(one, retries, round), `${one} ${retries} ${round}`).toBe(rule);
        }
      }
    }
  });

  test('WF-66: FAIL_L2 is repaired twice without a gate, then a person is asked', () => {
    const run = play(
      begin({ mode: 'standard' }),
      { 'work evaluator': (one) => worked(one, failingL2(stateOf(one))) },
      ['gate qa'],
    );
    expect(rolesOf(run).filter((role) => role === 'implementation')).toHaveLength(3);
    expect(rolesOf(run).filter((role) => role === 'lead_developer')).toHaveLength(1);
    expect(rolesOf(run).filter((role) => role === 'evaluator')).toHaveLength(3);
    expect(stateOf(run).checks.verify.layer2_retries).toBe(2);
    expect(stepsOf(run).filter((key) => key.startsWith('gate'))).toEqual(['gate spec', 'gate qa']);
  });
});

describe('gate QA', () => {
  const atQa = (how: typeof failingL3 = failingL3, input: Record<string, unknown> = {}) =>
    play(begin(input), { 'work evaluator': (one) => worked(one, how(stateOf(one))) }, ['gate qa']);

  test('WF-67: Fix is one transition with exactly its fields', () => {
    const asked = atQa(failingL2);
    const used = {
      layer1_retries: 3,
      layer2_retries: 2,
      autofix_attempted: true,
      todo_blocking: true,
    } as const;
    const run = withState(asked, {
      checks: {
        verify: { ...stateOf(asked).checks.verify, ...used },
        autofix: { last_patch_path: null, applied: 'stopped', reason: null, triggered_at: state.created_at },
      },
    });
    const before = stateOf(run);
    expect(before.checks.verify).toMatchObject({ layer1_result: 'PASS', layer2_result: 'FAIL' });
    const after = answerPure(run, 'fix').states[run.states.length] as unknown as DeliverState;
    const changed = Object.keys(after).filter(
      (key) => JSON.stringify(after[key as never]) !== JSON.stringify(before[key as never]),
    );
    expect(changed.sort()).toEqual(['checks', 'phase', 'round', 'updated_at']);
    expect(after.checks).toEqual({ ...before.checks, verify: after.checks.verify });
    expect(after).toMatchObject({
      round: 2,
      phase: 'generate_ready',
      checks: { verify: { layer1_retries: 0, layer2_retries: 0, layer1_result: null, layer2_result: null } },
    });
    const { autofix_attempted, todo_blocking } = after.checks.verify;
    expect({ autofix_attempted, todo_blocking }).toEqual({ autofix_attempted: true, todo_blocking: true });
  });

  test('WF-67: a later round runs the whole chain of its mode', () => {
    const run = play(answerPure(atQa(failingL3, { mode: 'multi' }), 'fix'), {}, ['gate commit']);
    expect(rolesOf(run).filter((role) => role === 'lead_developer')).toHaveLength(2);
    expect(rolesOf(run).filter((role) => role.startsWith('advisor_code_quality'))).toHaveLength(2);
  });

  test('WF-68: three ends, three reasons; only qa_pass is passed', () => {
    const passed = play(begin());
    const accepted = play(answerPure(atQa(), 'accept'));
    const spent = play(begin(), {
      'work evaluator': (one) => worked(one, failingL3(stateOf(one))),
      'gate qa': (one) => answerPure(one, 'fix'),
    });
    const ends = [passed, accepted, spent].map((run) => [
      stateOf(run).verdict.completion_reason,
      stateOf(run).ended?.result,
    ]);
    expect(ends).toEqual([
      ['qa_pass', 'passed'],
      ['accepted_as_is', 'accepted_as_is'],
      ['max_rounds', 'max_rounds'],
    ]);
    const decision = accepted.records.find(
      (record) => record.kind === 'decision' && record.name === 'accepted_as_is',
    );
    expect(decision).toMatchObject({ data: { by: 'Ada <ada@example.org>', open: [{ id: 'consistency' }] } });
    const named = (run: PureRun) =>
      joinEvidence(entries(run, 'evidence').map((part) => EvidencePart.parse(part)))
        .closed?.approvals.filter(({ what }) => what === 'accepted_as_is')
        .map(({ by }) => by);
    expect([passed, accepted, spent].map(named)).toEqual([[], ['Ada <ada@example.org>'], []]);
  });

  test('WF-89: it shows layer, failing items and instructions, and for layer 2 that repairs were spent', () => {
    const two = JSON.stringify(atQa(failingL2).step);
    expect(two).toContain('"layer":"two"');
    expect(two).toContain('AC-1: no flag');
    expect(two).toContain('Add the flag.');
    expect(two).toContain('deliver.qa.spent');
    const three = JSON.stringify(atQa(failingL3).step);
    expect(three).toContain('"layer":"three"');
    expect(three).toContain('Rename it.');
    expect(three).not.toContain('deliver.qa.spent');
  });

  test.each([failingL2, failingL3])(
    'WF-66, WF-89: in the last round no QA gate opens and the finish gate lists the open items',
    (how) => {
      const run = play(
        begin(),
        {
          'work evaluator': (one) => worked(one, how(stateOf(one))),
          'gate qa': (one) => answerPure(one, 'fix'),
        },
        ['gate commit'],
      );
      expect(stateOf(run)).toMatchObject({ round: 3, verdict: { completion_reason: 'max_rounds' } });
      expect(stepsOf(run).filter((key) => key === 'gate qa')).toHaveLength(2);
      expect(offered(run)).toEqual(['code_only', 'commit_all', 'no_commit']);
      const { brief } = (run.step as Extract<PureRun['step'], { kind: 'gate' }>).gate;
      expect(brief.items).toHaveLength(1);
      expect(JSON.stringify(brief)).toContain('max_rounds');
    },
  );

  test('a failing lint that was waived can pass; a failing test that was waived cannot', () => {
    const ended = (name: string) =>
      stateOf(
        play(begin(), {
          check: (one, nth) =>
            nth === 1 ? checked(one) : checked(one, { [name]: checkResult(name, 'fail') }),
          'gate verify': (one) => answerPure(one, 'continue'),
          'gate qa': (one) => answerPure(one, 'accept'),
        }),
      ).ended?.result;
    expect(ended('lint')).toBe('passed');
    expect(ended('test')).toBe('accepted_as_is');
  });
});
