import { writeSync } from 'node:fs';
import type { Exit } from '../../ports/processes.ts';
import type { StreamRecord } from './record.ts';

// Code shared by our own worker processes. It loads only Node, so that they start fast.

const STDOUT = 1;
const INTERRUPTED = 130;

/** Writes one record and returns its size in bytes. When this returns, the record is in the file. */
export function say(record: StreamRecord): number {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(STDOUT, line, at);
  return line.length;
}

/**
 * Ends a worker in the same way as the program it drove. If the program was asked to stop or killed from outside, no
 * closing is written. A killed call must not look like a finished one.
 */
export function endBy({ code, signal }: Exit, stopped: boolean): void {
  if (signal !== null) process.kill(process.pid, 'SIGKILL');
  if (stopped) process.exit(INTERRUPTED);
  say({ type: 'closing', exit: code ?? 1 });
  process.exit(code ?? 1);
}
