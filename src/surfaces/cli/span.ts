import type { Words } from './words.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SOON_MS = 10 * MINUTE * 1000;

/** `40 s`, `12 min`, `3 h`, `2 d`: how long ago, for a person. */
export function age(instant: string, now: number, words: Words): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(instant)) / 1000));
  if (seconds < MINUTE) return words('cli.span.s', { n: seconds });
  if (seconds < HOUR) return words('cli.span.min', { n: Math.floor(seconds / MINUTE) });
  if (seconds < 2 * DAY) return words('cli.span.h', { n: Math.floor(seconds / HOUR) });
  return words('cli.span.d', { n: Math.floor(seconds / DAY) });
}

/** `14:05` today in local time, `14:05:09` if that is soon, `11-17 14:05` on another day. */
export function clockTime(instant: string, now: number): string {
  const at = new Date(instant);
  const seconds = at.getTime() - now < SOON_MS;
  const two = (n: number) => String(n).padStart(2, '0');
  const parts = [at.getHours(), at.getMinutes(), ...(seconds ? [at.getSeconds()] : [])].map(two).join(':');
  const today = at.toDateString() === new Date(now).toDateString();
  return today ? parts : `${two(at.getMonth() + 1)}-${two(at.getDate())} ${parts}`;
}

/** `0:12`: how long a call took or takes. */
export function stopwatch(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / MINUTE)}:${String(seconds % MINUTE).padStart(2, '0')}`;
}
