import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { SetupStage, SpecState } from '../../contract/spec.ts';
import { InvariantError } from '../../engine/errors.ts';
import { go } from './moves.ts';

/** The working part of setup. Only inputs of that phase need it. */
export function setupOf(state: SpecState): SetupStage {
  if (!state.setup) throw new InvariantError('a setup input outside of setup');
  return state.setup;
}

/** A move inside setup. */
export function stage(
  state: SpecState,
  at: Instant,
  changes: Partial<SetupStage>,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return go(state, at, { setup: { ...setupOf(state), ...changes } }, records);
}

/** The next stage of setup: routing, mode, models, then the query. */
export function openStage(
  setup: Pick<SetupStage, 'routing' | 'models'>,
  mode: SpecState['mode'],
): SetupStage['stage'] {
  if (setup.routing) return 'routing';
  if (mode === null) return 'mode';
  return mode === 'deep' && !setup.models ? 'model' : 'looking';
}

/** Continues with the next stage that setup has not settled. */
export function onward(
  state: SpecState,
  at: Instant,
  changes: Partial<SetupStage> = {},
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  const setup = { ...setupOf(state), ...changes };
  return stage(state, at, { ...changes, stage: openStage(setup, state.mode) }, records);
}
