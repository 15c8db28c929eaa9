import { setTimeout as wait } from 'node:timers/promises';
import { listFolder, removeFile, statOf } from '../files.ts';
import { child, type RealPath } from '../real-path.ts';

/** No git of ours holds one of these longer: the person's hooks, which may, run in a commit that is ended first. */
const STALE_MS = 2000;
const LOOK_MS = 50;

/**
 * Removes locks a killed git left in a directory only our own git works in. A young one may be held by a git that
 * outlived its Baton for a moment: it is waited for. Indexes have names of their own and stand in nobody's way.
 */
export async function removeLocks(gitDir: RealPath): Promise<void> {
  for (const lock of [...(await locksIn(gitDir)), ...(await locksBelow(child(gitDir, 'refs')))]) {
    // Bounded by looks and not by its time alone, which a clock that was set back puts into the future.
    for (let n = 0; n * LOOK_MS < STALE_MS && !(await isStale(lock)); n += 1) await wait(LOOK_MS);
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

async function locksBelow(folder: RealPath): Promise<RealPath[]> {
  const found = await locksIn(folder);
  for (const entry of await listFolder(folder))
    if (entry.isDirectory()) found.push(...(await locksBelow(child(folder, entry.name))));
  return found;
}
