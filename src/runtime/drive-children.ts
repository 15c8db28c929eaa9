import type { RunId } from '../contract/ids.ts';
import { isRejection, type Rejection } from '../engine/rejection.ts';
import type { At } from '../engine/write-change.ts';
import type { DriveHandle, Rest } from './api.ts';
import type { Deps } from './deps.ts';
import { restOf } from './rest.ts';

/** Opens the drive of one child in this process, or says why not. */
export type OpenChild = (id: RunId) => Promise<DriveHandle | Rejection>;

/** The children of a run that waits for them; their drives are open as long as its own is. */
export interface Children {
  /**
   * Carries all live children on. Gives what stops the first of them, a question before all else; null when one has
   * ended or `stop` has fired, so that the run looks at itself again; its own rest when there is no child to wait for.
   */
  advance(at: At, stop: AbortSignal): Promise<Rest | null>;
  /** Resolves when `own` does, or when somebody else has moved a child that rests in this process. */
  changed(own: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Ends what they do and gives their leases back. */
  close(): Promise<void>;
}

export function createChildren(deps: Deps, open: OpenChild): Children {
  const drives = new Map<RunId, DriveHandle>();
  const close = async () => {
    const closing = [...drives.values()].map((drive) => drive.close());
    drives.clear();
    await Promise.all(closing);
  };
  const carryOn = async (id: RunId, stop: AbortSignal): Promise<Rest | null> => {
    const drive = await open(id);
    if (isRejection(drive)) return restElsewhere(deps, id);
    drives.set(id, drive);
    if (stop.aborted) await close();
    const rest = await drive.advance();
    if (rest.status !== 'ended' && rest.elsewhere === null) return rest;
    drives.delete(id);
    await drive.close();
    return rest;
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
      const rests = await Promise.race([work, fired(stop)]);
      if (rests === 'stopped') {
        await close();
        return null;
      }
      if (rests.some((rest) => rest?.status === 'ended')) return null;
      const [first] = rests.filter((rest) => rest !== null).sort((a, b) => rank(a) - rank(b));
      return first ? { ...first, parent: first.parent ?? parent } : restAlone(deps, at);
    },
  };
}

/** The last child may have ended after the run was read, in another process or by a command: then it has moved. */
async function restAlone(deps: Deps, at: At): Promise<Rest | null> {
  const now = await deps.store.load(at.run.id);
  return now?.revision === at.run.revision ? restOf(at, null) : null;
}

/** A question first, then what stands still, then what goes on by itself, last what another process does. */
function rank({ gate, status, elsewhere }: Rest): number {
  if (gate) return 0;
  if (status === 'halted') return 1;
  return elsewhere === null ? 2 : 3;
}

/** Where a child stands that another process drives; null when nobody does: it could not be opened for another reason. */
async function restElsewhere(deps: Deps, id: RunId): Promise<Rest | null> {
  const run = await deps.store.load(id);
  if (!run?.holder) return null;
  return restOf({ run, gate: null }, `${run.holder.host}:${run.holder.pid}`);
}

function fired(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}
