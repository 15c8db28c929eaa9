import type { Processes } from '../../src/ports/processes.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { withBoundaries } from '../crash/boundaries.ts';

/** Thrown where a process would have died. From then on nothing of it writes any more. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

/** A composition that dies at the n-th boundary the filter lets through; `counted` tells how many there were. */
export function killAt(n: number, isCounted: (label: string) => boolean = () => true) {
  let count = 0;
  let dead = false;
  const boundary = (label: string) => {
    if (dead) throw new KilledError(label);
    if (!isCounted(label)) return;
    count++;
    if (count !== n) return;
    dead = true;
    throw new KilledError(label);
  };
  const wrap = (deps: Deps): Deps =>
    withBoundaries(deps, { at: boundary, onStart: () => undefined, tell: () => undefined });
  /** Marks are the same in the next life: one that is dead must not end the workers of its heir. */
  const processes = (real: Processes): Processes => ({
    ...real,
    killLeftovers: async (...args) =>
      dead ? { ended: [], left: [], programs: [] } : real.killLeftovers(...args),
  });
  return {
    wrap,
    processes,
    /** What a lab that will die is opened with. */
    parts: [wrap, processes] as const,
    counted: () => count,
  };
}

/** Whether the work was cut off by its own death; every other error is one. */
export async function diesOf(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof KilledError) return true;
    throw error;
  }
}
