import { expect, test } from 'vitest';
import { randomIds } from '../../src/adapters/clock.ts';

const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';

test('an id has the length asked for and only letters that cannot be mistaken, each of them in use', () => {
  const ids = randomIds();
  for (const length of [1, 3, 6, 40])
    expect(ids.short(length)).toMatch(new RegExp(`^[${LETTERS}]{${length}}$`));
  const seen = new Set(ids.short(10_000));
  expect([...seen].sort().join('')).toBe([...LETTERS].sort().join(''));
});
