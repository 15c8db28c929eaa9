import type { Instant } from '../../contract/ids.ts';
import type { Ended } from '../../ports/agent.ts';
import type { Exit } from '../../ports/processes.ts';
import { shortLine } from './lines.ts';
import { type Closing, ended } from './program.ts';

/** The error that a program or its provider reported at a bad end. */
export interface Complaint {
  readonly words: string;
  /** HTTP status of the provider, if it is reported. */
  readonly status?: number | null;
  /** When it was reported. A reset "in two hours" counts from here. */
  readonly at?: Date | null;
  /** How a person signs in to this program, in one sentence. */
  readonly sign_in: string;
}

/** The earlier session could not be resumed. The next attempt starts a new one. */
export const NOT_TAKEN_UP = 'its earlier session could not be taken up';

type Bad = 'failed' | 'unavailable' | 'limited' | 'blocked';

interface Rule {
  readonly outcome: Bad;
  readonly status: (status: number) => boolean;
  readonly words: RegExp;
  /** What the person can do about it. */
  readonly hint?: (complaint: Complaint) => string;
}

const never = () => false;

/**
 * The meaning of complaints; the first match counts. Money comes before quota, because waiting does not fill an
 * account.
 */
const RULES: readonly Rule[] = [
  {
    outcome: 'blocked',
    status: (status) => status === 402,
    words: /credit balance|billing|insufficient_quota|out of (usage )?credits|payment/i,
    hint: () => 'the account with the provider needs money or another plan',
  },
  {
    outcome: 'limited',
    status: (status) => status === 429 || status === 529,
    words:
      /rate.?limit|(usage|session|weekly|spend) limit|limit reached|too many requests|quota|resource.?exhausted|overloaded|at capacity/i,
  },
  {
    outcome: 'blocked',
    status: (status) => status === 401 || status === 403,
    words:
      /not (logged|signed) in|run \/login|authenticat|unauthori[sz]ed|invalid api key|api key not valid|auth method|missing environment variable|refresh token/i,
    hint: ({ sign_in }) => sign_in,
  },
  {
    outcome: 'blocked',
    status: (status) => status === 404,
    words:
      /\bmodels?\b.{0,200}?(not|n't) (exist|found|supported|available)|(issue with|invalid) (the )?(selected )?model|unknown model|model_?not_?found/i,
    hint: () => 'name a model you may use under `models` in baton.yaml, or mend the provider’s address',
  },
  {
    outcome: 'unavailable',
    status: (status) => status >= 500 || status === 408,
    words:
      /high demand|stream (disconnected|error)|connection|network|timed? ?out|socket|ECONN|ENOTFOUND|EAI_AGAIN|error sending request|fetch failed|terminated|in JSON at|unavailable|internal error/i,
  },
  // The session to resume is gone. The next attempt starts a new one.
  {
    outcome: 'unavailable',
    status: never,
    words:
      /no conversation found|no rollout found|session not found|invalid session identifier|no previous sessions/i,
  },
];

const PLAIN: Rule = { outcome: 'failed', status: never, words: /^/ };

/** The end of the call for a complaint. A status outweighs the words around it, unless the words are about money. */
export function judge(complaint: Complaint): Ended {
  return endBy(complaint, findRule(complaint) ?? PLAIN);
}

/** The same as the closing of a stream. */
export function closeBy(complaint: Complaint): Closing {
  return { ...judge(complaint), type: 'closing' } as Closing;
}

/** The end of a program that exited without a closing. Null if its exit and last words do not show a cause. */
export function judgeGone(exit: Exit, complaint: Complaint): Ended | null {
  if (exit.code !== null && exit.code > 128)
    return ended('unavailable', `killed from outside: exit ${exit.code}`);
  if (exit.signal !== null || exit.code === 0) return null;
  const rule = findRule(complaint);
  return rule ? endBy(complaint, rule) : null;
}

function findRule(complaint: Complaint): Rule | undefined {
  const status = complaint.status ?? statusIn(complaint.words);
  const byStatus = status === null ? undefined : RULES.find((rule) => rule.status(status));
  const byWords = RULES.find((rule) => rule.words.test(complaint.words));
  // Only the money rule may outweigh a status, because an empty account is also answered with 429.
  return byWords === RULES[0] ? byWords : (byStatus ?? byWords);
}

function statusIn(words: string): number | null {
  const found = /\bstatus:? (\d{3})\b|\berror:? (\d{3})\b/i.exec(words);
  return found ? Number(found[1] ?? found[2]) : null;
}

function endBy(complaint: Complaint, { outcome, hint }: Rule): Ended {
  const said = shortLine(complaint.words, 200) || 'it gave no reason';
  const detail = hint ? `${said}: ${hint(complaint)}` : said;
  if (outcome !== 'limited') return ended(outcome, detail);
  return {
    ...ended(outcome, detail),
    until: complaint.at ? parseReset(complaint.words, complaint.at) : null,
  };
}

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
