import { expect, test } from 'vitest';
import { distance, nearest } from '../../src/engine/nearest.ts';

test.each([
  ['hagn', ['huge', 'hang'], 'hang'],
  ['desing', ['clarify', 'design'], 'design'],
  ['evidenc', ['evaluation', 'evidence'], 'evidence'],
  ['quick', ['single', 'multi'], null],
])('%s of %s: %s was meant', (typed, allowed, meant) => {
  expect(nearest(typed, allowed)).toBe(meant);
});

test.each([
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['ab', 'ba', 1],
  ['abcd', 'badc', 2],
  ['kitten', 'sitting', 3],
])('from %s to %s it is %d slips', (a, b, slips) => {
  expect([distance(a, b), distance(b, a)]).toEqual([slips, slips]);
});
