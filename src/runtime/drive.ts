import { AdapterError } from '../engine/errors.ts';
import { advance, type DriveSeed, type Hand, hasMoved, MOVED } from './advance.ts';
import type { Applied } from './apply.ts';
import { untilChanged } from './await-change.ts';
import type { Deps } from './deps.ts';
import { createChildren } from './drive-children.ts';
import { reportChange } from './report.ts';
import type { DriveHandle } from './views.ts';

/** A holder on another host that stays silent for 5 minutes can be replaced. We send a heartbeat ten times as often. */
const HEARTBEAT_MS = 30_000;

/** Ctrl-C must end in under two seconds. If a write takes longer, the lease is held until the process is gone. */
const CLOSE_MS = 1_700;

/** Abort reason, created once, because a new error object for each abort costs as much as a write. */
const CLOSED = new Error('the drive was closed');

export interface LiveDrive extends DriveHandle {
  /** Another input of this process moved the run. The drive continues from there. */
  accept(applied: Applied): void;
  readonly attended: boolean;
  readonly epoch: number;
}

/**
 * A drive of this process. It holds the lease, performs steps and commits their outcomes until the run waits or ends.
 * Every commit is fenced by the lease's epoch, so a drive that was taken over cannot write.
 */
export function createDrive(deps: Deps, seed: DriveSeed): LiveDrive {
  const hand: Hand = { loaded: null, opened: null, performing: null, seq: null };
  // Created by the first caller of `changed`, because most drives are closed without one.
  let closing: AbortController | null = null;
  const children = createChildren(deps, seed.openChild);
  let busy: Promise<unknown> | null = null;
  let holds = true;
  let closed: Promise<void> | null = null;
  const isClosed = () => closed !== null;
  const heartbeat = startHeartbeat(deps, seed);

  const accept = (applied: Applied) => {
    hand.loaded = applied.moved ? null : { def: applied.def, at: applied.at };
    hand.opened = applied.change.opened.length > 0 && !applied.moved ? applied.change.opened : null;
    const { run } = applied.at;
    holds = applied.moved || run.holder !== null;
    if (hand.performing && hasMoved(run, hand.performing.turn, seed.epoch)) hand.performing.stop.abort(MOVED);
    const { seq } = applied.change.run;
    // All events since the last commit are our own, so there are no other events to search.
    if (seq - applied.change.events.length === hand.seq) hand.seq = seq;
    reportChange(seed, applied);
  };
  if (seed.applied) accept(seed.applied);

  const close = () => {
    closed ??= (async () => {
      closing?.abort(CLOSED);
      hand.performing?.stop.abort(CLOSED);
      clearInterval(heartbeat);
      const still = busy !== null && !(await settledWithin(busy, CLOSE_MS));
      await children.close();
      // The commit before has given the lease back already, unless this process stays to show the gate.
      if (!still && holds) await deps.store.releaseLease(seed.id, seed.epoch).catch(leftBehind);
      seed.onClose();
    })();
    return closed;
  };

  return {
    run: seed.id,
    attended: seed.attended,
    epoch: seed.epoch,
    accept,
    close,
    advance: () => {
      const work = advance({ deps, seed, hand, children, isClosed, accept }).finally(() => {
        if (busy === work) busy = null;
      });
      busy = work;
      return work;
    },
    changed: (signal) => {
      const own = (any: AbortSignal) => untilChanged(deps, seed.id, any);
      closing ??= new AbortController();
      if (isClosed()) closing.abort(CLOSED);
      return children.changed(own, AbortSignal.any([signal, closing.signal]));
    },
  };
}

function startHeartbeat({ store, clock }: Deps, { id, epoch }: DriveSeed): NodeJS.Timeout {
  return setInterval(
    () => void store.heartbeat(id, epoch, clock.now()).catch(reportedLater),
    HEARTBEAT_MS,
  ).unref();
}

/** A failed heartbeat is ignored. If the store is really gone, the next commit reports it. */
function reportedLater(): void {}

/** A lease that could not be given back is void when this process is gone, so nothing depends on it. */
function leftBehind(error: unknown): void {
  if (!(error instanceof AdapterError)) throw error;
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = work.then(
    () => true,
    () => true, // advance has reported its own error
  );
  const result = await Promise.race([settled, late]);
  clearTimeout(timer);
  return result;
}
