import { setTimeout as wait } from 'node:timers/promises';
import type { Instant } from '../contract/ids.ts';
import type { Clock } from '../ports/clock.ts';

/** Timers pause while a machine is suspended. Slices this short check the clock soon after it wakes. */
const SLICE_MS = 5_000;

/** Waits until the given time or until the signal aborts. Does not throw when it aborts. */
export function sleepBy(clock: Clock): (until: Instant, signal: AbortSignal) => Promise<void> {
  return async (until, signal) => {
    for (;;) {
      const left = Date.parse(until) - Date.parse(clock.now());
      if (signal.aborted || !(left > 0)) return;
      // Only the signal rejects, and the loop checks it above.
      await wait(Math.min(left, SLICE_MS), undefined, { signal }).catch(() => undefined);
    }
  };
}
