import { describe, expect, test } from 'vitest';
import type { ModelConfig } from '../../../src/contract/spec.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import type { Cost } from '../../../src/engine/workflow.ts';
import { modelsText, PRESETS, parseModels } from '../../../src/workflows/spec/models.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  command,
  notices,
  offered,
  type PureRun,
  refusedSignal,
  settlePure,
  startFacts,
} from '../../support/pure-run.ts';
import { templateOf, translator } from '../../support/texts.ts';
import { analysed, atAnalysts, atCritic, gateOf } from './deep-fixture.ts';
import { begin, FREE, stateOf, TASK } from './fixture.ts';

const en = translator('en');
const atModel = () => answerPure(begin({ mode: null }), 'deep');
const committed = (run: PureRun) => settlePure(run, { kind: 'queried', found: FREE });

describe('mode', () => {
  test('SP-12: without a flag the gate asks first, recommends quick and shows worker calls, not prices', () => {
    const run = begin({ mode: null });
    expect(offered(run)).toEqual(['quick', 'deep']);
    const { brief, describe: says } = gateOf(run);
    expect(brief.recommend).toMatchObject({ text: { msg: 'spec.mode.quick' } });
    expect(en(says?.deep ?? '')).toContain('4 analysts, one synthesis, one critic: 6 worker calls');
    const text = JSON.stringify([brief, says]);
    expect(text).not.toMatch(/[$€]|tokens/);
    expect(run.records).toEqual([]);
  });

  test('SP-12: what completed runs took stands at both gates; one without a price shows none', () => {
    const took = (mode: string, preset: string | null, cost: Partial<Cost>, phase = 'completed') => ({
      state: { phase, mode, model_config: preset && { preset } },
      cost: { money_usd: 0, money_unknown: false, tokens: 0, seconds: 0, attempts: 1, ...cost },
    });
    const measured = [
      took('quick', null, { money_usd: 0.1, tokens: 1_000, seconds: 30 }),
      took('deep', 'balanced', { money_usd: 1, tokens: 20_000, seconds: 600 }),
      took('deep', 'balanced', { money_usd: 2, tokens: 40_000, seconds: 1_200 }),
      took('deep', 'economy', { money_usd: 0, money_unknown: true, tokens: 9_000, seconds: 540 }),
      took('quick', null, { money_usd: 90, tokens: 900_000, seconds: 9_000 }, 'gen_ready'),
    ];
    const first = begin({ mode: null }, { measured });
    const lines = (run: PureRun) => gateOf(run).brief.context.map((line) => en(line));
    expect(lines(first)).toEqual([
      'quick: $0.10, 1000 tokens, 1 min of work; 1 run here',
      'deep: 23000 tokens, 13 min of work; the mean of 3 runs here',
    ]);
    expect(lines(answerPure(first, 'deep'))).toEqual([
      'balanced: $1.50, 30000 tokens, 15 min of work; the mean of 2 runs here',
      'economy: 9000 tokens, 9 min of work; 1 run here',
    ]);
    expect(lines(begin({ mode: null }))).toEqual([expect.stringContaining('there are none yet')]);
  });

  test.each(['quick', 'deep'] as const)('SP-12: %s by flag and by answer are stored alike', (mode) => {
    const flag = mode === 'deep' ? { mode, model_config: 'economy' } : { mode };
    const byFlag = committed(begin(flag));
    const chosen = answerPure(begin({ mode: null }), mode);
    const byAnswer = committed(mode === 'deep' ? answerPure(chosen, 'economy') : chosen);
    for (const run of [byFlag, byAnswer])
      expect(stateOf(run)).toMatchObject({ mode, phase: 'convention_scan_active' });
    expect(stateOf(byAnswer).model_config).toEqual(stateOf(byFlag).model_config);
  });

  test.each<[Record<string, string>, string]>([
    [{ mode: 'fast' }, 'mode'],
    [{ mode: 'deep', model_config: 'executor:gpt' }, 'model_config'],
    [{ model_config: 'cheap' }, 'model_config'],
    [{ mode: 'quick', model_config: 'economy' }, 'model_config'],
  ])('SP-12: the bad flags %j are refused before a run exists, and the value is named', (input, field) => {
    const refused = specWorkflow.start({ task: TASK, ...input }, startFacts());
    if (!isRejection(refused)) throw new Error('taken');
    expect(refused).toMatchObject({ rejection: 'bad_input', message: { args: { field } } });
    for (const lang of ['en', 'ko'] as const) {
      const said = translator(lang);
      if (field === 'model_config') expect(said(refused.message)).toContain(input.model_config ?? '');
    }
  });

  test('SP-13: quick stores no models, also when a flag named some before the mode was chosen', () => {
    const run = committed(answerPure(begin({ mode: null, model_config: 'economy' }), 'quick'));
    expect(stateOf(run)).toMatchObject({ mode: 'quick', model_config: null });
    expect(notices(run, 'en')[0]).toContain('economy are not used');
    const deep = committed(answerPure(begin({ mode: null, model_config: 'economy' }), 'deep'));
    expect(stateOf(deep).model_config).toEqual(PRESETS.economy);
  });
});

