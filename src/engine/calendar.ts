import type { Instant } from '../contract/ids.ts';

/** Days before each month of a common year. */
const BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return (BEFORE[month] ?? 365) - (BEFORE[month - 1] ?? 0);
}

/** The calendar day so many days after a time, as `2026-11-16`. The pure layers have no clock and no calendar. */
export function dayAfter(at: Instant, days: number): string {
  let [year = 1970, month = 1, day = 1] = at.slice(0, 10).split('-').map(Number);
  day += days;
  while (day > daysIn(year, month)) {
    day -= daysIn(year, month);
    month += 1;
    if (month > 12) {
      month = 1;
      year += 1;
    }
  }
  const two = (n: number) => String(n).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}`;
}

/** The time so many seconds later, less than a day. */
export function secondsAfter(at: Instant, seconds: number): Instant {
  const now = Number(at.slice(11, 13)) * 3600 + Number(at.slice(14, 16)) * 60 + Number(at.slice(17, 19));
  const late = now + seconds;
  const day = dayAfter(at, Math.floor(late / 86_400));
  const rest = late % 86_400;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${day}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}${at.slice(19)}`;
}
