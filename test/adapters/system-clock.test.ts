import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';

afterEach(() => void vi.useRealTimers());

test('tells the time of every question, also when the system’s clock is put back', () => {
  vi.useFakeTimers();
  const clock = systemClock();
  const times = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.001Z', '2026-03-01T09:59:59.999Z'];
  const told = times.flatMap((time) => {
    vi.setSystemTime(new Date(time));
    return [clock.now(), clock.now()];
  });
  expect(told).toEqual(times.flatMap((time) => [time, time]));
});
