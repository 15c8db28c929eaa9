/** Waits for everything that was started together. If several fail, the first in this order is thrown. */
export async function together<T extends readonly unknown[] | []>(
  started: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(started);
  return await Promise.all(started);
}
