import { failure } from '../engine/errors.ts';
import { errno, systemFailure } from '../engine/system-error.ts';

/** Runs a file operation. An error of the system becomes an AdapterError. Any other error passes unchanged. */
export async function withIo<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const code = errno(error);
    if (code === null) throw error;
    const isFull = systemFailure(error)?.code === 'disk_full';
    throw failure(isFull ? 'disk_full' : 'io_failed', `${what}: ${code}`, {
      retry: isFull ? 'transient' : 'permanent',
      cause: error,
    });
  }
}
