import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SpecState } from '../../../src/contract/spec.ts';
import { analysisSchema, NONE_DETECTED, type SectionTable } from '../../../src/contract/spec-analysis.ts';
import type { DocumentFacts } from '../../../src/engine/workflow.ts';
import { ANALYSTS, type AnalystTable } from '../../../src/workflows/spec/analysts.ts';
import { analysisDocuments } from '../../../src/workflows/spec/documents.ts';
import { createSpec, specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  command,
  failPure,
  hashOf,
  notices,
  offered,
  type PureRun,
  signalPure,
  slotsOf,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  ALL_FOUND,
  analysed,
  analysis,
  atAnalysts,
  gateOf,
  HOWS,
  type How,
  ROLES,
  rolesAtWork,
  synthesised,
} from './deep-fixture.ts';
import { stateOf } from './fixture.ts';

const schemaOf = (role: keyof typeof ANALYSTS) => analysisSchema(role, ANALYSTS[role].sections);

/** Three or five analysts: rows taken away from or added to the table, nothing else. */
const { tech_constraint_analyst: _, ...three } = ANALYSTS;
const row = { view: 'You look for rules of law.', sections: { law: [] }, asks: { law: 'rules of law' } };
const TABLES: [string, AnalystTable][] = [
  ['three', three],
  ['five', { ...ANALYSTS, legal_analyst: row }],
];

const NO_FACTS: DocumentFacts = {
  run: 'sp-1',
  title: 'x',
  rehearsal: true,
  agents: ['rehearsal'],
  cost: null,
  artefacts: {},
  digests: {},
};

