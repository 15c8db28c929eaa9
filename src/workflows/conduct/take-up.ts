import type { ConductState } from '../../contract/conduct.ts';
import { readyToBuild } from './build.ts';
import { ENGINE, go, type Next, travel } from './moves.ts';

/** The command `conduct` continues the ticket from its current state (CON-19, 26). */
export function conduct(state: ConductState, at: string): Next {
  const awake = { ...state, idle_because: null };
  if (state.phase === 'Captured' && !state.stale) return travel(awake, 'promoting', ENGINE, at);
  if (state.phase === 'Planned' && state.building === null && state.plan?.go && !state.stale)
    return readyToBuild(awake);
  return go(awake, {});
}
