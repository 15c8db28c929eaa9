import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CriticResult } from '../../../src/contract/spec-analysis.ts';
import { renderBrief } from '../../../src/engine/brief.ts';
import { specDocuments } from '../../../src/workflows/spec/documents.ts';
import { NEW_CRITIC } from '../../../src/workflows/spec/pass.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  failPure,
  hashOf,
  notices,
  offered,
  type PureRun,
  passPure,
  slotsOf,
  workPure,
} from '../../support/pure-run.ts';
import { templateOf, translator } from '../../support/texts.ts';
import {
  atCritic,
  atCriticGate,
  atRevision,
  atSecondCritic,
  atSecondGate,
  atSynthesis,
  draft,
  gateOf,
  items,
  ROLES,
  reviewed,
  rolesAtWork,
  synthesised,
} from './deep-fixture.ts';
import { stateOf, withState } from './fixture.ts';

const en = translator('en');
const ko = translator('ko');

describe('synthesis', () => {
  test('SP-41: the first synthesis has the analyses and nothing of a revision, whatever findings lie around', () => {
    const run = atSynthesis();
    const critic = { ...NEW_CRITIC, last_findings_path: hashOf('STALE findings') };
    const stale = withState(run, { critic, findings_shown: [{ id: 'M1', title: 'STALE' }] });
    const slots = slotsOf(stale, 'synthesis');
    expect(Object.keys(slots).sort()).toEqual(
      ['analysts', 'lang', 'notes', 'requests', 'task', ...ROLES].sort(),
    );
    expect(JSON.stringify(slots)).not.toMatch(/STALE|FINDING/);
  });

  test('SP-41: findings of an earlier pass do not appear in the first synthesis of the next one', () => {
    const approval = passPure(answerPure(atCriticGate(), 'approve'));
    const again = passPure(answerPure(approval, 'modify', { text: 'Shorter.' }));
    expect(rolesAtWork(again)).toEqual(ROLES);
    expect(JSON.stringify(ROLES.map((role) => slotsOf(again, role)))).not.toContain('FINDING');
    expect(stateOf(again)).toMatchObject({ critic: null, findings_shown: [], analyses: null });
  });

  test('SP-41: a revision has the analyses, the draft and the findings', () => {
    const slots = slotsOf(atRevision(), 'synthesis');
    expect(slots.findings).toContain('FINDING issue of M1');
    expect(slots.draft).toContain('First draft.');
    for (const role of ROLES) expect(slots[role]).toContain(`MARK-${role}`);
    expect(slots).not.toHaveProperty('revision_request');
  });

  test('SP-42: the conflict rules stand in the words with authority', () => {
    const template = templateOf(specWorkflow.roles.synthesis);
    const rules = [
      'A confirmed answer overrides',
      'Behaviour that a user notices is more important than internal',
      'take the stricter reading',
    ];
    for (const rule of rules) expect(template).toContain(rule);
  });

  test('SP-42: a revision that lacks a major id is asked for once more, then the id is at the gates', () => {
    const gate = reviewed(atCritic(), items(1, 2, 1));
    const first = answerPure(gate, 'auto_revise');
    const retry = synthesised(first, ['C1', 'M2'], 'Second draft.');
    expect(stateOf(retry)).toMatchObject({
      phase: 're_synthesis_active',
      critic: { applied: 'pending', round: 0 },
    });
    expect(slotsOf(retry, 'synthesis')).toMatchObject({ missing: 'M1' });
    expect(slotsOf(retry, 'synthesis').draft).toContain('Second draft.');
    const second = synthesised(retry, ['C1', 'M2'], 'Third draft.');
    const calls = second.steps.filter(
      (step) => step.kind === 'work' && step.during === 're_synthesis_active',
    );
    expect(calls).toHaveLength(2);
    expect(stateOf(second)).toMatchObject({
      phase: 're_critic_active',
      not_addressed: ['M1'],
      revising: null,
    });
    expect(slotsOf(second, 'critic').not_addressed).toBe('M1');
    const secondGate = reviewed(second, items(0, 1, 0));
    expect(gateOf(secondGate).brief.banners.map(en)).toEqual(['The revision answers nowhere: M1.']);
    const clean = passPure(reviewed(second, []));
    expect(gateOf(clean).name).toBe('approval');
    expect(gateOf(clean).brief.banners.map(en)).toEqual(['The revision answers nowhere: M1.']);
  });

  test('SP-42: the retry that cites everything leaves nothing open; minor ids are never asked for', () => {
    const first = answerPure(reviewed(atCritic(), items(1, 0, 3)), 'auto_revise');
    const done = synthesised(synthesised(first, []), ['C1']);
    expect(stateOf(done)).toMatchObject({ phase: 're_critic_active', not_addressed: [] });
  });

  test('SP-42: an id that is only named, or stands inside a longer one, is not cited', () => {
    const first = answerPure(reviewed(atCritic(), items(0, 10, 0)), 'auto_revise');
    const cited = Array.from({ length: 9 }, (_, n) => `M${n + 2}`);
    const retry = synthesised(first, cited, 'Nothing is said to M1.');
    expect(stateOf(retry)).toMatchObject({ phase: 're_synthesis_active', revising: { missing: ['M1'] } });
  });

  test('SP-42: a retry that brings nothing leaves the revision that exists, with its list', () => {
    const retry = synthesised(atRevision(), [], 'Second draft.');
    const done = failPure(retry);
    expect(stateOf(done)).toMatchObject({ phase: 're_critic_active', not_addressed: ['M1'] });
    expect(stateOf(done).spec?.hash).toBe(hashOf(JSON.stringify(draft(retry, [], 'Second draft.'))));
  });
});

