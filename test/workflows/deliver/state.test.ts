import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DELIVER_PHASES, DeliverState } from '../../../src/contract/deliver.ts';
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
const migrated = (old: Record<string, unknown>) =>
  deliverWorkflow.migrations.reduce((state, { migrate }) => migrate(state), old);
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
    expect(Object.keys(full)).toEqual(expect.arrayContaining([...CONTRACT]));
    expect([full.round, full.max_rounds, full.max_files]).toEqual([1, 3, 20]);
  });

  test('WF-01: a state without any one of its fields is refused', () => {
    for (const key of Object.keys(full)) {
      const { [key as keyof DeliverState]: _, ...rest } = full;
      expect(ok(rest), key).toBe(false);
    }
  });

  test('a state from before the run knew its own id is brought to this version', () => {
    const { run: _, ticket: __, ...rest } = full;
    expect(DeliverState.parse(migrated({ ...rest, version: 1 }))).toEqual({ ...full, run: null });
  });

  test('WF-01: a field of another type is refused', () => {
    for (const key of Object.keys(full)) expect(ok({ ...full, [key]: 12.5 }), key).toBe(false);
  });

  test('WF-01: unknown fields are refused, also inside of fields', () => {
    expect(ok({ ...full, extra: 1 })).toBe(false);
    for (const key of [
      'verify',
      'cli_flags',
      'model_config',
      'report',
      'changes',
      'spec',
      'approval',
    ] as const) {
      expect(full[key], key).not.toBeNull();
      expect(ok({ ...full, [key]: { ...(full[key] as object), extra: 1 } }), key).toBe(false);
    }
  });

  test.each([
    ['version', 1],
    ['version', 4],
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
    expect(ok({ ...full, [field]: value })).toBe(false);
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
        expect(ok({ ...full, autofix: null, verify: one })).toBe(within && known);
      }),
      { numRuns: 300 },
    );
  });

  test('WF-02: the flags of verify have their defaults', () => {
    const { todo_blocking, autofix_attempted, ...verify } = full.verify;
    const state = { ...full, verify, autofix: null };
    expect(DeliverState.parse(state).verify).toMatchObject({
      todo_blocking: false,
      autofix_attempted: false,
    });
  });

  test('WF-02: an auto-fix record has exactly its four fields, and the right is used exactly past proposed', () => {
    const record = { last_patch_path: hashOf('p'), reason: null, triggered_at: '2026-11-15T10:00:00.000Z' };
    for (const applied of ['proposed', 'accepted', 'applied', 'verified', 'stopped', 'rejected']) {
      const autofix = { ...record, applied };
      const used = applied !== 'proposed';
      const verify = (autofix_attempted: boolean) => ({ ...full.verify, autofix_attempted });
      expect(ok({ ...full, autofix, verify: verify(used) })).toBe(true);
      expect(ok({ ...full, autofix, verify: verify(!used) })).toBe(false);
      const { reason: _, ...less } = autofix;
      expect(ok({ ...full, autofix: less, verify: verify(used) })).toBe(false);
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

  test('WF-04: a state of version 1 becomes one of the present version, and knows one step from every older one', () => {
    const { config: _, based: __, run: ___, ticket: ____, ...rest } = full;
    const old = { ...rest, version: 1 };
    expect(ok(old)).toBe(false);
    const now = migrated(old);
    expect(ok(now)).toBe(true);
    expect(now).toEqual({ ...full, run: null, config: 'committed', based: false, ticket: null });
    expect(deliverWorkflow.migrations.map(({ from }) => from)).toEqual([1, 2]);
    expect(deliverWorkflow.version).toBe(3);
  });

  test('WF-04: a state of version 2 is of no ticket', () => {
    const { ticket: _, ...rest } = full;
    const migration = deliverWorkflow.migrations.find(({ from }) => from === 2);
    expect(migration?.migrate({ ...rest, version: 2 })).toEqual({ ...full, ticket: null });
  });
});
