import type { Change } from '../../ports/store.ts';

/** The runs this process is working on, as far as its own commits tell. Steers only how writes are grouped. */
export interface ActiveDrives {
  /** A commit left the runs like this. */
  moved(changes: readonly Change[]): void;
  gaveUp(run: string): void;
  /** Whether a run other than this one is being worked on. */
  besides(run: string | null): boolean;
}

/** A run counts while it is `working` and this process is its holder; at a gate, in a wait or at its end it does not. */
export function createActiveDrives(): ActiveDrives {
  const active = new Set<string>();
  return {
    moved: (changes) => {
      for (const { run } of changes) {
        if (run.status === 'working' && run.holder?.pid === process.pid) active.add(run.id);
        else active.delete(run.id);
      }
    },
    gaveUp: (run) => {
      active.delete(run);
    },
    besides: (run) => active.size > (run !== null && active.has(run) ? 1 : 0),
  };
}
