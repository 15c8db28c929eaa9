import type { Instant } from '../../contract/ids.ts';

const SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `try again in 2 days 3 hours`, `retry after 3600s`. */
const SPAN =
  /(?:in|after) ((?:(?:about )?\d+(?:\.\d+)? ?(?:days?|d|hours?|h|minutes?|min|m|seconds?|sec|s)(?![a-z])[, ]*(?:and )?)+)/i;
/** `resets 3pm (Europe/Berlin)`, `resets Nov 20 at 3:05pm`, `try again at Oct 9th, 2026 1:25 PM`. */
const CLOCK =
  /(?:resets?|again)(?: at| on)? (?:([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?,?(?: at)? )?(\d{1,2})(?::(\d{2}))? ?([ap]m)?\b(?: ?\(([\w/+-]+)\))?/i;

/**
 * When a provider takes calls again, from its message and the time of that message. Null if the message does not name a
 * time. A clock time without a day means the next such time. Without a zone it is in the zone of this machine.
 */
export function parseReset(words: string, now: Date): Instant | null {
  const epoch = /limit reached\|(\d{10})\b/i.exec(words)?.[1];
  if (epoch) return instant(Number(epoch) * 1000);
  const span = SPAN.exec(words)?.[1];
  if (span) return instant(now.getTime() + spanSeconds(span) * 1000);
  const clock = CLOCK.exec(words);
  return clock ? clockTime(clock, now) : null;
}

/** Null for an invalid time, because text from outside can contain anything. */
function instant(ms: number): Instant | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function spanSeconds(span: string): number {
  const parts = span.matchAll(/(\d+(?:\.\d+)?) ?([dhms])/gi);
  return [...parts].reduce(
    (sum, [, n, unit = 's']) => sum + Number(n) * (SECONDS[unit.toLowerCase()] ?? 0),
    0,
  );
}

function clockTime(match: RegExpExecArray, now: Date): Instant | null {
  const [, month, day, year, hour = '', minute = '0', half, zone] = match;
  if (!half && !match[5]) return null; // a bare number is not a time of day
  const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
  const today = inZone(now, zone);
  if (!today) return null;
  const dated = month !== undefined;
  const wanted = {
    year: year === undefined ? today.year : Number(year),
    month: dated ? MONTHS.indexOf(month.toLowerCase()) : today.month,
    day: dated ? Number(day) : today.day,
  };
  const at = (more: number) =>
    Date.UTC(wanted.year, wanted.month, wanted.day + more, hours, Number(minute)) - today.offset;
  const passed = at(0) <= now.getTime();
  return instant(at(!dated && passed ? 1 : 0));
}

/** The day in a zone, and the zone's offset from UTC in milliseconds; null for an unknown zone. */
function inZone(now: Date, zone: string | undefined) {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...(zone && { timeZone: zone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = Object.fromEntries(
      format.formatToParts(now).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return { year, month: month - 1, day, offset: local - Math.floor(now.getTime() / 1000) * 1000 };
  } catch {
    return null;
  }
}
