import { CHILD } from '../contract/step.ts';
import type { At } from '../engine/write-change.ts';
import type { Rest } from './api.ts';
import type { Deps } from './deps.ts';

/** Where a run stands, for whoever asked it to go on. */
export function restOf(at: At, elsewhere: string | null): Rest {
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

/** The same with the id of the run that the last move spawned, where that one goes on. */
export async function withChild(deps: Deps, rest: Rest): Promise<Rest> {
  if (rest.successor !== CHILD) return rest;
  const [child] = await deps.store.list({ ended: false, parent: rest.run });
  return { ...rest, successor: child?.id ?? null };
}
