import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Conventions } from '../../../src/contract/conventions.ts';
import { SPEC_PHASES, SpecState } from '../../../src/contract/spec.ts';
import { specRoles } from '../../../src/workflows/spec/roles.ts';
import { hashOf } from '../../support/pure-run.ts';
import { fullState } from './fixture.ts';

const ok = (state: unknown) => SpecState.safeParse(state).success;

const critic = {
  applied: 'pending',
  round: 0,
  last_findings_path: hashOf('findings'),
  counts: { critical: 0, major: 1, minor: 2 },
  modify_text: null,
  failure_reason: null,
} as const;

const deep = {
  ...fullState,
  mode: 'deep',
  model_config: { preset: 'balanced', executor: 'opus', advisor: 'opus' },
  critic,
};

const setup = {
  stage: 'looking',
  other: null,
  routing: null,
  taken: [],
  stamped: false,
  models: null,
  bad_models: 0,
  bad_model: null,
};

describe('state of a spec run', () => {
  test('SP-01: the full fixture is accepted, in quick and in deep mode', () => {
    expect(SpecState.parse(fullState)).toEqual(fullState);
    expect(SpecState.parse(deep)).toEqual(deep);
  });

  test('SP-01: a state without any one of its fields is refused', () => {
    for (const key of Object.keys(fullState)) {
      const { [key as keyof typeof fullState]: _, ...rest } = fullState;
      expect(ok(rest), key).toBe(false);
    }
  });

  test('SP-01: unknown fields are refused, also inside of fields', () => {
    expect(ok({ ...fullState, extra: 1 })).toBe(false);
    expect(ok({ ...fullState, cli_flags: { ...fullState.cli_flags, extra: 1 } })).toBe(false);
  });

  test.each([
    ['version', 1],
    ['version', 3],
    ['skill', 'deliver'],
    ['task', ''],
    ['slug', 'Not A Slug'],
    ['slug', 'a'.repeat(51)],
    ['mode', 'fast'],
    ['mode', null],
    ['model_config', { preset: 'balanced', executor: 'opus', advisor: 'opus' }],
    ['user_lang', 'xx'],
    ['has_git', 'yes'],
    ['phase', 'done'],
    ['qa_round', 0],
    ['qa_round', 4],
    ['branch', 7],
    ['docs_path', '/docs/baton/x/'],
    ['docs_path', 'docs/baton/../x/'],
    ['cli_flags', { reference: '/etc/guide.md', reference_hash: null }],
    ['cli_flags', { reference: 'C:/guide.md', reference_hash: null }],
    ['cli_flags', { reference: 'a/../../guide.md', reference_hash: null }],
    ['conventions', 'conventions.md'],
    ['conventions', { artefact: '../other.md' }],
    ['critic', critic],
    ['created_at', 'yesterday'],
    ['updated_at', 5],
    ['setup', setup],
    ['unconfirmed', ['q12']],
    ['asked', 12],
    ['rounds_closed', 4],
    ['analyses', [{ role: 'risk_auditor', status: 'late', has_findings: false, artefact: null }]],
    ['critic_gate', 'open'],
    ['findings_shown', [{ id: 'X1', title: 'x' }]],
    ['not_addressed', ['all']],
    ['requests_shown', Array.from({ length: 21 }, () => 'x')],
    ['requests_shown', ['x'.repeat(201)]],
  ])('SP-01: %s = %j is refused', (field, value) => {
    expect(ok({ ...fullState, [field]: value })).toBe(false);
  });

  test('SP-01: a deep run past its setup has models, and only a deep run', () => {
    expect(ok({ ...deep, model_config: null })).toBe(false);
    expect(ok({ ...deep, model_config: null, phase: 'setup', setup })).toBe(true);
    expect(ok({ ...deep, model_config: { ...deep.model_config, advisor: 'gpt' } })).toBe(false);
  });

  test('SP-01: every phase of the table is a phase of the state', () => {
    for (const phase of SPEC_PHASES) {
      expect(ok({ ...fullState, phase, setup: phase === 'setup' ? setup : null }), phase).toBe(true);
    }
  });

  test.each([
    null,
    'dispatch_failed',
    'parse_failed_approved',
    'parse_failed_halted',
    're_synthesis_failed',
    'user_stopped',
  ])('SP-02: the critic may have the failure reason %j', (failure_reason) => {
    expect(ok({ ...deep, critic: { ...critic, failure_reason } })).toBe(true);
  });

  test.each([
    ['failure_reason', 'timeout'],
    ['failure_reason', ''],
    ['applied', 'rejected'],
    ['round', 2],
    ['last_findings_path', 'critic_findings.md'],
    ['counts', { critical: 0, major: 0 }],
    ['counts', { critical: -1, major: 0, minor: 0 }],
    ['modify_text', 3],
    ['extra', true],
  ])('SP-02: critic.%s = %j is refused', (field, value) => {
    expect(ok({ ...deep, critic: { ...critic, [field]: value } })).toBe(false);
  });

  test.each(['other/conventions.md', '/etc/passwd', { artefact: 'notes.md' }, 7])(
    'a foreign conventions value %j is refused and named',
    (value) => {
      const parsed = Conventions.safeParse(value);
      expect(parsed.success).toBe(false);
      expect(parsed.error?.issues[0]?.message).toContain(JSON.stringify(value));
    },
  );

  test('every result schema can be told to an agent as JSON Schema', () => {
    for (const role of Object.values(specRoles)) {
      const schema = z.toJSONSchema(role.result, { io: 'input' });
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });
});
