import path from 'node:path';
import type { AgentCall } from '../src/ports/agent.ts';
import { type Baton, openBaton } from './baton.ts';
import { percentile } from './stats.ts';

/** Steps 10,000 to 12,000 are measured: the slowest hundredth of fewer is the luck of the disk. */
const STEPS = 12_000;
const WINDOW = 2_000;
/** Short runs are measured from this step on, each over so many steps. */
const FROM = 6;
const SHORT = 10;
const LONG_RUNS = 2;

export interface LongRun {
  readonly p50: number;
  readonly p99: number;
}

/**
 * Step 10,000 of a run against step 10. Long runs are driven to the last steps; then these are measured in turn with
 * steps around the tenth of fresh runs, so that both meet the same moments of the machine.
 */
export async function measureLongRuns(dir: string): Promise<LongRun> {
  const floor = createTurnstile();
  const baton = await openBaton(path.join(dir, 'long'), floor.work);
  const long = Array.from({ length: LONG_RUNS }, (_, n) => `long-${n}`);
  const driven = await Promise.all(long.map((name) => floor.begin(baton, name, STEPS, STEPS - WINDOW)));
  const late: number[] = [];
  const early: number[] = [];
  for (let n = 0; n < WINDOW - 1; n += SHORT) {
    for (const name of long) {
      const fresh = `short-${name}-${n}`;
      const short = await floor.begin(baton, fresh, FROM + SHORT + 1, FROM);
      for (let k = 0; k < SHORT && n + k < WINDOW - 1; k++) {
        late.push(await floor.step(name));
        early.push(await floor.step(fresh));
      }
      floor.release(fresh);
      await short.end;
    }
  }
  for (const name of long) floor.release(name);
  await Promise.all(driven.map(({ end }) => end));
  await baton.close();
  const ratio = (part: number) => percentile(late, part) / percentile(early, part);
  return { p50: ratio(0.5), p99: ratio(0.99) };
}

interface Gatekeeper {
  free: boolean;
  waiting: (() => void) | null;
  arrived: (() => void) | null;
}

/** Lets workers of a run pass freely up to a step, then one at a time; a step is the way from one worker to the next. */
function createTurnstile() {
  const gates = new Map<string, Gatekeeper & { stopAt: number }>();
  const at = (name: string) => {
    const gate = gates.get(name);
    if (!gate) throw new Error(`no run ${name}`);
    return gate;
  };
  const arrival = (gate: Gatekeeper) =>
    new Promise<void>((resolve) => {
      gate.arrived = resolve;
    });
  return {
    work: async (call: AgentCall) => {
      const gate = at(call.slots.task ?? '');
      if (gate.free || call.nth < gate.stopAt) return;
      gate.arrived?.();
      await new Promise<void>((resolve) => {
        gate.waiting = resolve;
      });
    },
    /** Starts a run and waits until its worker stands at the given step. */
    begin: async (baton: Baton, name: string, steps: number, stopAt: number) => {
      const gate = { free: false, waiting: null, arrived: null, stopAt };
      gates.set(name, gate);
      const here = arrival(gate);
      const end = baton.start(name, steps, []);
      await Promise.race([here, end]);
      return { end };
    },
    step: async (name: string): Promise<number> => {
      const gate = at(name);
      const here = arrival(gate);
      const started = performance.now();
      gate.waiting?.();
      await here;
      return performance.now() - started;
    },
    release: (name: string) => {
      const gate = at(name);
      gate.free = true;
      gate.waiting?.();
    },
  };
}
