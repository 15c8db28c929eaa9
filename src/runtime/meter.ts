import type { Effect } from '../contract/change.ts';
import type { Run } from '../contract/run.ts';
import {
  addAttempt,
  type Budget,
  exceeded,
  leftOf,
  NO_SPEND,
  type Overrun,
  type Spend,
  timesBudget,
} from '../engine/budget.ts';
import type { Usage } from '../ports/agent.ts';
import type { SpendTotal } from '../ports/store.ts';
import type { Deps } from './deps.ts';

/** A limit that was passed: of the whole run, or of one call. */
export interface Passed extends Overrun {
  readonly scope: 'run' | 'call';
}

/** One attempt that runs, as long as it is within the limits. */
export interface Metered {
  /** What may still be spent, told to programs that can keep to it; null is no limit. */
  readonly money_left_usd: number | null;
  /** The limit it ran into; null as long as there was none. */
  passed(): Passed | null;
  /** Told at once when a limit is passed. */
  onPassed(stop: () => void): void;
  /** All the attempt has used so far. */
  use(usage: Usage): void;
  seconds(): number;
  /** It has ended; null is a usage nobody told. */
  end(usage: Usage | null): void;
  /** It counts for nothing, unless it has ended before: it was never started, or the provider did not take it. */
  withdraw(): void;
}

/** Compares what a step uses with the limits, all its calls that run side by side together. */
export interface Meter {
  /** A place for one more attempt, or the limit that leaves none. What runs beside it counts. */
  open(effect: Effect): Promise<Metered | Passed>;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const NOTHING_YET: Usage = { money_usd: 0, tokens: 0 };

interface Entry {
  readonly since: number;
  /** What earlier attempts of the call used. */
  readonly before: Spend;
  usage: Usage;
  /** Null while it runs. */
  minutes: number | null;
  passed: Passed | null;
  stop: () => void;
}

/** The limits of a run after all extensions. */
interface Limits {
  readonly run: Budget;
  readonly call: Budget | null;
}

/** What is counted for one step. */
interface Tally {
  readonly limits: Limits;
  /** Attempts since the store was last asked; it knows nothing of those that run. */
  readonly entries: Set<Entry>;
  /** What the store said. */
  base: Spend;
  /** Grows when an attempt begins or ends. */
  changes: number;
  timer: NodeJS.Timeout | undefined;
}

export function createMeter(deps: Pick<Deps, 'store'>, run: Run): Meter {
  const tally: Tally = {
    limits: limitsOf(run),
    entries: new Set(),
    base: NO_SPEND,
    changes: 0,
    timer: undefined,
  };
  const { limits, entries } = tally;
  return {
    async open(effect) {
      const before = await refresh(tally, deps.store, effect);
      // From here to the entry without a pause: calls that start together must not all take the last of it.
      const over = exceeded(limits.run, totalOf(tally), { attempts: 1 });
      if (over) return { ...over, scope: 'run' };
      const own = limits.call && exceeded(limits.call, before);
      if (own) return { ...own, scope: 'call' };
      const left = [
        leftOf('money_usd', limits.run, totalOf(tally)),
        limits.call && leftOf('money_usd', limits.call, before),
      ];
      const rest = { usage: NOTHING_YET, minutes: null, passed: null, stop: () => undefined };
      const entry: Entry = { since: performance.now(), before, ...rest };
      entries.add(entry);
      changed(tally);
      return { money_left_usd: least(...left), ...metered(tally, entry) };
    },
  };
}

function metered(tally: Tally, entry: Entry): Omit<Metered, 'money_left_usd'> {
  return {
    passed: () => entry.passed,
    onPassed: (stop) => {
      entry.stop = stop;
      if (entry.passed) stop();
    },
    use: (usage) => {
      entry.usage = usage;
      look(tally);
    },
    seconds: () => minutesOf(entry) * 60,
    end: (usage) => {
      entry.usage = usage ?? { money_usd: null, tokens: null };
      entry.minutes = minutesOf(entry);
      changed(tally);
    },
    withdraw: () => {
      if (entry.minutes === null && tally.entries.delete(entry)) changed(tally);
    },
  };
}

/** Asks the store unless something runs, which is counted here until it has ended. Gives what the call used before. */
async function refresh(tally: Tally, store: Deps['store'], effect: Effect): Promise<Spend> {
  for (;;) {
    const seen = tally.changes;
    const stored = toSpend(await store.spend(effect.run));
    const before = tally.limits.call ? toSpend(await store.spend(effect.run, effect.id)) : NO_SPEND;
    if (seen !== tally.changes) continue;
    if (runningOf(tally).length > 0) return before;
    tally.base = stored;
    tally.entries.clear();
    return before;
  }
}

function changed(tally: Tally): void {
  tally.changes++;
  look(tally);
}

/** Stops every attempt that is over a limit, and looks again when the first limit on minutes is passed. */
function look(tally: Tally): void {
  const total = totalOf(tally);
  const over = exceeded(tally.limits.run, total);
  const within: Entry[] = [];
  for (const entry of tally.entries) {
    if (entry.minutes !== null || entry.passed !== null) continue;
    entry.passed = over ? { ...over, scope: 'run' } : passedByCall(tally, entry);
    if (entry.passed) entry.stop();
    else within.push(entry);
  }
  clearTimeout(tally.timer);
  const next = untilMinutesEnd(tally.limits, within, total);
  tally.timer = next === null ? undefined : setTimeout(look, Math.min(next, LONGEST_TIMER_MS), tally);
}

function passedByCall({ limits: { call } }: Tally, entry: Entry): Passed | null {
  const over = call && exceeded(call, plus(entry.before, entry));
  return over && { ...over, scope: 'call' };
}

function totalOf({ base, entries }: Tally): Spend {
  return [...entries].reduce(plus, base);
}

function runningOf({ entries }: Tally): Entry[] {
  return [...entries].filter((entry) => entry.minutes === null);
}

/** Attempts of one call are bounded by the caps of its role. */
function limitsOf({ policy, counters }: Run): Limits {
  const { per_call, ...whole } = policy.budget;
  const factor = 1 + (counters.extensions ?? 0);
  return {
    run: timesBudget(whole, factor),
    call: per_call ? timesBudget({ ...per_call, attempts: Infinity }, factor) : null,
  };
}

/** The store does not say which tokens have no price: if any, all count. */
function toSpend({ seconds, ...total }: SpendTotal): Spend {
  const tokens_unknown = total.money_unknown && total.tokens === 0;
  return { ...total, worker_minutes: seconds / 60, tokens_unknown };
}

function minutesOf({ minutes, since }: Entry): number {
  return minutes ?? (performance.now() - since) / 60_000;
}

function plus(spend: Spend, entry: Entry): Spend {
  return addAttempt(spend, { ...entry.usage, worker_minutes: minutesOf(entry) });
}

/** When the first limit on worker-minutes is passed; time runs faster the more calls run beside each other. */
function untilMinutesEnd(limits: Limits, running: readonly Entry[], total: Spend): number | null {
  if (running.length === 0) return null;
  const whole = leftOf('worker_minutes', limits.run, total);
  const { call } = limits;
  const each = running.map((entry) => call && leftOf('worker_minutes', call, plus(entry.before, entry)));
  const minutes = least(whole === null ? null : whole / running.length, ...each);
  return minutes === null ? null : minutes * 60_000 + 1;
}

function least(...amounts: readonly (number | null)[]): number | null {
  const given = amounts.filter((amount) => amount !== null);
  return given.length === 0 ? null : Math.min(...given);
}