describe('models', () => {
  const TABLE: [string, ModelConfig['preset'], string, string][] = [
    ['default', 'default', 'inherit', 'inherit'],
    ['all-opus', 'all-opus', 'opus', 'opus'],
    ['balanced', 'balanced', 'sonnet', 'opus'],
    ['economy', 'economy', 'haiku', 'sonnet'],
    ['executor:opus,advisor:sonnet', 'custom', 'opus', 'sonnet'],
    [' Advisor:HAIKU , executor:Sonnet ', 'custom', 'sonnet', 'haiku'],
    ['advisor:haiku', 'custom', 'sonnet', 'haiku'],
    ['executor:haiku', 'custom', 'haiku', 'opus'],
  ];

  test.each(TABLE)('SP-58: %j gives %s, executor %s, advisor %s', (text, preset, executor, advisor) => {
    const models = parseModels(text);
    expect(models).toEqual({ preset, executor, advisor });
    expect(parseModels(modelsText(models as ModelConfig))).toEqual(models);
  });

  test.each([
    ['executor:gpt,advisor:opus', 'executor:gpt'],
    ['executor:opus,evaluator:opus', 'evaluator:opus'],
    ['executor:opus,executor:haiku', 'executor:haiku'],
    ['executor:opus:max', 'executor:opus:max'],
    ['cheap', 'cheap'],
    ['executor:inherit', 'executor:inherit'],
    ['', ''],
    ['executor:opus,', ''],
    ['toString', 'toString'],
  ])('SP-58: %j is not read, and %j is named as the wrong value', (text, bad) => {
    expect(parseModels(text)).toEqual({ bad });
  });

  test('SP-58: the gate offers the presets and the typed form, recommends balanced, and comes after the mode', () => {
    const run = atModel();
    expect(offered(run)).toEqual(['default', 'all-opus', 'balanced', 'economy', 'custom']);
    expect(gateOf(run).brief.recommend).toMatchObject({ text: { msg: 'spec.model.balanced' } });
    expect(specWorkflow.gates.model?.options.custom).toMatchObject({ text: 'required', bareText: true });
    expect(stateOf(run).model_config).toBeNull();
  });

  test.each(['default', 'all-opus', 'balanced', 'economy'] as const)(
    'SP-58: the preset %s needs no confirmation',
    (preset) => {
      expect(stateOf(committed(answerPure(atModel(), preset))).model_config).toEqual(PRESETS[preset]);
    },
  );

  test('SP-58: a typed form is shown as it was read, and counts only when confirmed', () => {
    const read = answerPure(atModel(), 'custom', { text: 'executor:Haiku,advisor:SONNET' });
    expect(en(gateOf(read).brief.decide)).toBe('Use these models? executor haiku, advisor sonnet.');
    expect(offered(read)).toEqual(['use', 'change']);
    const again = answerPure(read, 'change');
    expect(gateOf(again).name).toBe('model');
    expect(stateOf(committed(answerPure(again, 'economy'))).model_config).toEqual(PRESETS.economy);
    expect(stateOf(committed(answerPure(read, 'use'))).model_config).toEqual({
      preset: 'custom',
      executor: 'haiku',
      advisor: 'sonnet',
    });
  });

  test('SP-58: the wrong value is named and asked again; the third bad form takes balanced', () => {
    let run = atModel();
    for (const bad of ['executor:gpt', 'cheap']) {
      run = answerPure(run, 'custom', { text: bad });
      expect(gateOf(run).name).toBe('model');
      expect(en(gateOf(run).brief.decide)).toContain(`"${bad}" is not understood`);
    }
    const settled = answerPure(run, 'custom', { text: 'fast' });
    expect(settled.step).toMatchObject({ kind: 'query', what: { what: 'setup' } });
    expect(settled.records).toContainEqual(expect.objectContaining({ kind: 'decision', by_rule: 'SP-58' }));
    expect(notices(settled, 'en', 'warning')).toEqual([expect.stringContaining('balanced')]);
    expect(stateOf(committed(settled)).model_config).toEqual(PRESETS.balanced);
  });

  test('SP-58: the advisor tier reaches every worker of a deep run; quick uses the adapter default', () => {
    const run = analysed(atAnalysts(undefined, undefined, { model_config: 'executor:haiku,advisor:sonnet' }));
    const tiers = run.steps.flatMap((step) =>
      step.kind === 'work' ? step.calls.map(({ tier }) => tier) : [],
    );
    expect(tiers.length).toBeGreaterThan(6);
    expect(new Set(tiers)).toEqual(new Set(['sonnet']));
  });

  test('SP-58: no prompt holds the configuration of the models', () => {
    const run = atCritic();
    const slots = run.steps.flatMap((step) =>
      step.kind === 'work' ? step.calls.map((call) => call.slots) : [],
    );
    expect(JSON.stringify(slots)).not.toMatch(/balanced|executor|opus/);
    for (const role of Object.values(specWorkflow.roles)) {
      expect(templateOf(role)).not.toMatch(/opus|sonnet|haiku|preset/i);
    }
  });

  test('SP-13: an attempt to change the preset mid-run is refused', () => {
    for (const run of [atAnalysts(), atCritic()]) {
      for (const name of ['model', 'model_config', 'mode']) {
        expect(refusedSignal(run, command(name)).rejection).toBe('no_such_command');
      }
    }
  });

  test('SP-14: status and summary of a deep run name the preset', () => {
    const run = atAnalysts();
    const lines = specWorkflow.status(run.state).map(({ label, value }) => `${en(label)}: ${en(value)}`);
    expect(lines).toContain('mode: deep');
    expect(lines).toContain('models: balanced');
    expect(notices(run, 'en')[0]).toContain('mode deep, models balanced, output docs/');
  });
});
