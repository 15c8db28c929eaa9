import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { ModelConfig, SpecState } from '../../contract/spec.ts';
import { cutText } from '../../engine/cut-text.ts';
import { say } from './messages.ts';
import { modelsText, PRESETS, parseModels } from './models.ts';
import { notice } from './moves.ts';
import { onward, setupOf, stage } from './setup-stage.ts';

type OnOption = (state: SpecState, answer: Answer) => Move<SpecState>;

/** After this many unreadable forms, the recommended preset is used (SP-58). */
const MAX_BAD = 3;

/** Quick mode does not store models, even if a flag named some (SP-13). */
export const onMode: Readonly<Record<string, OnOption>> = {
  quick: (state, { at }) => {
    const { models } = setupOf(state);
    const unused = models ? [notice(say('spec.notice.models_unused', { models: modelsText(models) }))] : [];
    return onward({ ...state, mode: 'quick' }, at, { models: null }, unused);
  },
  deep: (state, { at }) => onward({ ...state, mode: 'deep' }, at),
};

/** A preset is final. A typed form is first shown for confirmation. For an unreadable form the gate asks again. */
export const onModel: Readonly<Record<string, OnOption>> = {
  ...Object.fromEntries(
    Object.values(PRESETS).map((models) => [models.preset, (state, { at }) => choose(state, at, models)]),
  ),
  custom: (state, { at, text }) => {
    const models = parseModels(text ?? '');
    if (!('bad' in models)) return stage(state, at, { stage: 'model_confirm', models });
    const bad_models = setupOf(state).bad_models + 1;
    if (bad_models < MAX_BAD) return stage(state, at, { bad_models, bad_model: cutText(models.bad, 60) });
    return choose(state, at, PRESETS.balanced, [
      { kind: 'decision', name: 'model_config', data: PRESETS.balanced, by_rule: 'SP-58' },
      notice(say('spec.notice.models_bad', { n: bad_models }), 'warning'),
    ]);
  },
};

export const onModelConfirm: Readonly<Record<string, OnOption>> = {
  use: (state, { at }) => onward(state, at),
  change: (state, { at }) => stage(state, at, { stage: 'model', models: null, bad_model: null }),
};

function choose(
  state: SpecState,
  at: Instant,
  models: ModelConfig,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return onward(state, at, { models }, records);
}
