import type { Instant } from '../contract/ids.ts';

/** The calendar day this many days after a time, as `2026-11-16`. */
export function dayAfter(at: Instant, days: number): string {
  return later(at, days * 86_400).slice(0, 10);
}

/** The time this many seconds later. */
export function secondsAfter(at: Instant, seconds: number): Instant {
  return later(at, seconds) + at.slice(19);
}

/** Without fractions of a second. `Date` is used only as a calendar, never as a clock. */
function later(at: Instant, seconds: number): string {
  const [year = 1970, month = 1, day = 1, hour, minute, second = 0] = at
    .slice(0, 19)
    .split(/[-T:]/)
    .map(Number);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second + seconds)).toISOString().slice(0, 19);
}