describe('analysts', () => {
  test('SP-36: all of them start together, with task, language, notes and conventions', () => {
    const run = atAnalysts();
    expect(rolesAtWork(run)).toEqual(ROLES);
    expect(ROLES).toHaveLength(4);
    if (run.step.kind !== 'work') throw new Error('no work');
    for (const { slots } of run.step.calls) {
      expect(Object.keys(slots).sort()).toEqual(['conventions', 'lang', 'notes', 'requests', 'task']);
    }
  });

  test('SP-36: no analyst is handed anything of another, also in a second pass', () => {
    const second = analysed(atAnalysts(), [
      'dispatch_failed',
      'parse_failed',
      'parse_failed',
      'dispatch_failed',
    ]);
    const again = answerPure(second, 'retry');
    for (const run of [atAnalysts(), again]) {
      for (const role of ROLES) {
        const text = JSON.stringify(slotsOf(run, role));
        for (const other of ROLES) expect(text).not.toMatch(new RegExp(`MARK-${other}|BROKEN-${other}`));
      }
    }
  });

  test.each(TABLES)('SP-36: with %s analysts nothing changes but their number', (_name, table) => {
    const def = createSpec(table);
    const roles = Object.keys(table);
    const start = () => atAnalysts({ q1: 'JPEG' }, def);
    expect(rolesAtWork(start())).toEqual(roles);
    const with_ = (how: How) =>
      analysed(
        start(),
        roles.map(() => how),
        table,
      );
    expect(rolesAtWork(with_('findings'))).toEqual(['synthesis']);
    expect(stateOf(with_('empty')).critic?.applied).toBe('approved');
    expect(gateOf(with_('parse_failed')).name).toBe('analysts');
    for (const n of roles.keys()) {
      const only = (how: How, others: How) =>
        analysed(
          start(),
          roles.map((_, at) => (at === n ? how : others)),
          table,
        );
      expect(stateOf(only('findings', 'empty')).critic).toBeNull();
      expect(rolesAtWork(only('empty', 'dispatch_failed'))).toEqual(['synthesis']);
    }
    const slots = slotsOf(with_('findings'), 'synthesis');
    for (const role of roles) expect(slots[role]).toContain(`MARK-${role}`);
    expect(notices(with_('findings'), 'en').at(-1)).toBe(
      `Analysts done: ${roles.length} of ${roles.length} usable, ${roles.length} with findings.`,
    );
  });

  test('a result has its own persona, and an empty one says why', () => {
    const good = analysis('risk_auditor', 'empty');
    expect(schemaOf('risk_auditor').parse(good)).toEqual(good);
    for (const bad of [
      { ...good, persona: 'requirements_analyst' },
      { ...good, reason: null },
      { ...good, reason: 'no time' },
      { ...good, extra: 1 },
    ]) {
      expect(schemaOf('risk_auditor').safeParse(bad).success).toBe(false);
    }
  });

  test.each(Object.entries(ANALYSTS))(
    'SP-60: %s: a missing, unknown or empty section is refused',
    (role, { sections }) => {
      const schema = analysisSchema(role, sections);
      const good = analysis(role, 'findings');
      expect(schema.safeParse(good).success).toBe(true);
      for (const key of Object.keys(sections)) {
        const { [key]: gone, ...rest } = good.sections;
        expect(schema.safeParse({ ...good, sections: rest }).success).toBe(false);
        for (const padded of [[], '', 'nothing', null]) {
          expect(schema.safeParse({ ...good, sections: { ...good.sections, [key]: padded } }).success).toBe(
            false,
          );
        }
      }
      expect(schema.safeParse({ ...good, sections: { ...good.sections, more: NONE_DETECTED } }).success).toBe(
        false,
      );
    },
  );

  test('SP-37: nothing found needs one of the two reasons; the persona is the analyst asked', () => {
    const empty = analysis('risk_auditor', 'empty');
    const takes = (changes: object) => schemaOf('risk_auditor').safeParse({ ...empty, ...changes }).success;
    for (const reason of ['greenfield project', 'input ambiguous']) expect(takes({ reason })).toBe(true);
    for (const reason of [null, '', 'tired']) expect(takes({ reason })).toBe(false);
    expect(takes({ persona: 'requirements_analyst' })).toBe(false);
  });

  test('SP-60: has_findings is false exactly when every section is the none-marker', () => {
    const role = fc.constantFrom(...(Object.keys(ANALYSTS) as (keyof typeof ANALYSTS)[]));
    fc.assert(
      fc.property(
        role,
        fc.boolean(),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        (name, says, filled) => {
          const sections = Object.entries(ANALYSTS[name].sections as SectionTable).map(([key, fields], n) => {
            const more = Object.fromEntries(fields.map((f) => [f, f === 'severity' ? 'Minor' : 'x']));
            return [key, filled[n] ? [fields.length === 0 ? 'x' : { text: 'x', ...more }] : NONE_DETECTED];
          });
          const found = sections.some(([, section]) => section !== NONE_DETECTED);
          const result = {
            persona: name,
            has_findings: says,
            reason: 'input ambiguous',
            sections: Object.fromEntries(sections),
          };
          expect(schemaOf(name).safeParse(result).success).toBe(says === found);
        },
      ),
    );
  });

  test('SP-38: a failed analyst keeps its status beside whatever text it left; both cases warn by name', () => {
    const run = analysed(atAnalysts(), ['findings', 'dispatch_failed', 'parse_failed', 'empty']);
    expect(stateOf(run).analyses).toEqual([
      expect.objectContaining({ role: ROLES[0], status: 'ok', has_findings: true }),
      { role: ROLES[1], status: 'dispatch_failed', has_findings: false, artefact: null },
      { role: ROLES[2], status: 'parse_failed', has_findings: false, artefact: hashOf(`BROKEN-${ROLES[2]}`) },
      expect.objectContaining({ role: ROLES[3], status: 'ok', has_findings: false }),
    ]);
    const slots = slotsOf(run, 'synthesis');
    expect(slots[ROLES[2] ?? '']).toBe(`BROKEN-${ROLES[2]}`);
    expect(slots[ROLES[0] ?? '']).toContain(`MARK-${ROLES[0]}`);
    expect(slots).not.toHaveProperty(ROLES[1] ?? '');
    expect(slots.analysts).toContain(`${ROLES[1]}: failed, there is no text`);
    const warnings = notices(run, 'en', 'warning');
    expect(warnings).toContainEqual(
      expect.stringMatching(/user_scenario_analyst failed after 3 tries: it gave no result/),
    );
    expect(warnings).toContainEqual(
      expect.stringMatching(/risk_auditor failed after 3 tries: its result could not be read/),
    );
  });

  test('SP-38: every text that exists is on record, so that a later prompt can read it', () => {
    const run = analysed(atAnalysts(), ['findings', 'dispatch_failed', 'parse_failed', 'empty']);
    const kept = run.records.flatMap((record) => (record.kind === 'artefact' ? [record.name] : []));
    expect(kept).toEqual([ROLES[0], ROLES[2], ROLES[3]]);
  });

  test('SP-38: an analyst has three tries before it counts as failed', () => {
    for (const role of ROLES) {
      expect(specWorkflow.roles[role]?.caps).toEqual({ correct: 1, fresh: 1, infra: 2 });
    }
  });

  test('SP-39: truth table over findings, empty, dispatch_failed, parse_failed for all four', () => {
    const start = atAnalysts();
    const rows = HOWS.flatMap((a) =>
      HOWS.flatMap((b) => HOWS.flatMap((c) => HOWS.map((d) => [a, b, c, d] as const))),
    );
    expect(rows).toHaveLength(256);
    for (const hows of rows) {
      const run = analysed(start, hows);
      const empty = hows.every((how) => how === 'empty');
      const failed = hows.every((how) => how.endsWith('_failed'));
      expect(stateOf(run).critic?.applied ?? null, hows.join()).toBe(empty ? 'approved' : null);
      expect(run.step.kind, hows.join()).toBe(failed ? 'gate' : 'work');
      if (failed) continue;
      expect(rolesAtWork(run)).toEqual(['synthesis']);
      expect(stateOf(synthesised(run)).phase, hows.join()).toBe(empty ? 'spec_ready' : 'critic_active');
    }
  });

  test('SP-39: the rule is on record as a rule, and the synthesis still runs', () => {
    const run = analysed(
      atAnalysts(),
      ROLES.map(() => 'empty'),
    );
    expect(run.records).toContainEqual(expect.objectContaining({ kind: 'decision', by_rule: 'SP-39' }));
    expect(rolesAtWork(run)).toEqual(['synthesis']);
    const approval = synthesised(run);
    const roles = approval.steps.flatMap((step) =>
      step.kind === 'work' ? step.calls.map((call) => call.role) : [],
    );
    expect(roles).not.toContain('critic');
    expect(gateOf(approval).brief.banners).toEqual([]);
  });

  test.each(ROLES.map((_, n) => n + 1).slice(0, -1))('SP-40: %i failures of four open no gate', (n) => {
    const hows = ROLES.map((_, at): How => (at < n ? 'dispatch_failed' : 'findings'));
    expect(rolesAtWork(analysed(atAnalysts(), hows))).toEqual(['synthesis']);
  });

  test('SP-40: four failures open the gate, and nothing is synthesised before the answer', () => {
    const run = analysed(atAnalysts(), [
      'dispatch_failed',
      'parse_failed',
      'dispatch_failed',
      'parse_failed',
    ]);
    expect(gateOf(run).name).toBe('analysts');
    expect(offered(run)).toEqual(['retry', 'notes_only', 'stop']);
    expect(
      run.steps.flatMap((step) => (step.kind === 'work' ? step.calls : [])).map(({ role }) => role),
    ).not.toContain('synthesis');
    const retried = answerPure(run, 'retry');
    expect(rolesAtWork(retried)).toEqual(ROLES);
    expect(rolesAtWork(analysed(retried, ALL_FOUND))).toEqual(['synthesis']);
    const found = slotsOf(analysed(retried, ALL_FOUND), 'synthesis');
    for (const role of ROLES) expect(found[role]).toContain(`MARK-${role}`);
    const again = analysed(
      retried,
      ROLES.map((): How => 'dispatch_failed'),
    );
    expect(gateOf(again).name).toBe('analysts');
    const alone = answerPure(run, 'notes_only');
    expect(rolesAtWork(alone)).toEqual(['synthesis']);
    expect(JSON.stringify(slotsOf(alone, 'synthesis'))).not.toContain('BROKEN');
    expect(slotsOf(alone, 'synthesis').notes).toContain('JPEG');
    expect(stateOf(synthesised(alone)).phase).toBe('critic_active');
    expect(specWorkflow.gates.analysts?.options.stop?.effect_on_run).toBe('hold');
  });

  test('SP-35: a synthesis that always fails has three calls, halts, and a resume calls only the synthesis', () => {
    const { caps } = specWorkflow.roles.synthesis ?? {};
    expect(1 + (caps?.correct ?? 0) + (caps?.fresh ?? 0)).toBe(3);
    const before = analysed(atAnalysts());
    const halted = failPure(before, 'parse_failed');
    expect(stateOf(halted)).toMatchObject({
      phase: 'gen_ready',
      spec: null,
      analyses: stateOf(before).analyses,
    });
    expect(halted.step).toMatchObject({ kind: 'wait', until: { commands: ['resume', 'abandon'] } });
    const again = signalPure(halted, command('resume'));
    expect(again.step).toEqual(before.step);
    expect(rolesAtWork(again)).toEqual(['synthesis']);
  });

  test('SP-24: forced unset conventions halt generation before a worker is called', () => {
    const run = atAnalysts();
    const forced = { ...run.state, conventions: null } as unknown as SpecState;
    expect(specWorkflow.next(forced)).toMatchObject({
      kind: 'wait',
      until: { why: { msg: 'spec.halt.integrity' } },
    });
  });
});

