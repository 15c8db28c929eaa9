import type { Run } from '../contract/run.ts';
import type { Deps } from './deps.ts';
import { holderState } from './holder.ts';

/**
 * A signal has moved the run away from a step whose process is dead. Ends what that process left running, because no
 * drive takes this step over any more. A live holder ends its own processes.
 */
export async function endLeft(deps: Deps, before: Run, after: Run): Promise<void> {
  const { id, turn, step, holder } = before;
  const isWork = step.kind === 'work' || step.kind === 'check' || step.kind === 'query';
  if (!isWork || turn === after.turn || holder === null) return;
  if ((await holderState(deps, before)) === 'dead') await deps.processes.killLeftovers(`${id}/${turn}`);
}
