import type { DeliverState, SetupStage } from '../../contract/deliver.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { InvariantError } from '../../engine/errors.ts';
import { go } from './moves.ts';

/** The working part of setup. Only inputs of that phase need it. */
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

/** The next stage of setup: another live run, mode, models, then the query. */
export function openStage(
  other: SetupStage['other'],
  { mode, model_config }: Pick<DeliverState, 'mode' | 'model_config'>,
): SetupStage['stage'] {
  if (other) return (other.workflow ?? 'deliver') === 'deliver' ? 'session' : 'session_conflict';
  if (mode === null) return 'mode';
  return model_config === null ? 'model' : 'looking';
}

/** Continues with the next stage that setup has not settled. */
export function onward(
  state: DeliverState,
  at: Instant,
  changes: Partial<SetupStage> = {},
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const setup = { ...setupOf(state), ...changes };
  return stage(state, at, { ...changes, stage: openStage(setup.other, state) }, records);
}
