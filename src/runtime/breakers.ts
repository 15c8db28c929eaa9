import type { Instant } from '../contract/ids.ts';
import { type AgentSign, admit, afterSign, type Breaker, CLOSED } from '../engine/breaker.ts';
import type { Deps } from './deps.ts';

/** Permission to call an agent once. It must be signed at the end, otherwise callers wait for a probe forever. */
export interface Permit {
  sign(sign: AgentSign): void;
}

/** Stops further calls to an agent that keeps failing, for all runs of this process. */
export interface Breakers {
  /** A permit without waiting. Null if the agent has failed, so that `admit` must decide. */
  ready(agent: string): Permit | null;
  /**
   * Waits until the agent may be called. Null when `signal` aborts. `told` is called with the end of the waiting time,
   * if known.
   */
  admit(agent: string, signal: AbortSignal, told: (until: Instant | null) => void): Promise<Permit | null>;
}

interface BreakerState {
  breaker: Breaker;
  /** One per waiting caller, aborted when the breaker changes. */
  readonly waiting: Set<AbortController>;
}

export function createBreakers({
  clock,
  sleep,
  backoff_policy,
}: Pick<Deps, 'clock' | 'sleep' | 'backoff_policy'>): Breakers {
  const agents = new Map<string, BreakerState>();
  const now = () => Date.parse(clock.now());
  const breakerOf = (agent: string): BreakerState => {
    const known = agents.get(agent) ?? { breaker: CLOSED, waiting: new Set() };
    agents.set(agent, known);
    return known;
  };
  const permitOf = (kept: BreakerState, probe: boolean): Permit => ({
    sign: (sign) => {
      // A closed breaker has no waiting callers, and only a failure changes it.
      if (kept.breaker === CLOSED && sign !== 'failed') return;
      kept.breaker = afterSign(kept.breaker, { sign, probe }, { now: now(), cool: backoff_policy.breaker });
      for (const one of kept.waiting) one.abort();
    },
  });
  const wait = async (kept: BreakerState, until: Instant | null, signal: AbortSignal) => {
    const changed = new AbortController();
    kept.waiting.add(changed);
    const either = AbortSignal.any([signal, changed.signal]);
    await (until === null ? untilAborted(either) : sleep(until, either));
    kept.waiting.delete(changed);
  };
  return {
    ready: (agent) => {
      const kept = breakerOf(agent);
      return kept.breaker === CLOSED ? permitOf(kept, false) : null;
    },
    async admit(agent, signal, told) {
      const kept = breakerOf(agent);
      while (!signal.aborted) {
        const turn = admit(kept.breaker, now());
        if (turn.go) {
          kept.breaker = turn.breaker;
          return permitOf(kept, turn.probe);
        }
        const until = turn.wait === null ? null : new Date(turn.wait).toISOString();
        told(until);
        await wait(kept, until, signal);
      }
      return null;
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
