import { type BackOff, backOffMs } from './back-off.ts';

/**
 * Whether an agent may be called. `closed`: yes, and failures in a row are counted. `open`: it kept failing and is not
 * called before `until`. `times` counts how often it opened in a row. `probing`: one call is the probe, others wait.
 */
export type Breaker =
  | { readonly kind: 'closed'; readonly faults: number }
  | { readonly kind: 'open'; readonly until: number; readonly times: number }
  | { readonly kind: 'probing'; readonly times: number };

/** How a call ended for its agent: it answered, it failed, or Baton ended the call before that was known. */
export type AgentSign = 'answered' | 'failed' | 'unknown';

/** The number of failures in a row that opens the breaker. */
export const FAULTS = 5;

export const CLOSED: Breaker = { kind: 'closed', faults: 0 };

/** Whether one more call may start now. `wait`: the earliest time. Null: after the probe has ended. */
export type Admission =
  | { readonly go: true; readonly probe: boolean; readonly breaker: Breaker }
  | { readonly go: false; readonly wait: number | null };

export function admit(breaker: Breaker, now: number): Admission {
  switch (breaker.kind) {
    case 'closed':
      return { go: true, probe: false, breaker };
    case 'probing':
      return { go: false, wait: null };
    case 'open':
      return now < breaker.until
        ? { go: false, wait: breaker.until }
        : { go: true, probe: true, breaker: { kind: 'probing', times: breaker.times } };
  }
}

/**
 * The breaker after a sign of an agent. Any answer closes it. While it is open or probing, only the failed probe
 * reopens it, for twice as long. Older calls give no new information.
 */
export function afterSign(
  breaker: Breaker,
  { sign, probe }: { readonly sign: AgentSign; readonly probe: boolean },
  { now, cool }: { readonly now: number; readonly cool: BackOff },
): Breaker {
  const opened = (times: number): Breaker => ({ kind: 'open', until: now + backOffMs(cool, times), times });
  if (sign === 'answered') return CLOSED;
  if (breaker.kind === 'closed') {
    if (sign === 'unknown') return breaker;
    return breaker.faults + 1 < FAULTS ? { kind: 'closed', faults: breaker.faults + 1 } : opened(1);
  }
  if (breaker.kind === 'open' || !probe) return breaker;
  return sign === 'failed' ? opened(breaker.times + 1) : { kind: 'open', until: now, times: breaker.times };
}