describe('analysis document', () => {
  const render = (text: string, lang: 'en' | 'ko') =>
    analysisDocuments.risk_auditor?.render(text, translator(lang), NO_FACTS);

  test('an analysis is shown with every section, headings in the language of the reader', () => {
    const text = JSON.stringify(
      analysis('risk_auditor', 'findings', { marker: 'A leaked key.\n# not a heading' }),
    );
    expect(render(text, 'ko')).toBe(
      [
        '# 위험 점검',
        '## 보안\n\n- A leaked key.\n  # not a heading (severity: Major)',
        '## 동시성\n\nnone detected',
        '## 데이터 무결성\n\nnone detected',
        '## 이전\n\nnone detected',
        '## 미확인 답변에서 오는 위험\n\nnone detected\n',
      ].join('\n\n'),
    );
  });

  test('a text that is no analysis is shown as it came, and analyses are never files of the project', () => {
    expect(render('not json', 'en')).toBe('not json');
    expect(Object.values(analysisDocuments).map(({ file }) => file)).toEqual(ROLES.map(() => ''));
    const run: PureRun = analysed(atAnalysts());
    for (const role of ROLES) expect(specWorkflow.documents).toHaveProperty(role);
    expect(run.records.filter(({ kind }) => kind === 'artefact')).toHaveLength(4);
  });
});
