import type { Run } from '../contract/run.ts';
import type { Deps } from './deps.ts';

/** A holder on another host that has been silent for this long is replaced. */
const SILENCE_MS = 5 * 60_000;

export type HolderState = 'free' | 'mine' | 'alive' | 'dead';

/** Whether somebody works the run: a dead holder on this host counts at once, a foreign one after 5 silent minutes. */
export async function holderState(deps: Deps, run: Run): Promise<HolderState> {
  const { holder } = run;
  if (!holder) return 'free';
  const self = deps.processes.self();
  if (holder.host === self.host) {
    if (holder.pid === self.pid && holder.start === self.start) return 'mine';
    return deps.processes.isAlive(holder) ? 'alive' : 'dead';
  }
  const beat = await deps.store.lastBeat(run.id);
  const silent = Date.parse(deps.clock.now()) - Date.parse(beat ?? run.updated_at);
  return silent > SILENCE_MS ? 'dead' : 'alive';
}
