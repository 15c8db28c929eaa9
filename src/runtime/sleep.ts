import { setTimeout as wait } from 'node:timers/promises';
import type { Instant } from '../contract/ids.ts';
import type { Clock } from '../ports/clock.ts';

/** Timers stand still while a machine is suspended; in slices this short the clock is looked at soon after it wakes. */
const SLICE_MS = 5_000;

/** Waits until a time by the clock, or until the signal; never throws for the signal. */
export function sleepBy(clock: Clock): (until: Instant, signal: AbortSignal) => Promise<void> {
  return async (until, signal) => {
    for (;;) {
      const left = Date.parse(until) - Date.parse(clock.now());
      if (signal.aborted || !(left > 0)) return;
      // Only the signal ends it early, and that is looked at above.
      await wait(Math.min(left, SLICE_MS), undefined, { signal }).catch(() => undefined);
    }
  };
}
