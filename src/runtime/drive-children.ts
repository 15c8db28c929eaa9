import type { RunId } from '../contract/ids.ts';
import { isRejection, type Rejection } from '../engine/rejection.ts';
import type { At } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';
import { stopPointOf } from './stop-point.ts';
import type { DriveHandle, StopPoint } from './views.ts';

/** Opens the drive of one child in this process, or returns why it cannot. */
export type OpenChild = (id: RunId) => Promise<DriveHandle | Rejection>;

/** The children of a run that waits for them. Their drives stay open as long as the run's own drive. */
export interface Children {
  /**
   * Drives all live children. Returns the stop point that comes first by `rank`, a gate before all else. Null if a
   * child has ended or `stop` has fired, so that the parent is loaded again. The parent's own stop point if there is no
   * child to wait for.
   */
  advance(at: At, stop: AbortSignal): Promise<StopPoint | null>;
  /** Resolves when `own` does, or when another process has moved a child that waits in this process. */
  changed(own: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Ends the children's work and gives their leases back. */
  close(): Promise<void>;
}

export function createChildren(deps: Deps, open: OpenChild): Children {
  const drives = new Map<RunId, DriveHandle>();
  const close = async () => {
    const closing = [...drives.values()].map((drive) => drive.close());
    drives.clear();
    await Promise.all(closing);
  };
  const carryOn = async (id: RunId, stop: AbortSignal): Promise<StopPoint | null> => {
    const drive = await open(id);
    if (isRejection(drive)) return stopElsewhere(deps, id);
    drives.set(id, drive);
    if (stop.aborted) await close();
    const point = await drive.advance();
    if (point.status !== 'ended' && point.elsewhere === null) return point;
    drives.delete(id);
    await drive.close();
    return point;
  };
  return {
    close,
    changed: async (own, signal) => {
      const over = new AbortController();
      const any = AbortSignal.any([signal, over.signal]);
      const changes = [own(any), ...[...drives.values()].map((drive) => drive.changed(any))];
      await Promise.race(changes).finally(() => over.abort());
    },
    advance: async (at, stop) => {
      const { id: parent } = at.run;
      const live = await deps.store.list({ ended: false, parent });
      const work = Promise.all(live.map(({ id }) => carryOn(id, stop)));
      const idle = await Promise.race([work, fired(stop)]);
      if (idle === 'stopped') {
        await close();
        return null;
      }
      if (idle.some((point) => point?.status === 'ended')) return null;
      const [first] = idle.filter((point) => point !== null).sort((a, b) => rank(a) - rank(b));
      return first ? { ...first, parent: first.parent ?? parent } : stopAlone(deps, at);
    },
  };
}

/**
 * The last child may have ended after the parent was loaded, through another process or a command. The parent has then
 * moved.
 */
async function stopAlone(deps: Deps, at: At): Promise<StopPoint | null> {
  const now = await deps.store.load(at.run.id);
  return now?.revision === at.run.revision ? stopPointOf(at, null) : null;
}

/** Order: gates, halted runs, runs that continue by themselves, runs driven by another process. */
function rank({ gate, status, elsewhere }: StopPoint): number {
  if (gate) return 0;
  if (status === 'halted') return 1;
  return elsewhere === null ? 2 : 3;
}

/**
 * Stop point of a child that another process drives. Null if no process does: it could not be opened for another
 * reason.
 */
async function stopElsewhere(deps: Deps, id: RunId): Promise<StopPoint | null> {
  const run = await deps.store.load(id);
  if (!run?.holder) return null;
  return stopPointOf({ run, gate: null }, `${run.holder.host}:${run.holder.pid}`);
}

function fired(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}