describe('critic', () => {
  test('SP-43: it is cold: task, language, spec, notes and requests; no analyses, no earlier findings', () => {
    for (const run of [atCritic(), atSecondCritic()]) {
      const slots = slotsOf(run, 'critic');
      expect(Object.keys(slots).sort()).toEqual([
        'lang',
        'not_addressed',
        'notes',
        'requests',
        'spec',
        'task',
      ]);
      expect(JSON.stringify(slots)).not.toMatch(/MARK-|FINDING/);
    }
  });

  test('SP-43: a declared count of 0/0/0 with one Critical item opens the gate', () => {
    const run = reviewed(atCritic(), items(1, 0, 0), { counts: { critical: 0, major: 0, minor: 0 } });
    expect(gateOf(run).name).toBe('critic');
    expect(stateOf(run).critic?.counts).toEqual({ critical: 1, major: 0, minor: 0 });
    const loud = reviewed(atCritic(), items(0, 0, 1), { counts: { critical: 9, major: 9, minor: 9 } });
    expect(stateOf(loud)).toMatchObject({
      phase: 'critic_complete',
      critic: { counts: { critical: 0, major: 0, minor: 1 } },
    });
  });

  const [item] = items(1, 0, 0);
  test.each([
    ['the same id twice', [item, item]],
    ['a gap', [item, { ...item, id: 'C3' }]],
    ['a prefix of another severity', [{ ...item, id: 'M1' }]],
    ['a lower-case letter for Major', [{ ...item, id: 'm1', severity: 'Major' }]],
    ['no number', [{ ...item, id: 'C' }]],
    ['counting from 0', [{ ...item, id: 'C0' }]],
    ['an unknown severity', [{ ...item, severity: 'Blocker' }]],
    ['a missing fix', [{ ...item, fix: undefined }]],
  ])('SP-44: %s is refused', (_name, broken) => {
    expect(CriticResult.safeParse({ items: broken }).success).toBe(false);
  });

  test('SP-44: ids count up per severity in any order of severities', () => {
    const [c1, m1, m2, n1] = items(1, 2, 1);
    expect(CriticResult.safeParse({ items: [m1, n1, c1, m2] }).success).toBe(true);
    expect(CriticResult.safeParse({ items: [m2, m1] }).success).toBe(false);
    const template = templateOf(specWorkflow.roles.critic);
    for (const word of ['Critical: it cannot be built', 'Major: it must be strengthened', 'Minor: wording']) {
      expect(template).toContain(word);
    }
  });

  test('SP-45: a critic without any result leads to approval with a banner of its own, not inside prose', () => {
    const { caps } = specWorkflow.roles.critic ?? {};
    expect(1 + (caps?.correct ?? 0) + (caps?.fresh ?? 0)).toBe(3);
    const run = passPure(failPure(atCritic(), 'dispatch_failed'));
    expect(run.records).toContainEqual(
      expect.objectContaining({ kind: 'decision', name: 'critic_failed', by_rule: 'SP-45' }),
    );
    const { brief, name } = gateOf(run);
    expect(name).toBe('approval');
    expect(brief.banners.map(en)).toEqual(['NO QUALITY REVIEW TOOK PLACE: the critic gave no result.']);
    expect(brief.banners.map(ko)).toEqual([expect.stringContaining('품질 검토를 하지 못했습니다')]);
    const prose = [brief.decide, ...brief.why, ...brief.context].map(en).join(' ');
    expect(prose).not.toContain('NO QUALITY REVIEW');
    expect(brief.recommend).toMatchObject({ cede: true });
    expect(renderBrief(brief, en).split('\n')[0]).toContain('NO QUALITY REVIEW');
  });

  test('SP-46: a critic nobody can read is neither approved nor halted until a person answers', () => {
    for (const [at, second] of [
      [atCritic, false],
      [atSecondCritic, true],
    ] as const) {
      const before = at();
      const run = failPure(before, 'parse_failed');
      expect(stateOf(run)).toMatchObject({
        phase: stateOf(before).phase,
        critic: {
          applied: second ? 'revised' : 'pending',
          counts: null,
          last_findings_path: hashOf('garbage'),
        },
      });
      expect(gateOf(run).name).toBe('critic');
      expect(offered(run)).toEqual(['approve', 'stop']);
      expect(en(gateOf(run).brief.decide)).not.toMatch(/\d/);
      expect(stateOf(answerPure(run, 'approve'))).toMatchObject({
        phase: 'critic_complete',
        critic: { applied: 'approved', failure_reason: 'parse_failed_approved' },
      });
      expect(stateOf(answerPure(run, 'stop'))).toMatchObject({
        phase: 'critic_halted',
        critic: { failure_reason: 'parse_failed_halted' },
      });
    }
  });

  test.each([
    [0, 0, 0, false],
    [0, 0, 7, false],
    [1, 0, 0, true],
    [0, 1, 0, true],
    [3, 2, 1, true],
  ])('SP-47: counts %i, %i, %i: gate %s', (critical, major, minor, opens) => {
    const run = reviewed(atCritic(), items(critical, major, minor));
    if (!opens) {
      expect(stateOf(run)).toMatchObject({ phase: 'critic_complete', critic: { applied: 'approved' } });
      expect(run.records).toContainEqual(expect.objectContaining({ kind: 'decision', by_rule: 'SP-47' }));
      const context = gateOf(passPure(run)).brief.context.map(en);
      for (let n = 1; n <= minor; n += 1) expect(context).toContain(`m${n} FINDING title of m${n}`);
      return;
    }
    const { brief } = gateOf(run);
    expect(offered(run)).toEqual(['auto_revise', 'modify', 'approve']);
    expect(en(brief.decide)).toBe(
      `The critic found ${critical} critical, ${major} major, ${minor} minor. Revise once?`,
    );
    expect(brief.why).toHaveLength(critical + major);
  });

  test('SP-47: Modify needs text; ids and severity words stay English in Korean', () => {
    expect(specWorkflow.gates.critic?.options.modify?.text).toBe('required');
    const text = renderBrief(gateOf(atCriticGate(1, 1, 1)).brief, ko);
    expect(text).toBe(
      [
        '결정: 비평 결과: Critical 1개, Major 1개, Minor 1개. 한 번 고칠까요?',
        '추천: 자동 수정 (확신: 높음)',
        '이유:\n- C1 FINDING title of C1\n- M1 FINDING title of M1',
        '배경:\n- m1 FINDING title of m1',
      ].join('\n\n'),
    );
  });

  test('a gate lists the heaviest findings and says how many more there are', () => {
    const run = reviewed(atCritic(), [...items(0, 0, 30), ...items(2, 3, 0)]);
    const { brief } = gateOf(run);
    expect(brief.why.map(en).map((line) => line.split(' ')[0])).toEqual(['C1', 'C2', 'M1', 'M2', 'M3']);
    expect(en(brief.context.at(-1) ?? '')).toBe('15 more are in critic_findings.');
  });

  test('Auto-revise and Modify lead to one synthesis with the findings, Modify with the request stored first', () => {
    const auto = atRevision();
    expect(stateOf(auto)).toMatchObject({
      phase: 're_synthesis_active',
      critic: { modify_text: null, round: 0 },
    });
    const modify = answerPure(atCriticGate(), 'modify', { text: 'Name the time zone.' });
    expect(stateOf(modify).critic?.modify_text).toBe('Name the time zone.');
    expect(slotsOf(modify, 'synthesis')).toMatchObject({ revision_request: 'Name the time zone.' });
    // What a resumed process sees is the stored state alone: the same request, the same prompt.
    const resumed = specWorkflow.next(JSON.parse(JSON.stringify(modify.state)));
    expect(resumed).toEqual(modify.step);
    expect(rolesAtWork(synthesised(modify, ['M1']))).toEqual(['critic']);
  });

  test.each(['dispatch_failed', 'parse_failed'] as const)(
    'a revision that fails (%s) halts the critic flow',
    (kind) => {
      const run = failPure(atRevision(), kind);
      expect(stateOf(run)).toMatchObject({
        phase: 'critic_halted',
        critic: { failure_reason: 're_synthesis_failed', round: 0 },
      });
      expect(notices(run, 'en', 'warning').at(-1)).toContain('The revision failed');
    },
  );

  test('SP-49: a clean second review is approved; otherwise exactly two options', () => {
    expect(stateOf(reviewed(atSecondCritic(), items(0, 0, 2)))).toMatchObject({
      phase: 'critic_complete',
      critic: { applied: 'approved', round: 1 },
    });
    const run = atSecondGate();
    expect(offered(run)).toEqual(['approve', 'stop']);
    expect(en(gateOf(run).brief.decide)).toContain(
      'After the revision the critic found 0 critical, 1 major, 0 minor',
    );
    expect(stateOf(answerPure(run, 'approve'))).toMatchObject({
      phase: 'critic_complete',
      critic: { applied: 'approved' },
    });
    expect(stateOf(answerPure(run, 'stop'))).toMatchObject({
      phase: 'critic_halted',
      critic: { failure_reason: 'user_stopped' },
    });
  });

  test('SP INV-10: the branch depends on the counts of the items alone', () => {
    const first = atCritic();
    const second = atSecondCritic();
    const n = fc.nat(4);
    const branch = (run: PureRun) => stateOf(run).critic_gate ?? stateOf(run).phase;
    fc.assert(
      fc.property(fc.constantFrom(first, second), n, n, n, (at, critical, major, minor) => {
        const found = branch(reviewed(at, items(critical, major, minor)));
        expect(found).toBe(critical + major > 0 ? 'findings' : 'critic_complete');
        expect(branch(reviewed(at, items(critical, major, minor + 1)))).toBe(found);
        expect(branch(reviewed(at, items(critical + 1, major, minor)))).toBe('findings');
        expect(branch(reviewed(at, items(critical, major + 1, minor)))).toBe('findings');
      }),
      { numRuns: 60 },
    );
  });

  test('the findings are a document: ids and severity words English, a text that is none as it came', () => {
    const text = JSON.stringify({ items: items(0, 1, 0) });
    const { render } = specDocuments.critic_findings;
    expect(render(text, ko)).toBe(
      '# 비평 결과\n\n## M1 (Major): FINDING title of M1\n\n- **문제**: FINDING issue of M1\n- **영향**: FINDING impact of M1\n- **고칠 방법**: FINDING fix of M1\n',
    );
    expect(render('{"items":[]}', en)).toContain('nothing to object to');
    expect(render('garbage', en)).toBe('garbage');
  });

  test('the result of a critic that is refused by its schema never reaches the state', () => {
    expect(() => workPure(atCritic(), { items: [{ id: 'C1' }] })).toThrow();
  });
});
