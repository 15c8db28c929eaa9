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

/** A limit that was passed, either of the whole run or of one call. */
export interface Passed extends Overrun {
  readonly scope: 'run' | 'call';
}

/** One running attempt within the limits. */
export interface Metered {
  /** Money that may still be spent, passed to programs that can respect it. Null: no limit. */
  readonly money_left_usd: number | null;
  /** The limit it passed. Null if it has not passed any. */
  passed(): Passed | null;
  /** Registers the function to call when a limit is passed. Called at once if that has happened already. */
  onPassed(stop: () => void): void;
  /** Reports the total use of the attempt so far. */
  use(usage: Usage): void;
  seconds(): number;
  /** The attempt has ended. Null: its usage is unknown. */
  end(usage: Usage | null): void;
  /**
   * Removes the attempt from the count, unless `end` was called before. For an attempt that was never started or that
   * the provider refused.
   */
  withdraw(): void;
}

/** Compares the total use of a step with the limits. Parallel calls are added up. */
export interface Meter {
  /** Admits one more attempt, or returns the limit that prevents it. Parallel attempts count. */
  open(effect: Effect): Promise<Metered | Passed>;
}

/** A timer longer than this would fire at once. */
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

/** The counters of one step. */
interface Tally {
  readonly limits: Limits;
  /** Attempts since the last query to the store, which does not contain running attempts. */
  readonly entries: Set<Entry>;
  /** The result of the last query to the store. */
  base: Spend;
  /** Incremented when an attempt begins or ends. */
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
      // No `await` from here to `entries.add`: calls that start together must not all use the same remaining budget.
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

/**
 * Reads the total from the store, unless an attempt is running: this object counts it until it has ended. Returns what
 * the call used before.
 */
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

/** Stops every attempt that is over a limit. Sets a timer for the moment when the first limit on minutes is passed. */
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

/** `attempts` is unlimited here, because the caps of the role bound the attempts of one call. */
function limitsOf({ policy, counters }: Run): Limits {
  const { per_call, ...whole } = policy.budget;
  const factor = 1 + (counters.extensions ?? 0);
  return {
    run: timesBudget(whole, factor),
    call: per_call ? timesBudget({ ...per_call, attempts: Infinity }, factor) : null,
  };
}

/** The store does not record which tokens have no price. If some have none, all tokens count as unpriced. */
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

/** Milliseconds until the first limit on worker-minutes is passed. Parallel calls use up the minutes faster. */
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
