import { expect, test } from 'vitest';
import { dayAfter, secondsAfter } from '../../src/engine/calendar.ts';

test.each([
  ['2026-11-18T23:59:59.999Z', 0, '2026-11-18'],
  ['2026-12-31T00:00:00.000Z', 1, '2027-01-01'],
  ['2028-02-28T12:00:00.000Z', 1, '2028-02-29'],
  ['2026-02-28T12:00:00.000Z', 1, '2026-03-01'],
  ['2027-03-01T12:00:00.000Z', 365, '2028-02-29'],
])('%s and %i days: %s', (at, days, day) => {
  expect(dayAfter(at, days)).toBe(day);
});

test.each([
  ['2026-11-18T10:00:00.250Z', 59, '2026-11-18T10:00:59.250Z'],
  ['2026-12-31T23:59:30.000Z', 30, '2027-01-01T00:00:00.000Z'],
  ['2026-11-18T10:00:00Z', 172_801, '2026-11-20T10:00:01Z'],
])('%s and %i seconds: %s', (at, seconds, time) => {
  expect(secondsAfter(at, seconds)).toBe(time);
});
