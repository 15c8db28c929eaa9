import { describe, expect, test } from 'vitest';
import { SpecState } from '../../../src/contract/spec.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import { settlePure } from '../../support/pure-run.ts';
import { atInterview, fullState, stateOf, withState } from './fixture.ts';

/** What version 1 stored: quick mode alone. */
const NEW_FIELDS = [
  'rounds_closed',
  'reopened',
  'analyses',
  'notes_only',
  'critic_gate',
  'findings_shown',
  'revising',
  'not_addressed',
  'passes',
];

function versionOne(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const entries = Object.entries(fullState).filter(([key]) => !NEW_FIELDS.includes(key));
  return { ...Object.fromEntries(entries), version: 1, ...changes };
}

function migrated(state: Record<string, unknown>): SpecState {
  const [migration] = specWorkflow.migrations;
  return SpecState.parse(migration?.migrate(state));
}

describe('migration from version 1', () => {
  test('the workflow knows one step from every older version', () => {
    expect(specWorkflow.migrations.map(({ from }) => from)).toEqual([1]);
    expect(specWorkflow.version).toBe(2);
  });

  test('a run keeps everything it had, and what is new starts empty', () => {
    const { version, ...before } = versionOne();
    expect(migrated({ version, ...before })).toMatchObject({
      ...before,
      version: 2,
      critic: null,
      analyses: null,
      findings_shown: [],
      passes: 2,
    });
  });

  test('a run in setup can go on with its setup', () => {
    const setup = { stage: 'collision', other: null, routing: null, taken: ['spec.md'], stamped: false };
    const state = migrated(
      versionOne({ phase: 'setup', setup, conventions: null, qa_round: null, spec: null }),
    );
    expect(specWorkflow.next(state)).toMatchObject({ kind: 'gate', gate: { name: 'slug_collision' } });
  });

  test('SP-04: in qa_complete without conventions the scan runs, then the phase is qa_complete again, answers intact', () => {
    const old = versionOne({ phase: 'qa_complete', conventions: null, spec: null, approved: null });
    const state = migrated(old);
    const run = withState(atInterview(), state);
    expect(run.step).toMatchObject({ kind: 'query', during: 'qa_complete', what: { what: 'conventions' } });
    // The step that ran when the run was migrated ends first; its outcome moves nothing.
    const late = { ...run, step: { kind: 'work', during: 'qa_complete', calls: [] } } as typeof run;
    const still = settlePure(late, { kind: 'worked', calls: [] });
    expect(stateOf(still)).toMatchObject({ phase: 'qa_complete', conventions: null });
    const done = settlePure(still, {
      kind: 'queried',
      found: { source: 'candidates', candidates: [], warnings: [] },
    });
    expect(stateOf(done)).toMatchObject({
      phase: 'qa_complete',
      conventions: 'skipped',
      asked: fullState.asked,
      unconfirmed: fullState.unconfirmed,
      qa_round: fullState.qa_round,
    });
    expect(done.step).toEqual({ kind: 'work', during: 'qa_complete', calls: [] });
  });

  test('SP-04: a run in its third round is asked that round, and only closed rounds count as closed', () => {
    const third = versionOne({ phase: 'qa_active', qa_round: 3, round: null, spec: null, approved: null });
    const state = migrated(third);
    expect(state.rounds_closed).toBe(2);
    expect(specWorkflow.next(state)).toMatchObject({ kind: 'work', calls: [{ role: 'interviewer' }] });
    expect(migrated({ ...third, phase: 'qa_complete' }).rounds_closed).toBe(3);
  });
});
