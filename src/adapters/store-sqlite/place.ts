import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mountNameOf, networkFileSystem } from './network-file-system.ts';
import { refuse } from './store-errors.ts';

/** What is asked of `statfs`. */
export type StatFs = (path: string) => { readonly type: number };

/** Makes the directory if need be and refuses a place where SQLite's locks would not hold or nothing can be written. */
export function preparePlace(file: string, statfs: StatFs): void {
  const dir = dirname(file);
  makeDirectory(dir);
  const network = networkFileSystem(statfs(dir).type, () => mountName(dir));
  if (network) {
    const detail = `${dir} is on a network file system (${network}); a database there would be damaged`;
    throw refuse('store_network_fs', detail);
  }
  if (existsSync(file)) accessSync(file, constants.W_OK);
}

/** The name of every directory made is synced too. */
function makeDirectory(path: string): void {
  let there = path;
  while (!existsSync(there)) there = dirname(there);
  // Asked first: on a read-only place a recursive mkdir complains about a missing directory.
  accessSync(there, constants.W_OK);
  const top = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (top === undefined) return;
  for (let made = path; made.length >= top.length; made = dirname(made)) syncPath(dirname(made));
}

function mountName(dir: string): string | null {
  if (!existsSync('/proc/self/mountinfo')) return null;
  return mountNameOf(readFileSync('/proc/self/mountinfo', 'utf8'), realpathSync(dir));
}

/**
 * A file is put in place whole (`placeNew`), so that an empty or foreign one is damage, never a fresh start. A torn
 * last page is damage too, unless a log beside the file can still make it whole; SQLite itself would read it as zeros.
 */
export function assertDatabaseHeader(file: string): void {
  const logged = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const header = Buffer.alloc(18);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, header, 0, header.length, 0);
    if (!header.subarray(0, 16).equals(MAGIC)) throw refuse('store_corrupt', `${file} is not a database`);
    const page = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    if (!logged && fstatSync(fd).size % page !== 0)
      throw refuse('store_corrupt', `${file} has been cut short`);
  } finally {
    closeSync(fd);
  }
}

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');

/** A database that is gone but left its log must not be made anew: SQLite would read that log into the new one. */
export function assertNoLog(file: string): void {
  const log = `${file}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  // Asked for afterwards: another process that is faster makes the file first and its log later.
  if (size > 0 && !existsSync(file))
    throw refuse('store_corrupt', `${file} is gone; its log ${log} is there`);
}

/** Removes what processes that are gone were building beside the file (`placeNew`). */
export function removeUnfinished(file: string): void {
  const dir = dirname(file);
  for (const name of readdirSync(dir)) {
    const pid = name.startsWith(basename(file)) ? UNFINISHED.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dir, name), { force: true });
  }
}

const UNFINISHED = /\.(\d+)-[0-9a-z]+\.new(-wal|-shm|-journal)?$/;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Builds a file under a passing name and gives it its own name only when it is whole and synced. False when the name
 * was taken in the meantime; the file found there stays. What a crash leaves nobody reads, and the next opening removes.
 */
export function placeNew(file: string, build: (path: string) => void): boolean {
  // Not random on purpose: loading node:crypto would cost every command 5 ms.
  const building = `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}.new`;
  try {
    closeSync(openSync(building, 'wx', 0o600));
    build(building);
    syncPath(building);
    const named = giveName(building, file);
    syncPath(dirname(file));
    return named;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(building + suffix, { force: true });
  }
}

function giveName(building: string, file: string): boolean {
  try {
    linkSync(building, file);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') return false;
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    if (existsSync(file)) return false;
    renameSync(building, file);
    return true;
  }
}

function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
