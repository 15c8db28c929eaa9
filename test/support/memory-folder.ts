import { statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** A container often has 64 MB there, which is not enough. */
const LEAST_BYTES = 2 ** 31;

/**
 * Has this process and its children make their temporary folders in memory, where the machine has room for it: tests
 * that use git take half the time. A `TMPDIR` that is set already stays.
 */
export default function useMemoryFolder(): void {
  if (process.env.TMPDIR === undefined && freeBytes() >= LEAST_BYTES) process.env.TMPDIR = MEMORY;
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0; // macOS does not have it
  }
}
