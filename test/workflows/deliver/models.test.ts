import { describe, expect, test } from 'vitest';
import { parseModels, tierOf } from '../../../src/workflows/deliver/models.ts';
import { answerPure, hashOf, notices, offered, type PureRun } from '../../support/pure-run.ts';
import { begin, callsOf, keyOf, play, stateOf } from './fixture.ts';

describe('mode and models', () => {
  test('WF-23: without a mode the gate blocks; each answer is stored; an unknown one is refused', () => {
    const run = begin({ mode: null });
    expect(keyOf(run.step)).toBe('gate mode');
    expect(offered(run)).toEqual(['standard', 'single', 'multi']);
    expect(run.step).toMatchObject({
      gate: { brief: { recommend: { text: { msg: 'deliver.mode.standard' } } } },
    });
    for (const mode of ['standard', 'single', 'multi']) {
      expect(stateOf(answerPure(run, mode)).mode).toBe(mode);
    }
    const answer = { ...answerLike(run), option: 'quick' };
    const refused = run.def.settle(run.state, run.step, { kind: 'answered', answer, at: answer.at } as never);
    expect(refused).toMatchObject({ rejection: 'no_such_option' });
  });

  test('WF-82: no flags: two gates in this order before any worker; each answer is stored as its object', () => {
    const first = begin({ mode: null, model_config: null });
    expect(keyOf(first.step)).toBe('gate mode');
    const second = answerPure(first, 'standard');
    expect(keyOf(second.step)).toBe('gate model');
    expect(callsOf(second)).toEqual([]);
    const stored = (option: string, text?: string) =>
      stateOf(answerPure(second, option, text ? { text } : {})).model_config;
    expect(stored('default')).toEqual({ preset: 'default', verifier: 'haiku' });
    expect(stored('all-opus')).toEqual({
      preset: 'all-opus',
      executor: 'opus',
      advisor: 'opus',
      evaluator: 'opus',
      verifier: 'haiku',
    });
    expect(stored('balanced')).toEqual({
      preset: 'balanced',
      executor: 'sonnet',
      advisor: 'opus',
      evaluator: 'opus',
      verifier: 'haiku',
    });
    expect(stored('economy')).toEqual({
      preset: 'economy',
      executor: 'haiku',
      advisor: 'sonnet',
      evaluator: 'sonnet',
      verifier: 'haiku',
    });
    expect(stored('custom', 'advisor:Haiku')).toEqual({
      preset: 'custom',
      executor: 'sonnet',
      advisor: 'haiku',
      evaluator: 'opus',
      verifier: 'haiku',
    });
  });

  test('WF-82: measured runs stand at both gates; without any, workers are counted', () => {
    const lines = (run: PureRun) => JSON.stringify(run.step.kind === 'gate' && run.step.gate.brief.context);
    const cost = { money_usd: 1.234, money_unknown: false, tokens: 50_000, seconds: 240, attempts: 7 };
    const state = { phase: 'completed', mode: 'standard', model_config: { preset: 'economy' } };
    const first = begin({ mode: null, model_config: null }, { measured: [{ state, cost }] });
    const took = (name: string) => ({ name, runs: 1, money: '$1.23', tokens: 50_000, minutes: 4 });
    const told = (name: string) => JSON.stringify({ msg: 'measured.took', args: took(name) });
    expect(lines(first)).toBe(`[${told('standard')}]`);
    expect(lines(answerPure(first, 'standard'))).toContain(told('economy'));
    expect(lines(answerPure(first, 'single'))).not.toContain('measured.took');
    expect(lines(begin({ mode: null, model_config: null }))).toContain('deliver.mode.unmeasured');
  });

  test('WF-82: both flags given: no gate', () => {
    expect(keyOf(begin().step)).toBe('query setup');
  });

  test.each([
    ['balanced', 'balanced'],
    [' All-Opus ', 'all-opus'],
    ['executor:OPUS,advisor:sonnet,evaluator:Haiku', 'custom'],
    ['evaluator:opus', 'custom'],
  ])('WF-79: %j is read as %s', (text, preset) => {
    expect(parseModels(text, 'sonnet')).toMatchObject({ preset, verifier: 'sonnet' });
  });

  test.each([
    '',
    'fast',
    'executor:gpt',
    'verifier:opus',
    'executor:opus,executor:haiku',
    'executor',
    'executor:opus:x',
    'executor:inherit',
  ])('WF-79: %j is not read', (text) => {
    expect(parseModels(text)).toHaveProperty('bad');
  });

  test('WF-79: roles a custom form leaves out are those of balanced, and any letter case will do', () => {
    const left = {
      preset: 'custom',
      executor: 'sonnet',
      advisor: 'opus',
      evaluator: 'opus',
      verifier: 'haiku',
    };
    expect(parseModels('executor:HAIKU')).toEqual({ ...left, executor: 'haiku' });
    expect(parseModels('Advisor:haiku')).toEqual({ ...left, advisor: 'haiku' });
    expect(parseModels('evaluator:Sonnet')).toEqual({ ...left, evaluator: 'sonnet' });
  });

  test('WF-79: three bad inputs lead to balanced', () => {
    let run = begin({ model_config: null });
    for (const bad of ['x', 'y']) {
      run = answerPure(run, 'custom', { text: bad });
      expect(keyOf(run.step)).toBe('gate model');
      expect(run.step).toMatchObject({ gate: { brief: { banners: [{ args: { bad } }] } } });
    }
    run = answerPure(run, 'custom', { text: 'z' });
    expect(stateOf(run).model_config).toMatchObject({ preset: 'balanced' });
    expect(notices(run, 'en', 'warning').join()).toContain('balanced');
  });

  const TABLE: Record<string, Record<string, string>> = {
    default: { executor: 'inherit', advisor: 'inherit', evaluator: 'inherit', scanner: 'inherit' },
    'all-opus': { executor: 'opus', advisor: 'opus', evaluator: 'opus', scanner: 'opus' },
    balanced: { executor: 'sonnet', advisor: 'opus', evaluator: 'opus', scanner: 'opus' },
    economy: { executor: 'haiku', advisor: 'sonnet', evaluator: 'sonnet', scanner: 'haiku' },
  };
  const KINDS: Record<string, string[]> = {
    executor: ['lead_developer', 'generator_single', 'implementation'],
    advisor: [
      'architect',
      'senior_dev',
      'qa_specialist',
      'cross_critique',
      'synthesis',
      'advisor_combined',
      'advisor_code_quality',
      'advisor_test_stability',
    ],
    evaluator: ['evaluator'],
    scanner: ['convention_scanner'],
  };
  test.each(Object.keys(TABLE))(
    'WF-78: preset %s gives every role its tier, and the tier is on the call',
    (preset) => {
      const config = parseModels(preset);
      if ('bad' in config) throw new Error('a preset is known');
      expect(config.verifier).toBe('haiku');
      for (const [kind, roles] of Object.entries(KINDS)) {
        for (const role of roles) expect(tierOf(role, config), role).toBe(TABLE[preset]?.[kind]);
      }
      expect(tierOf('auto_fix_proposer', config)).toBe(
        preset === 'default' ? 'opus' : TABLE[preset]?.advisor,
      );
      const run = play(begin({ mode: 'multi', model_config: preset }));
      for (const call of callsOf(run).flat()) expect(call.tier).toBe(tierOf(call.role, config));
    },
  );
});

function answerLike(run: Parameters<typeof answerPure>[0]) {
  return {
    receipt: 'an-1',
    gate: 'de-7k2.g1' as const,
    run: 'de-7k2',
    iteration: 1,
    text: null,
    fields: {},
    digest: hashOf(String(run.steps.length)),
    by: { person: 'Ada', surface: 'test', proof: 'composition' } as const,
    at: '2026-11-15T11:00:00.000Z',
  };
}
