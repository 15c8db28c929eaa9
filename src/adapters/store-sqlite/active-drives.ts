import type { Change } from '../../ports/store.ts';

/**
 * The runs this process is working on, as far as its own commits show. This decides only what stays in memory and how
 * long a commit waits for others.
 */
export interface ActiveDrives {
  /** Called after a commit with the new state of its runs. */
  moved(changes: readonly Change[]): void;
  /** Called when the lease was released, taken again or lost. */
  left(run: string): void;
  has(run: string): boolean;
  /** How many other runs this process is working on. */
  besides(run: string | null): number;
}

/**
 * A run counts while it is `working` and this process is its holder. At a gate, in a wait or after its end it does not
 * count.
 */
export function createActiveDrives(onLeft: (run: string) => void): ActiveDrives {
  const active = new Set<string>();
  const left = (run: string): void => {
    if (active.delete(run)) onLeft(run);
  };
  return {
    moved: (changes) => {
      for (const { run, guard } of changes) {
        if (run.epoch !== guard?.epoch) left(run.id);
        if (run.status === 'working' && run.holder?.pid === process.pid) active.add(run.id);
        else left(run.id);
      }
    },
    left,
    has: (run) => active.has(run),
    besides: (run) => active.size - (run !== null && active.has(run) ? 1 : 0),
  };
}
