import type { Workflow } from '../../engine/workflow.ts';

/** Forward only. A version 1 run is always quick, so the fields of deep mode start empty. */
export const specMigrations: Workflow['migrations'] = [{ from: 1, migrate: fromQuickOnly }];

/** A run without conventions that is past its setup first searches for them. It stays in its phase (SP-04). */
function fromQuickOnly(state: Record<string, unknown>): Record<string, unknown> {
  const { setup, conventions, convention_stage, phase, qa_round, requests } = state;
  const unset = conventions === null && phase !== 'setup' && !convention_stage;
  const closed = typeof qa_round === 'number' ? qa_round - (phase === 'qa_active' ? 1 : 0) : 0;
  return {
    ...state,
    version: 2,
    setup: isObject(setup) ? { ...setup, models: null, bad_models: 0, bad_model: null } : null,
    convention_stage: unset ? { at: 'query' } : convention_stage,
    rounds_closed: closed,
    reopened: false,
    analyses: null,
    notes_only: false,
    critic_gate: null,
    findings_shown: [],
    revising: null,
    not_addressed: [],
    passes: typeof requests === 'number' && isGenerated(phase) ? requests + 1 : 0,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isGenerated(phase: unknown): boolean {
  return phase === 'gen_ready' || phase === 'spec_ready' || phase === 'completed';
}
