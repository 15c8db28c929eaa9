/** The wait after the first failure, and the longest wait. */
export interface BackOff {
  readonly first_ms: number;
  readonly most_ms: number;
}

/** Waits of the runtime: after a provider's limit, after an infrastructure fault, for an agent that keeps failing. */
export interface BackOffPolicy {
  readonly limited: BackOff;
  readonly infrastructure: BackOff;
  readonly breaker: BackOff;
}

export const BACK_OFF_POLICY: BackOffPolicy = {
  limited: { first_ms: 60_000, most_ms: 15 * 60_000 },
  infrastructure: { first_ms: 1_000, most_ms: 60_000 },
  breaker: { first_ms: 30_000, most_ms: 10 * 60_000 },
};

/**
 * Doubles from the first wait up to the longest. `chance` (0 to 1, the same for the same call) subtracts up to a tenth,
 * so that calls that failed together do not retry together.
 */
export function backOffMs({ first_ms, most_ms }: BackOff, times: number, chance = 0): number {
  const doubled = first_ms * 2 ** Math.min(Math.max(times, 1) - 1, 40);
  return Math.round(Math.min(doubled, most_ms) * (1 - chance / 10));
}
