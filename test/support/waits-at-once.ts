import { vi } from 'vitest';

/** Lets every timer pass at once until it is disposed of, and tells how many milliseconds would have been waited. */
export function waitsAtOnce(): Disposable & { total(): number } {
  let total = 0;
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
    total += ms;
    return setImmediate(done);
  }) as unknown as typeof setTimeout);
  return { total: () => total, [Symbol.dispose]: () => timers.mockRestore() };
}
