import { CHILD } from '../contract/step.ts';
import type { At } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';
import type { StopPoint } from './views.ts';

/** Where a run waits or ended, for the caller of `advance`. */
export function stopPointOf(at: At, elsewhere: string | null): StopPoint {
  const { run, gate } = at;
  const { step } = run;
  return {
    run: run.id,
    parent: null,
    status: run.status,
    phase: run.phase,
    gate: gate?.status === 'open' ? gate : null,
    wait: step.kind === 'wait' ? step.until : null,
    halt: run.halt,
    outcome: step.kind === 'end' ? step.outcome.result : null,
    elsewhere,
    successor: step.kind === 'end' ? (step.outcome.successor ?? null) : null,
    pause: null,
    mode: null,
  };
}

/** The same, with the id of the child that continues the subject, if the last move spawned one. */
export async function withChild(deps: Deps, point: StopPoint): Promise<StopPoint> {
  if (point.successor !== CHILD) return point;
  const [child] = await deps.store.list({ ended: false, parent: point.run });
  return { ...point, successor: child?.id ?? null };
}
