import type { Run } from '../contract/run.ts';
import type { Deps } from './deps.ts';
import { holderState } from './holder.ts';

/**
 * A signal has taken the run away from work that nobody carries on: what a dead process left running for it is ended
 * now, for nobody takes that step up any more. A living holder ends its own.
 */
export async function endLeft(deps: Deps, before: Run, after: Run): Promise<void> {
  const { id, turn, step, holder } = before;
  const isWork = step.kind === 'work' || step.kind === 'check' || step.kind === 'look';
  if (!isWork || turn === after.turn || holder === null) return;
  if ((await holderState(deps, before)) === 'dead') await deps.processes.sweep(`${id}/${turn}`);
}
