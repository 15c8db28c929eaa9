import type { Instant } from '../contract/ids.ts';
import { type AgentSign, admit, afterSign, type Breaker, CLOSED } from '../engine/breaker.ts';
import type { Deps } from './deps.ts';

/** The right to call an agent once. Its end must be told, or a probe would be waited for for ever. */
export interface Ticket {
  sign(sign: AgentSign): void;
}

/** Keeps an agent from being called again and again while it fails; for all runs of this process. */
export interface Breakers {
  /** The right to call at once; null where the agent has failed and `admit` has to judge. */
  ready(agent: string): Ticket | null;
  /** Waits until the agent may be called; null when `signal` ended the waiting. `told` hears until when, if known. */
  admit(agent: string, signal: AbortSignal, told: (until: Instant | null) => void): Promise<Ticket | null>;
}

interface Kept {
  breaker: Breaker;
  /** Those who wait; aborted when the breaker has changed. */
  readonly waiting: Set<AbortController>;
}

export function createBreakers({ clock, sleep, pace }: Pick<Deps, 'clock' | 'sleep' | 'pace'>): Breakers {
  const agents = new Map<string, Kept>();
  const now = () => Date.parse(clock.now());
  const keptOf = (agent: string): Kept => {
    const known = agents.get(agent) ?? { breaker: CLOSED, waiting: new Set() };
    agents.set(agent, known);
    return known;
  };
  const ticketOf = (kept: Kept, probe: boolean): Ticket => ({
    sign: (sign) => {
      // Nobody waits at a closed one, and only a failure changes it.
      if (kept.breaker === CLOSED && sign !== 'failed') return;
      kept.breaker = afterSign(kept.breaker, { sign, probe }, { now: now(), cool: pace.breaker });
      for (const one of kept.waiting) one.abort();
    },
  });
  const wait = async (kept: Kept, until: Instant | null, signal: AbortSignal) => {
    const changed = new AbortController();
    kept.waiting.add(changed);
    const either = AbortSignal.any([signal, changed.signal]);
    await (until === null ? untilAborted(either) : sleep(until, either));
    kept.waiting.delete(changed);
  };
  return {
    ready: (agent) => {
      const kept = keptOf(agent);
      return kept.breaker === CLOSED ? ticketOf(kept, false) : null;
    },
    async admit(agent, signal, told) {
      const kept = keptOf(agent);
      while (!signal.aborted) {
        const turn = admit(kept.breaker, now());
        if (turn.go) {
          kept.breaker = turn.breaker;
          return ticketOf(kept, turn.probe);
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
