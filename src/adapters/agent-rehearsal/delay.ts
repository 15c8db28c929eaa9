const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** A delay as a script writes it (`400ms`, `2s`, `1m` or a number), in milliseconds; NaN for anything else. */
export function delayMs(delay: string | number): number {
  if (typeof delay === 'number') return delay;
  const [, digits, unit] = /^(\d+)(ms|s|m)$/.exec(delay) ?? [];
  return Number(digits) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
}
