import { writeSync } from 'node:fs';
import type { Exit } from '../../ports/processes.ts';
import type { StreamRecord } from './record.ts';

// What worker processes of our own have in common. Loads nothing but Node, so that they start fast.

const STDOUT = 1;
const INTERRUPTED = 130;

/** Writes one record; it is in the file when this returns. Gives how many bytes it takes there. */
export function say(record: StreamRecord): number {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(STDOUT, line, at);
  return line.length;
}

/**
 * Ends a worker as the program it drove has ended. One that was told to stop, or was ended from outside, has not come
 * to its own end: no closing is written, since a sweep must not make a finished call of half a one.
 */
export function endBy({ code, signal }: Exit, stopped: boolean): void {
  if (signal !== null) process.kill(process.pid, 'SIGKILL');
  if (stopped) process.exit(INTERRUPTED);
  say({ type: 'closing', exit: code ?? 1 });
  process.exit(code ?? 1);
}
