import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DELIVER_GROUPS, DELIVER_PHASES, DeliverState } from '../../../src/contract/deliver.ts';
import { deliverPhases } from '../../../src/workflows/deliver/phases.ts';
import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import { deliverWorkflow } from '../../../src/workflows/deliver/workflow.ts';
import { hashOf } from '../../support/pure-run.ts';
import { begin, checked, failing, play, stateOf, worked } from './fixture.ts';
import { failingL3 } from './results.ts';

/** A state far into a run: at the QA gate after a whole round in multi mode. */
const full: DeliverState = stateOf(
  play(begin({ mode: 'multi', scope: ['src/**', 'test/**'], output_dir: 'notes', lint_cmd: 'biome check' }), {
    'work evaluator': (run) => worked(run, failingL3(stateOf(run))),
    check: (run, nth) => (nth === 1 ? failing(run, 'a.ts old') : checked(run)),
  }),
);
/** The fixture with another value of a field, at the top or in its group. */
const withField = (field: string, value: unknown): unknown => {
  const group = DELIVER_GROUPS.find((one) => !Object.hasOwn(full, field) && Object.hasOwn(full[one], field));
  return group ? { ...full, [group]: { ...full[group], [field]: value } } : { ...full, [field]: value };
};
const ok = (state: unknown) => DeliverState.safeParse(state).success;

/** Fields of the requirement's own list; the rest are working fields of ours. */
const CONTRACT = [
  'version',
  'task',
  'slug',
  'skill',
  'mode',
  'run_style',
  'model_config',
  'cli_flags',
  'user_lang',
  'has_git',
  'repo_name',
  'repo_path',
  'phase',
  'round',
  'max_rounds',
  'max_files',
  'scope',
  'branch',
  'lang',
  'build_cmd',
  'test_cmd',
  'lint_cmd',
  'type_check_cmd',
  'verify',
  'autofix',
  'docs_path',
  'conventions',
  'completion_reason',
  'created_at',
  'updated_at',
] as const;

