import type { DeliverState, SetupStage } from '../../contract/deliver.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { InvariantError } from '../../engine/errors.ts';
import { go } from './moves.ts';

/** The working part of setup; only inputs of that phase ask for it. */
export function setupOf(state: DeliverState): SetupStage {
  if (!state.setup) throw new InvariantError('a setup input outside of setup');
  return state.setup;
}

/** A move inside setup. */
export function stage(
  state: DeliverState,
  at: Instant,
  changes: Partial<SetupStage>,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  return go(state, at, { setup: { ...setupOf(state), ...changes } }, records);
}

/** The next thing setup has to ask or do: another live run, mode, models, then the look at the place. */
export function openStage(
  other: SetupStage['other'],
  { mode, model_config }: Pick<DeliverState, 'mode' | 'model_config'>,
): SetupStage['stage'] {
  if (other) return (other.workflow ?? 'deliver') === 'deliver' ? 'session' : 'session_conflict';
  if (mode === null) return 'mode';
  return model_config === null ? 'model' : 'looking';
}

/** Goes on with whatever setup has not asked yet. */
export function onward(
  state: DeliverState,
  at: Instant,
  changes: Partial<SetupStage> = {},
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const setup = { ...setupOf(state), ...changes };
  return stage(state, at, { ...changes, stage: openStage(setup.other, state) }, records);
}
