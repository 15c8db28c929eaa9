import { readFileSync } from 'node:fs';

/**
 * How many bytes a piece of work and the programs it ran to their end have read. The kernel counts them, so the same
 * work gives about the same number on any machine; what a program maps into memory instead is not among them.
 */
export async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  const before = readSoFar();
  await work();
  return readSoFar() - before;
}

function readSoFar(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
