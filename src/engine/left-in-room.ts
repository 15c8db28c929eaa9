/**
 * Programs that were still running in a sandbox when its command ended, from its listed lines of /proc/<pid>/stat.
 * The sandbox's first process and zombies do not count.
 */
export function leftInRoom(listed: string): string[] {
  return listed.split('\n').flatMap((line) => {
    const [, pid, program] = /^(\d+) \((.*)\) [^ZX]/.exec(line) ?? [];
    return program === undefined || pid === '1' ? [] : [program];
  });
}
