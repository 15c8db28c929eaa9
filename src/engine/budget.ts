import type { Policy } from '../contract/run.ts';

/** The limits of a run, or of one of its calls. Null: no limit. */
export type Budget = Omit<Policy['budget'], 'per_call'>;
export type BudgetKind = keyof Budget;

/** An exceeded limit, with the used amount and the allowed amount. */
export interface Overrun {
  readonly kind: BudgetKind;
  readonly used: number;
  readonly limit: number;
}

/**
 * The amounts a run has used. `money_usd` is the known part of the cost. `money_unknown`: some call reported no price.
 * `unpriced_tokens` are the tokens of those calls (absent: all tokens). `tokens_unknown`: some call did not report
 * tokens either.
 */
export interface Spend extends Readonly<Record<BudgetKind, number>> {
  readonly money_unknown: boolean;
  readonly unpriced_tokens?: number;
  readonly tokens_unknown?: boolean;
}

/** The amounts one attempt of a worker has used. Null: unknown. */
export interface AttemptCost {
  readonly money_usd: number | null;
  readonly tokens: number | null;
  readonly worker_minutes: number;
}

export const NO_SPEND: Spend = {
  money_usd: 0,
  tokens: 0,
  worker_minutes: 0,
  attempts: 0,
  money_unknown: false,
  unpriced_tokens: 0,
  tokens_unknown: false,
};

/** Assumed price if none was reported. It only decides when to ask a person and is never shown as a cost. */
const ASSUMED_USD_PER_MILLION_TOKENS = 3;

/** Adds one attempt. An unknown price sets `money_unknown` and counts the attempt's tokens as unpriced. */
export function addAttempt(spend: Spend, cost: AttemptCost): Spend {
  const unpriced = cost.money_usd === null ? (cost.tokens ?? 0) : 0;
  return {
    money_usd: spend.money_usd + (cost.money_usd ?? 0),
    tokens: spend.tokens + (cost.tokens ?? 0),
    worker_minutes: spend.worker_minutes + cost.worker_minutes,
    attempts: spend.attempts + 1,
    money_unknown: spend.money_unknown || cost.money_usd === null,
    unpriced_tokens: unpricedTokens(spend) + unpriced,
    tokens_unknown: spend.tokens_unknown === true || cost.tokens === null,
  };
}

const KINDS = ['money_usd', 'tokens', 'worker_minutes', 'attempts'] as const satisfies BudgetKind[];

/**
 * The first limit that `spend` plus `reserve` (the minimum for the next action) exceeds, or null. Using up a limit
 * exactly is allowed. An amount that is not a number counts as exceeded.
 * Unknown money is never zero: unpriced tokens cost ASSUMED_USD_PER_MILLION_TOKENS. If a call did not report tokens
 * either, a limit on worker-minutes or attempts must bound the run. Without such a limit, the money or token limit
 * counts as exceeded, because nothing could show that it holds.
 */
export function exceeded(
  budget: Budget,
  spend: Spend,
  reserve: Partial<Readonly<Record<BudgetKind, number>>> = {},
): Overrun | null {
  for (const kind of KINDS) {
    const limit = budget[kind];
    const used = counted(kind, budget, spend);
    if (limit !== null && !isWithin(used + (reserve[kind] ?? 0), limit)) return { kind, used, limit };
  }
  return null;
}

/** The rest of a limit, at least zero. Null: no limit. */
export function leftOf(kind: BudgetKind, budget: Budget, spend: Spend): number | null {
  const limit = budget[kind];
  return limit === null ? null : Math.max(0, limit - counted(kind, budget, spend));
}

/** The limits multiplied, because a person has granted the budget again. */
export function timesBudget(budget: Budget, factor: number): Budget {
  const times = (value: number | null) => (value === null ? null : value * factor);
  const { money_usd, tokens, worker_minutes, attempts } = budget;
  return {
    money_usd: times(money_usd),
    tokens: times(tokens),
    worker_minutes: times(worker_minutes),
    attempts: times(attempts),
  };
}

/** An amount for people. An unknown amount is a question mark. */
export function amountText(kind: BudgetKind, amount: number): string {
  if (!Number.isFinite(amount)) return '?';
  if (kind === 'money_usd') return `$${amount.toFixed(2)}`;
  return kind === 'worker_minutes' ? String(Math.round(amount * 10) / 10) : String(amount);
}

function counted(kind: BudgetKind, budget: Budget, spend: Spend): number {
  const unbounded = budget.worker_minutes === null && budget.attempts === null;
  if (kind === 'tokens') return spend.tokens_unknown && unbounded ? Infinity : spend.tokens;
  if (kind !== 'money_usd' || !spend.money_unknown) return spend[kind];
  const uncountable = spend.tokens_unknown ?? unpricedTokens(spend) === 0;
  if (uncountable && unbounded) return Infinity;
  return spend.money_usd + (unpricedTokens(spend) * ASSUMED_USD_PER_MILLION_TOKENS) / 1_000_000;
}

function unpricedTokens(spend: Spend): number {
  return spend.money_unknown ? (spend.unpriced_tokens ?? spend.tokens) : 0;
}

/** Compares in millionths, so that 0.1 + 0.2 is within 0.3. The form ensures that NaN is never within a limit. */
function isWithin(used: number, limit: number): boolean {
  return Math.round(used * 1e6) <= Math.round(limit * 1e6);
}
