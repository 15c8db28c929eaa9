/** Waits for all that was started together; of several failures the first in this order is the one thrown. */
export async function together<T extends readonly unknown[] | []>(
  started: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(started);
  return await Promise.all(started);
}
