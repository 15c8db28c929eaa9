import { describe, expect, test } from 'vitest';
import { begin, callsOf, keyOf, phasesOf, play, rolesOf, stateOf, stepsOf } from './fixture.ts';

describe('a run in which everything works', () => {
  test('single mode goes through every phase once and ends as passed', () => {
    const run = play(begin());
    expect(run.step).toEqual({ kind: 'end', outcome: expect.objectContaining({ result: 'passed' }) });
    expect(phasesOf(run)).toEqual([
      'setup',
      'plan_ready',
      'planning',
      'plan_done',
      'generate_ready',
      'generating',
      'generate_done',
      'verify_ready',
      'verifying',
      'verify_done',
      'evaluate_ready',
      'evaluating',
      'evaluate_done',
      'completed',
    ]);
    expect(rolesOf(run)).toEqual(['planner_single', 'generator_single', 'evaluator']);
    expect(stepsOf(run).slice(0, 8)).toEqual([
      'query setup',
      'workspace open_tree',
      'query project',
      'check',
      'query handover',
      'query conventions',
      'work planner_single',
      'gate spec',
    ]);
    expect(stepsOf(run).slice(-6)).toEqual([
      'gate commit',
      'query content',
      'workspace commit',
      'workspace publish',
      'workspace clean_up',
      'end',
    ]);
  });

  test.each(['standard', 'multi'])('%s mode ends as passed too', (mode) => {
    const run = play(begin({ mode }));
    expect(keyOf(run.step)).toBe('end');
    expect(stateOf(run).ended?.result).toBe('passed');
    expect(callsOf(run).flat()).toHaveLength(mode === 'multi' ? 12 : 7);
  });

  test('without git there is no commit gate and no write that needs git', () => {
    const run = play(begin({}, { git: null }));
    expect(stateOf(run).ended?.result).toBe('passed');
    expect(stepsOf(run)).not.toContain('gate commit');
    expect(stepsOf(run).filter((key) => /commit|publish|clean_up|save_patch/.test(key))).toEqual([]);
  });
});
