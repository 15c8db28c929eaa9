import type { RunId } from '../../contract/ids.ts';
import type { Change, Drive } from '../../ports/store.ts';
import type { Connection } from './connection.ts';

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

type DriveRow = Omit<Drive, 'run' | 'one_shot'> & { readonly n: number; readonly one_shot: number };

const NEWEST = `select n, id, mode, denied, one_shot, opened_by, opened_at, until, closed_at
  from drives where run = ? order by n desc limit 1`;
const OPEN = `insert into drives (run, n, id, mode, denied, one_shot, opened_by, opened_at, until, closed_at)
  values (?1, (select coalesce(max(n), 0) + 1 from drives where run = ?1), ?, ?, ?, ?, ?, ?, ?, ?)`;
/** All drives but the newest are closed. These statements therefore change only the newest, and never a closed one. */
const CLOSE = 'update drives set closed_at = ? where run = ? and closed_at is null';
const PAUSE = 'update drives set until = ? where run = ? and closed_at is null';
const RESUME = 'update drives set until = null where run = ? and closed_at is null';

export function newestDrive(c: Connection, run: RunId): Drive | undefined {
  const row = c.one<DriveRow>(NEWEST, c.keyOf(run) ?? -1);
  if (!row) return undefined;
  const { n, ...drive } = row;
  return { ...drive, run, one_shot: drive.one_shot === 1 };
}

/** `first`: the run is created in this transaction, so it cannot have an earlier drive. */
export function openDrive(c: Connection, drive: Drive, first = false): void {
  const { run, id, mode, denied, one_shot, opened_by, opened_at, until, closed_at } = drive;
  const key = c.keyOf(run) ?? -1;
  if (!first) c.run(CLOSE, opened_at, key);
  const what = [id, mode, denied, one_shot ? 1 : 0, opened_by, opened_at, until, closed_at] as const;
  c.run(OPEN, key, ...what);
}

export function changeDrive(c: Connection, key: number, { drive, guard, run }: Change): void {
  if (drive === null) return;
  if (drive.kind === 'opened') openDrive(c, drive.drive, guard === null);
  else if (drive.kind === 'paused') c.run(PAUSE, drive.until, key);
  else if (drive.kind === 'resumed') c.run(RESUME, key);
  else c.run(CLOSE, run.updated_at, key);
}
