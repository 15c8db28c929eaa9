import type { Run } from '../contract/run.ts';
import type { Deps } from './deps.ts';

/** A holder on another host that is silent for longer than this can be replaced. */
const SILENCE_MS = 5 * 60_000;

export type HolderState = 'free' | 'mine' | 'alive' | 'dead';

/**
 * Whether a process holds the run. A dead holder on this host is detected at once, one on another host after 5 silent
 * minutes.
 */
export async function holderState(deps: Deps, run: Run): Promise<HolderState> {
  const { holder } = run;
  if (!holder) return 'free';
  const self = deps.processes.self();
  if (holder.host === self.host) {
    if (holder.pid === self.pid && holder.start === self.start) return 'mine';
    return deps.processes.isAlive(holder) ? 'alive' : 'dead';
  }
  const heartbeat = await deps.store.lastHeartbeat(run.id);
  const silent = Date.parse(deps.clock.now()) - Date.parse(heartbeat ?? run.updated_at);
  return silent > SILENCE_MS ? 'dead' : 'alive';
}
