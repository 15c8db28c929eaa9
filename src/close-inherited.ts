import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Flag of a descriptor that a started program does not get. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the descriptors that this process inherited from the person's shell, before it starts its first process.
 * Without this, a worker could read the person's files through them, even in a sandbox. Node itself makes descriptors
 * below 16 unreachable.
 * Only for the entry of a program, because in a library a descriptor may belong to another part of the process. A file
 * that the person passed as `<(command)` can be read until the first process starts.
 */
export function closeInherited(): void {
  const close = () => {
    unsubscribe('child_process', close);
    for (const fd of inherited()) closeSync(fd);
  };
  if (process.platform === 'linux') subscribe('child_process', close);
}

function inherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

/** Node and SQLite open everything with this flag, so a descriptor without it came from outside. */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // the descriptor of the listing itself, closed by now
  }
}
