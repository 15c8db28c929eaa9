import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addAttempt,
  amountText,
  type Budget,
  exceeded,
  leftOf,
  NO_SPEND,
  type Spend,
} from '../../src/engine/budget.ts';

const unlimited: Budget = { money_usd: null, tokens: null, worker_minutes: null, attempts: null };
const budget = (limits: Partial<Budget>): Budget => ({ ...unlimited, ...limits });
const spend = (used: Partial<Spend>): Spend => ({ ...NO_SPEND, ...used });
const spent = (...costs: Parameters<typeof addAttempt>[1][]) => costs.reduce(addAttempt, NO_SPEND);

describe('a budget', () => {
  test.each([
    ['without limits is never exceeded', {}, { money_usd: 1e9, tokens: 1e12, attempts: 1e6 }, {}, null],
    ['used up exactly still holds', { money_usd: 5 }, { money_usd: 5 }, {}, null],
    ['is exceeded by the smallest step above', { money_usd: 5 }, { money_usd: 5.000001 }, {}, 'money_usd'],
    ['of zero allows zero', { attempts: 0 }, {}, {}, null],
    ['of zero allows nothing more', { attempts: 0 }, {}, { attempts: 1 }, 'attempts'],
    ['counts what is reserved', { attempts: 3 }, { attempts: 3 }, { attempts: 1 }, 'attempts'],
    ['counts minutes', { worker_minutes: 60 }, { worker_minutes: 60.5 }, {}, 'worker_minutes'],
    ['names money first', { money_usd: 1, tokens: 1 }, { money_usd: 2, tokens: 2 }, {}, 'money_usd'],
    ['does not trip over binary fractions', { money_usd: 0.3 }, { money_usd: 0.1 + 0.2 }, {}, null],
    ['does not hold for what is not a number', { tokens: 10 }, { tokens: Number.NaN }, {}, 'tokens'],
  ] as const)('%s', (...[, limits, used, reserve, expected]) => {
    expect(exceeded(budget(limits), spend(used), reserve)?.kind ?? null).toBe(expected);
  });
});

test('a limit that was passed is told with its figures, and what is left is never less than nothing', () => {
  const limits = budget({ money_usd: 1, attempts: 2 });
  const used = spend({ money_usd: 1.25, attempts: 2 });
  expect(exceeded(limits, used)).toEqual({ kind: 'money_usd', used: 1.25, limit: 1 });
  expect(exceeded(limits, spend({ attempts: 2 }), { attempts: 1 })).toEqual({
    kind: 'attempts',
    used: 2,
    limit: 2,
  });
  expect(leftOf('money_usd', limits, used)).toBe(0);
  expect(leftOf('money_usd', limits, spend({ money_usd: 0.25 }))).toBe(0.75);
  expect(leftOf('tokens', limits, used)).toBeNull();
});

test.each([
  ['money_usd', 1.239, '$1.24'],
  ['tokens', 12_000, '12000'],
  ['worker_minutes', 0.26, '0.3'],
  ['attempts', 3, '3'],
  ['money_usd', Infinity, '?'],
] as const)('an amount of %s, %d, is written %s', (kind, amount, text) => {
  expect(amountText(kind, amount)).toBe(text);
});

describe('unknown money', () => {
  const unpriced = { money_usd: null, tokens: 1_000_000, worker_minutes: 1 };
  const silent = { money_usd: null, tokens: null, worker_minutes: 1 };

  test('is counted from its tokens, never as zero', () => {
    expect(exceeded(budget({ money_usd: 2.99 }), spent(unpriced))?.kind ?? null).toBe('money_usd');
    expect(exceeded(budget({ money_usd: 3 }), spent(unpriced))).toBeNull();
  });

  test('adds to the known money, and tokens that have a price are not counted twice', () => {
    const mixed = spent({ money_usd: 1, tokens: 4_000_000, worker_minutes: 1 }, unpriced);
    expect(mixed).toMatchObject({ money_usd: 1, tokens: 5_000_000, unpriced_tokens: 1_000_000, attempts: 2 });
    expect(exceeded(budget({ money_usd: 4 }), mixed)).toBeNull();
    expect(exceeded(budget({ money_usd: 3.99 }), mixed)?.kind ?? null).toBe('money_usd');
  });

  test('counts all tokens when nobody said which ones have no price', () => {
    const {
      unpriced_tokens: _,
      tokens_unknown: __,
      ...bare
    } = spend({ tokens: 1_000_000, money_unknown: true });
    expect(exceeded(budget({ money_usd: 2 }), bare)?.kind ?? null).toBe('money_usd');
    expect(exceeded(budget({ money_usd: 2 }), { ...bare, tokens: 0 })?.kind ?? null).toBe('money_usd');
  });

  test('without tokens needs a limit on minutes or attempts, else the limit counts as exceeded', () => {
    expect(exceeded(budget({ money_usd: 5 }), spent(silent))?.kind ?? null).toBe('money_usd');
    expect(exceeded(budget({ tokens: 5 }), spent(silent))?.kind ?? null).toBe('tokens');
    expect(exceeded(budget({ money_usd: 5, worker_minutes: 60 }), spent(silent))).toBeNull();
    expect(exceeded(budget({ money_usd: 5, attempts: 1 }), spent(silent, silent))?.kind ?? null).toBe(
      'attempts',
    );
  });

  test('one call without a price is not forgotten after calls with one', () => {
    const priced = { money_usd: 0, tokens: 0, worker_minutes: 0 };
    expect(spent(unpriced, priced, priced)).toMatchObject({
      money_unknown: true,
      unpriced_tokens: 1_000_000,
    });
  });
});

test('more spend never brings a run back within its budget', () => {
  const amount = fc.nat({ max: 1_000_000 });
  const cost = fc.record({
    money_usd: fc.option(fc.nat({ max: 100 })),
    tokens: fc.option(amount),
    worker_minutes: fc.nat({ max: 100 }),
  });
  const limits = fc.record({
    money_usd: fc.option(fc.nat({ max: 200 })),
    tokens: fc.option(amount),
    worker_minutes: fc.option(fc.nat({ max: 200 })),
    attempts: fc.option(fc.nat({ max: 5 })),
  });
  fc.assert(
    fc.property(limits, fc.array(cost, { maxLength: 6 }), cost, (limit, costs, more) => {
      const before = spent(...costs);
      if (exceeded(limit, before) !== null) expect(exceeded(limit, addAttempt(before, more))).not.toBeNull();
    }),
  );
});
