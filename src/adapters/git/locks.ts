import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errno } from '../../engine/system-error.ts';
import { listFolder, readSmallFile, removeFile, statOf } from '../../files/real-files.ts';
import { child, type RealPath } from '../../files/real-path.ts';
import type { GitRun } from './git.ts';

/**
 * Runs a git call that moves one of our refs. If a killed git left its lock on that ref, the lock is removed and the
 * call is repeated once. A lock of any other ref, or of a running git, is left alone.
 */
export async function onOwnRef(ref: string, call: () => Promise<GitRun | null>): Promise<GitRun | null> {
  const done = await call();
  const lock = done === null || done.code === 0 ? null : lockOn(ref, done.stderr);
  if (lock === null || !(await becomesAbandoned(lock.file, lock.commonDir))) return done;
  await removeFile(lock.file);
  return await call();
}

function lockOn(ref: string, stderr: string): { file: RealPath; commonDir: RealPath } | null {
  const end = `/${ref}.lock`;
  const file = /Unable to create '(\/.+)': File exists/.exec(stderr)?.[1];
  if (!file?.endsWith(end)) return null;
  return { file: file as RealPath, commonDir: file.slice(0, -end.length) as RealPath };
}

/** Start times have steps of 10 ms and are added to a boot time in whole seconds. */
const INEXACT_MS = 2000;

/** If processes cannot be listed, a file of git is left alone for this long. */
const UNSURE_MS = 60_000;

/** How long a running git may still need for one ref. */
const WAIT_MS = 2000;
const POLL_MS = 50;

/**
 * Whether a killed git left this lock or temporary file. The file must be older than this process or than WAIT_MS. No
 * git that started before the file was written may work in the repository. Reads `/proc`. Without it the age of the
 * file alone decides.
 */
export async function isAbandoned(file: RealPath, commonDir: RealPath): Promise<boolean> {
  const found = await statOf(file);
  if (found === null) return false;
  const written = Number(found.mtimeMs);
  const running = await olderGit(commonDir, written);
  if (running === null) return written < Date.now() - UNSURE_MS;
  return !running && (written < performance.timeOrigin || written < Date.now() - WAIT_MS);
}

/** Repeats `isAbandoned` for a while: a git that outlived its Baton is about to end. */
async function becomesAbandoned(file: RealPath, commonDir: RealPath): Promise<boolean> {
  for (let n = 0; n * POLL_MS < WAIT_MS; n += 1) {
    if (await isAbandoned(file, commonDir)) return true;
    await wait(POLL_MS);
  }
  return isAbandoned(file, commonDir);
}

/** Whether a git that started before this time works in the repository. Null if processes cannot be listed. */
async function olderGit(commonDir: RealPath, before: number): Promise<boolean | null> {
  const uptime = await readFile('/proc/uptime', 'utf8').catch(() => null);
  if (uptime === null) return null;
  const booted = Date.now() - Number(uptime.split(' ')[0]) * 1000;
  const folders = [commonDir, dirname(commonDir), ...(await linkedTrees(commonDir))];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const started = await startOfGit(pid);
    if (started === null || booted + started > before + INEXACT_MS) continue;
    if (await worksIn(pid, folders)) return true;
  }
  return false;
}

async function linkedTrees(commonDir: RealPath): Promise<string[]> {
  const folder = child(commonDir, 'worktrees');
  if ((await statOf(folder)) === null) return [];
  const files = (await listFolder(folder)).map(({ name }) => child(child(folder, name), 'gitdir'));
  const named = await Promise.all(files.map(readSmallFile));
  return named.flatMap((text) => (text === null ? [] : [dirname(text.trim())]));
}

/** Milliseconds after boot at which a process started. Null if it is not a running git. */
async function startOfGit(pid: string): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!basename(name).startsWith('git') || 'ZX'.includes(fields[0] ?? 'Z')) return null;
  return Number(fields[19]) * 10;
}

/** Checks its folder and its open files. A process that may not be inspected counts. */
async function worksIn(pid: string, folders: readonly string[]): Promise<boolean> {
  const isInside = (path: string) => folders.some((folder) => `${path}/`.startsWith(`${folder}/`));
  try {
    if (isInside(await readlink(`/proc/${pid}/cwd`))) return true;
    const files = await readdir(`/proc/${pid}/fd`);
    const paths = await Promise.all(files.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    return paths.some(isInside);
  } catch (error) {
    return errno(error) !== 'ENOENT';
  }
}

/**
 * Our git never holds a lock longer than this. The person's hooks may, but they run in a commit that is ended first.
 */
const STALE_MS = 2000;

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
