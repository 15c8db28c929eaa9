/** Processor time of a piece of work: unlike its duration it does not grow when the machine has other things to do. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
