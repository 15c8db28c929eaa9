import { readFileSync } from 'node:fs';

/** Processor time of a piece of work: unlike its duration it does not grow when the machine has other things to do. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The same of the programs a piece of work runs to their end, in ticks of the system. */
export async function cpuTimeOfChildren(work: () => Promise<unknown>): Promise<number> {
  const before = ticksOfChildren();
  await work();
  return ticksOfChildren() - before;
}

/** User and system time of children that were waited for: fields 16 and 17, counted from 1. */
function ticksOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[13]) + Number(fields[14]);
}
