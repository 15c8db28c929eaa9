import { setTimeout as wait } from 'node:timers/promises';
import { listFolder, removeFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';

/**
 * Our git never holds a lock longer than this. The person's hooks may, but they run in a commit that is ended first.
 */
const STALE_MS = 2000;
const POLL_MS = 50;

/**
 * Removes locks that a killed git left in a directory that only our own git uses. A young lock may belong to a git that
 * briefly outlived its Baton, so this waits for it. Locks of indexes have their own names and do not block other
 * processes.
 */
export async function removeLocks(gitDir: RealPath): Promise<void> {
  for (const lock of [...(await locksIn(gitDir)), ...(await locksBelow(child(gitDir, 'refs')))]) {
    // Limited by the number of checks too: if the clock was set back, the time of the lock is in the future.
    for (let n = 0; n * POLL_MS < STALE_MS && !(await isStale(lock)); n += 1) await wait(POLL_MS);
    await removeFile(lock);
  }
}

async function isStale(lock: RealPath): Promise<boolean> {
  const found = await statOf(lock);
  return found === null || Number(found.mtimeMs) < Date.now() - STALE_MS;
}

async function locksIn(folder: RealPath): Promise<RealPath[]> {
  const entries = await listFolder(folder);
  const names = entries.map(({ name }) => name).filter((name) => /^(?!index\.).*\.lock$/.test(name));
  return names.map((name) => child(folder, name));
}

/** Lock files anywhere below a folder. Empty if there is no such folder. */
export async function locksBelow(folder: RealPath): Promise<RealPath[]> {
  if ((await statOf(folder)) === null) return [];
  const found = await locksIn(folder);
  for (const entry of await listFolder(folder))
    if (entry.isDirectory()) found.push(...(await locksBelow(child(folder, entry.name))));
  return found;
}
