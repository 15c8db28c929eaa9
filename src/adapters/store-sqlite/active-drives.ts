import type { Change } from '../../ports/store.ts';

/** The runs this process is working on, as far as its own commits tell. Decides nothing but what is kept at hand. */
export interface ActiveDrives {
  /** A commit left the runs like this. */
  moved(changes: readonly Change[]): void;
  /** The lease was given back, taken anew or lost. */
  left(run: string): void;
  has(run: string): boolean;
  /** How many runs other than this one are being worked on. */
  besides(run: string | null): number;
}

/** A run counts while it is `working` and this process is its holder; at a gate, in a wait or at its end it does not. */
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