describe('state of a deliver run', () => {
  test('WF-01: the full fixture is accepted and has every field of the list', () => {
    expect(DeliverState.parse(full)).toEqual(full);
    const fields = [full, ...DELIVER_GROUPS.map((group) => full[group])].flatMap(Object.keys);
    expect(fields).toEqual(expect.arrayContaining([...CONTRACT]));
    expect([full.round, full.max_rounds, full.max_files]).toEqual([1, 3, 20]);
  });

  test('WF-01: a state without any one of its fields is refused', () => {
    for (const key of Object.keys(full)) {
      const { [key as keyof DeliverState]: _, ...rest } = full;
      expect(ok(rest), key).toBe(false);
    }
    for (const group of DELIVER_GROUPS) {
      for (const key of Object.keys(full[group])) {
        const rest = Object.entries(full[group]).filter(([name]) => name !== key);
        expect(ok({ ...full, [group]: Object.fromEntries(rest) }), key).toBe(false);
      }
    }
  });

  test('WF-01: a field of another type is refused', () => {
    const fields = [full, ...DELIVER_GROUPS.map((group) => full[group])].flatMap(Object.keys);
    for (const key of fields) expect(ok(withField(key, 12.5)), key).toBe(false);
  });

  test('WF-01: unknown fields are refused, also inside of fields', () => {
    expect(ok({ ...full, extra: 1 })).toBe(false);
    for (const key of ['cli_flags', 'model_config', ...DELIVER_GROUPS] as const) {
      expect(full[key], key).not.toBeNull();
      expect(ok({ ...full, [key]: { ...(full[key] as object), extra: 1 } }), key).toBe(false);
    }
    const { verify, report } = full.checks;
    const { spec, approval } = full.plan;
    for (const [group, parts] of [
      ['checks', { verify, report }],
      ['plan', { spec, approval }],
      ['attempt', { changes: full.attempt.changes }],
    ] as const) {
      for (const [key, part] of Object.entries(parts)) {
        expect(part, key).not.toBeNull();
        const changed = { ...full, [group]: { ...full[group], [key]: { ...(part as object), extra: 1 } } };
        expect(ok(changed), key).toBe(false);
      }
    }
  });

  test.each([
    ['version', 0],
    ['version', 2],
    ['skill', 'spec'],
    ['task', ''],
    ['slug', 'Not A Slug'],
    ['slug', 'a'.repeat(51)],
    ['mode', 'quick'],
    ['mode', null],
    ['run_style', 'fast'],
    ['model_config', { preset: 'default', executor: 'opus', verifier: 'haiku' }],
    [
      'model_config',
      { preset: 'balanced', executor: 'gpt', advisor: 'opus', evaluator: 'opus', verifier: 'haiku' },
    ],
    ['model_config', null],
    ['user_lang', 'xx'],
    ['has_git', 'yes'],
    ['phase', 'done'],
    ['round', 0],
    ['round', 4],
    ['max_rounds', 5],
    ['max_files', 21],
    ['scope', []],
    ['branch', 7],
    ['lang', 'cobol'],
    ['build_cmd', ''],
    [
      'autofix',
      { last_patch_path: null, applied: 'done', reason: null, triggered_at: '2026-11-15T10:00:00.000Z' },
    ],
    ['docs_path', '/docs/baton/x/'],
    ['docs_path', 'docs/../x/'],
    ['docs_path', 'docs/baton/x'],
    ['conventions', 'conventions.md'],
    ['completion_reason', 'done'],
    ['completion_reason', 'qa_pass'],
    ['created_at', 'yesterday'],
    ['setup', { stage: 'looking', other: null, bad_models: 0, bad_model: null }],
  ])('WF-01: %s = %j is refused', (field, value) => {
    expect(ok(withField(field, value))).toBe(false);
  });

  test('WF-02: only counters in their ranges and known results validate', () => {
    const verify = fc.record({
      layer1_result: fc.constantFrom(null, 'PASS', 'FAIL', 'WARN'),
      layer1_retries: fc.integer({ min: -2, max: 6 }),
      layer2_result: fc.constantFrom(null, 'PASS', 'FAIL', 'skipped'),
      layer2_retries: fc.integer({ min: -2, max: 5 }),
      todo_blocking: fc.boolean(),
      autofix_attempted: fc.constant(false),
    });
    fc.assert(
      fc.property(verify, (one) => {
        const within =
          one.layer1_retries >= 0 &&
          one.layer1_retries <= 3 &&
          one.layer2_retries >= 0 &&
          one.layer2_retries <= 2;
        const known = one.layer1_result !== 'WARN' && one.layer2_result !== 'skipped';
        expect(ok({ ...full, checks: { ...full.checks, autofix: null, verify: one } })).toBe(within && known);
      }),
      { numRuns: 300 },
    );
  });

  test('WF-02: the flags of verify have their defaults', () => {
    const { todo_blocking, autofix_attempted, ...verify } = full.checks.verify;
    const state = { ...full, checks: { ...full.checks, verify, autofix: null } };
    expect(DeliverState.parse(state).checks.verify).toMatchObject({
      todo_blocking: false,
      autofix_attempted: false,
    });
  });

  test('WF-02: an auto-fix record has exactly its four fields, and the right is used exactly past proposed', () => {
    const record = { last_patch_path: hashOf('p'), reason: null, triggered_at: '2026-11-15T10:00:00.000Z' };
    for (const applied of ['proposed', 'accepted', 'applied', 'verified', 'stopped', 'rejected']) {
      const autofix = { ...record, applied };
      const used = applied !== 'proposed';
      const verify = (autofix_attempted: boolean) => ({ ...full.checks.verify, autofix_attempted });
      expect(ok({ ...full, checks: { ...full.checks, autofix, verify: verify(used) } })).toBe(true);
      expect(ok({ ...full, checks: { ...full.checks, autofix, verify: verify(!used) } })).toBe(false);
      const { reason: _, ...less } = autofix;
      expect(ok({ ...full, checks: { ...full.checks, autofix: less, verify: verify(used) } })).toBe(false);
    }
  });

  test('every phase of the table is a phase of the state, in the order of the requirement', () => {
    expect(Object.keys(deliverPhases)).toEqual([...DELIVER_PHASES]);
    expect(DELIVER_PHASES.map((phase) => deliverPhases[phase].order)).toEqual(
      DELIVER_PHASES.map((_, n) => n),
    );
  });

  test('every result schema can be told to an agent as JSON Schema', () => {
    for (const role of Object.values(deliverRoles)) {
      const schema = z.toJSONSchema(role.result, { io: 'input' });
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  test('WF-04: version 1 is the first version of the state, so no migration exists', () => {
    expect(deliverWorkflow.version).toBe(full.version);
    expect(deliverWorkflow.migrations).toEqual([]);
  });
});
