import { describe, expect, test } from 'vitest';
import type { Persona } from '../../../src/contract/deliver.ts';
import { DeliverSpec } from '../../../src/contract/deliver-work.ts';
import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import {
  answerOf,
  answerPure,
  command,
  entries,
  failPure,
  hashOf,
  notices,
  offered,
  refusedSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import {
  begin,
  callsOf,
  failedCalls,
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
import { specDoc } from './results.ts';

const EIGHT = [
  'task',
  'repo_path',
  'lang',
  'scope',
  'user_lang',
  'qa_discovery_notes',
  'critic_findings',
  'conventions',
];
const handing = (found: Record<string, unknown>) => ({
  'query handover': () => ({ kind: 'queried', found: { ...NO_HANDOVER, ...found } }) as const,
});
const atPlan = (mode: string, found: Record<string, unknown> = {}) =>
  play(begin({ mode }), handing(found), ['phase planning']);

describe('planners', () => {
  test.each([0, 1, 2])('WF-37: with %i documents handed over, the prompt has all eight keys', (n) => {
    const found = {
      ...(n > 0 ? { qa_notes: keep('NOTES-MARK') } : {}),
      ...(n > 1 ? { critic_findings: keep('FINDINGS-MARK') } : {}),
    };
    const run = atPlan('standard', found);
    for (const call of callsOf(run).flat()) {
      expect(Object.keys(call.slots)).toEqual(expect.arrayContaining(EIGHT));
      const prompt = promptOf(run, call);
      for (const key of EIGHT) expect(prompt).toContain(`## ${key}\n`);
      expect(prompt.includes('NOTES-MARK')).toBe(n > 0);
      expect(prompt.includes('FINDINGS-MARK')).toBe(n > 1);
    }
  });

  test('WF-37: an unreadable document gives one warning and planning goes on', () => {
    const run = atPlan('single', { unreadable: ['critic_findings.md'] });
    expect(notices(run, 'en', 'warning')).toHaveLength(1);
    expect(rolesOf(run)).toEqual(['planner_single']);
  });

  test.each([
    ['single', ['planner_single']],
    ['standard', ['architect+senior_dev', 'synthesis']],
    [
      'multi',
      ['architect+senior_dev+qa_specialist', 'cross_critique+cross_critique+cross_critique', 'synthesis'],
    ],
  ])('WF-39: the dispatch graph of %s mode', (mode, expected) => {
    expect(rolesOf(play(begin({ mode }), {}, ['gate spec']))).toEqual(expected);
  });

  test('WF-39: a critique sees the other two proposals, a synthesis all of them and all critiques', () => {
    const run = play(begin({ mode: 'multi' }), {}, ['gate spec']);
    const [proposers, critics, last] = callsOf(run);
    const {
      plan: { proposals, critiques },
    } = stateOf(run);
    expect(Object.keys(proposals)).toEqual(['architect', 'senior_dev', 'qa_specialist']);
    for (const critic of critics ?? []) {
      const persona = (critic.slots.persona as { text: Persona }).text;
      const others = (Object.keys(proposals) as Persona[]).filter((one) => one !== persona);
      expect(Object.values(critic.slots)).toEqual(
        expect.arrayContaining(others.map((one) => ({ artefact: proposals[one] }))),
      );
      expect(JSON.stringify(critic.slots)).not.toContain(proposals[persona] ?? 'none');
    }
    const seen = JSON.stringify(last);
    for (const hash of [...Object.values(proposals), ...Object.values(critiques)])
      expect(seen).toContain(hash);
    expect(proposers).toHaveLength(3);
  });

  test('WF-38: critique and synthesis get neither notes nor findings', () => {
    const found = { qa_notes: keep('NOTES-MARK'), critic_findings: keep('FINDINGS-MARK') };
    const run = play(begin({ mode: 'multi' }), handing(found), ['gate spec']);
    const [first, ...later] = callsOf(run);
    for (const call of first ?? []) expect(promptOf(run, call)).toContain('NOTES-MARK');
    for (const call of later.flat()) expect(promptOf(run, call)).not.toMatch(/NOTES-MARK|FINDINGS-MARK/);
  });

  test('WF-40: no proposal prompt has text of another one, also when one is asked for again', () => {
    const run = atPlan('multi');
    const flagged = (role: string) => ({
      ...(resultOf(run, { role } as never) as object),
      analysis: `MARK-${role}`,
    });
    const calls = okCalls(run, ['architect', 'senior_dev', 'qa_specialist'].map(flagged));
    const failed = { kind: 'parse_failed', detail: 'x', text: hashOf('x'), attempts: 3 } as const;
    const two = settlePure(run, { kind: 'worked', calls: [calls[0] as never, failed, calls[2] as never] });
    expect(keyOf(two.step)).toBe('wait');
    const again = signalPure(two, command('resume'));
    expect(rolesOf(again).at(-1)).toBe('senior_dev');
    for (const call of [...callsOf(run).flat(), ...callsOf(again).flat()]) {
      expect(promptOf(again, call)).not.toContain('MARK-');
    }
    const all = settlePure(run, { kind: 'worked', calls });
    const late = settlePure(again, { kind: 'worked', calls: [calls[1] as never] });
    const { updated_at: a, ...whole } = stateOf(all);
    const { updated_at: b, ...pieced } = stateOf(late);
    expect(pieced).toEqual(whole);
  });

  test('a planner without a valid result halts the run in planning, and a resume asks for what is missing only', () => {
    const run = failPure(atPlan('single'), 'dispatch_failed');
    expect([keyOf(run.step), stateOf(run).phase]).toEqual(['wait', 'planning']);
    expect(rolesOf(signalPure(run, command('resume')))).toEqual(['planner_single', 'planner_single']);
  });
});

describe('the specification', () => {
  test('WF-41: a missing or empty part is refused, ids are unique', () => {
    const whole = specDoc();
    expect(DeliverSpec.safeParse(whole).success).toBe(true);
    for (const key of Object.keys(whole)) {
      const { [key as keyof DeliverSpec]: value, ...rest } = whole;
      expect(DeliverSpec.safeParse(rest).success, key).toBe(false);
      const empty = Array.isArray(value) ? [] : typeof value === 'string' ? ' ' : { in: [], out: [] };
      expect(DeliverSpec.safeParse({ ...whole, [key]: empty }).success, key).toBe(false);
    }
    expect(DeliverSpec.safeParse(specDoc(['AC-1', 'AC-1'])).success).toBe(false);
    expect(DeliverSpec.safeParse(specDoc(['AC-1', 'ac-1'])).success).toBe(false);
  });

  const from_spec = {
    run: 'sp-3aa',
    slug: 'rename-photos',
    docs_path: 'docs/baton/rename-photos/',
    spec: keep('APPROVED-MARK'),
    criteria: ['AC-1', 'AC-7'],
  };

  test.each(['single', 'standard', 'multi'])(
    'WF-42: in %s mode the approved spec is an input of every planner',
    (mode) => {
      const run = play(begin({ mode, from_spec }), planning(), ['gate spec']);
      for (const call of callsOf(run)
        .flat()
        .filter(({ role }) => role !== 'cross_critique')) {
        expect(promptOf(run, call)).toContain('APPROVED-MARK');
      }
      expect(stateOf(run).from_spec?.spec).toBe(hashOf('APPROVED-MARK'));
    },
  );

  test.each(['planner_single', 'synthesis'] as const)(
    'WF-42: a result of %s that drops an approved id is refused',
    (role) => {
      const state = stateOf(begin({ from_spec }));
      const check = (ids: string[]) => deliverRoles[role].check(specDoc(ids), state);
      expect(check(['AC-1', 'AC-7', 'AC-9'])).toEqual([]);
      expect(check(['AC-1', 'AC-9'])).toEqual([expect.stringContaining('AC-7')]);
      expect(check(['AC-1', 'AC-70'])).toEqual([expect.stringContaining('AC-7 ')]);
    },
  );

  function planning() {
    const spec = () => specDoc(['AC-1', 'AC-7']);
    return {
      'work planner_single': (run: Parameters<typeof worked>[0]) => worked(run, spec()),
      'work synthesis': (run: Parameters<typeof worked>[0]) => worked(run, spec()),
    };
  }
});

describe('the spec gate', () => {
  const atGate = () => play(begin(), {}, ['gate spec']);

  test('WF-43: only Proceed moves on, and it keeps approver, time and hash', () => {
    const run = atGate();
    expect([offered(run), stateOf(run).phase]).toEqual([['proceed', 'modify', 'stop'], 'plan_done']);
    expect(run.def.gates.spec?.options.stop?.effect_on_run).toBe('hold');
    expect(run.step).toMatchObject({
      gate: {
        artefacts: { spec: stateOf(run).plan.spec?.hash },
        brief: { why: [{ msg: 'deliver.spec.costly' }] },
      },
    });
    const on = answerPure(run, 'proceed');
    const {
      plan: { approval, spec },
      phase,
    } = stateOf(on);
    expect(phase).toBe('generating');
    expect(approval).toEqual({
      hash: spec?.hash,
      by: 'Ada <ada@example.org>',
      at: expect.any(String),
      digest: expect.any(String),
      proof: 'composition',
    });
  });

  test('WF-43: three times Modify keeps three revisions and asks again', () => {
    let run = atGate();
    for (const text of ['Shorter.', 'Name the flag.', 'Longer again.']) {
      run = play(answerPure(run, 'modify', { text }), {}, ['gate spec']);
      expect(stateOf(run).plan.approval).toBeNull();
    }
    expect(stateOf(run).plan.spec?.revision).toBe(4);
    const hashes = run.records.flatMap((one) =>
      one.kind === 'artefact' && one.name === 'spec' ? [one.hash] : [],
    );
    expect(new Set(hashes).size).toBe(4);
    expect(entries(run, 'request')).toEqual([
      { text: 'Shorter.' },
      { text: 'Name the flag.' },
      { text: 'Longer again.' },
    ]);
    expect(rolesOf(run)).toEqual(['planner_single', 'synthesis', 'synthesis', 'synthesis']);
    const last = callsOf(run).at(-1)?.[0];
    expect(last && promptOf(run, last)).toContain('Longer again.');
  });

  test('WF-43: a specification that changes after its approval is asked about again; no generator is called', () => {
    const approved = play(atGate(), {}, ['work generator_single']);
    const edited = withState(approved, {
      plan: { spec: { ...stateOf(approved).plan.spec, hash: hashOf('one byte more') } as never },
    });
    expect(keyOf(edited.step)).toBe('gate spec');
    const again = answerPure(edited, 'proceed');
    expect(rolesOf(again).at(-1)).toBe('generator_single');
  });

  test('a revision that does not come leaves the one that was seen', () => {
    const run = answerPure(atGate(), 'modify', { text: 'Shorter.' });
    const after = settlePure(run, failedCalls(run));
    expect(keyOf(after.step)).toBe('gate spec');
    expect(stateOf(after).plan.spec).toEqual(stateOf(run).plan.spec);
    expect(notices(after, 'en', 'warning').at(-1)).toContain('No new revision');
  });

  test('WF-14: generate on an unapproved specification opens the gate and calls nobody', () => {
    const halted = play(begin({ step: 'plan' }));
    expect([keyOf(halted.step), stateOf(halted).phase]).toEqual(['wait', 'plan_done']);
    const run = signalPure(halted, command('generate'));
    expect([keyOf(run.step), stateOf(run).phase]).toEqual(['gate spec', 'plan_done']);
    expect(rolesOf(run)).toEqual(['planner_single']);
    expect(refusedSignal(run, command('verify'))).toMatchObject({ message: { msg: 'deliver.run_first' } });
  });

  test('WF-31: a Korean change request switches the next gate, keys stay English', () => {
    const run = play(answerPure(atGate(), 'modify', { text: '더 짧게 써 주세요' }), {}, ['gate spec']);
    expect(stateOf(run).user_lang).toBe('ko');
    expect(offered(run)).toEqual(['proceed', 'modify', 'stop']);
    const held = begin({ lang: 'en' });
    const kept = play(held, {}, ['gate spec']);
    expect(stateOf(play(answerPure(kept, 'modify', { text: '짧게' }), {}, ['gate spec'])).user_lang).toBe(
      'en',
    );
  });

  test("in the person's folder, documents are written before the gate, again for each revision", () => {
    const gate = play(begin({}, { git: null }), {}, ['gate spec']);
    const run = play(answerPure(gate, 'modify', { text: 'x' }), {}, ['gate spec']);
    expect(stepsOf(run).filter((key) => key === 'workspace write_documents')).toHaveLength(2);
    expect(answerOf(run, 'proceed')).toMatchObject({ kind: 'answered' });
  });
});
