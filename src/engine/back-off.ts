/** How long to wait after a first failure, and at most. */
export interface BackOff {
  readonly first_ms: number;
  readonly most_ms: number;
}

/** How the runtime waits: for a provider's limit, a fault of the infrastructure, an agent that keeps failing. */
export interface Pace {
  readonly limited: BackOff;
  readonly infrastructure: BackOff;
  readonly breaker: BackOff;
}

export const PACE: Pace = {
  limited: { first_ms: 60_000, most_ms: 15 * 60_000 },
  infrastructure: { first_ms: 1_000, most_ms: 60_000 },
  breaker: { first_ms: 30_000, most_ms: 10 * 60_000 },
};

/**
 * The first time, twice, four times as long ... up to the most. `chance` (0 to 1, the same for the same call) takes up
 * to a tenth off, so that calls that failed together do not come back together.
 */
export function backOffMs({ first_ms, most_ms }: BackOff, times: number, chance = 0): number {
  const doubled = first_ms * 2 ** Math.min(Math.max(times, 1) - 1, 40);
  return Math.round(Math.min(doubled, most_ms) * (1 - chance / 10));
}
