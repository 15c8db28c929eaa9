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
import { failure } from '../../engine/errors.ts';
import { errno } from '../../engine/system-error.ts';

/** The part of `statfs` that is used. */
export type StatFs = (path: string) => { readonly type: number };

/** Creates the directory if needed. Refuses a location that is not writable or where SQLite's locks would not hold. */
export function prepareLocation(file: string, statfs: StatFs): void {
  const dir = dirname(file);
  makeDirectory(dir);
  const network = networkFileSystem(statfs(dir).type, () => mountName(dir));
  if (network) {
    const detail = `${dir} is on a network file system (${network}); a database there would be damaged`;
    throw failure('store_network_fs', detail);
  }
  if (existsSync(file)) accessSync(file, constants.W_OK);
}

/** Also syncs the parent of every directory it creates. */
function makeDirectory(path: string): void {
  let there = path;
  while (!existsSync(there)) there = dirname(there);
  // Checked first: on a read-only location a recursive mkdir complains about a missing directory.
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
 * A file appears only when it is complete (`createAt`), so an empty or foreign one is damage, never a fresh start. A
 * torn last page is damage too, unless a log beside the file can still repair it. SQLite itself would read that page as
 * zeros.
 */
export function assertDatabaseHeader(file: string): void {
  const logged = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const header = Buffer.alloc(18);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, header, 0, header.length, 0);
    if (!header.subarray(0, 16).equals(MAGIC)) throw failure('store_corrupt', `${file} is not a database`);
    const page = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    if (!logged && fstatSync(fd).size % page !== 0)
      throw failure('store_corrupt', `${file} has been cut short`);
  } finally {
    closeSync(fd);
  }
}

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');

/** If a database is missing but its log exists, no new database may be created: SQLite would read that log into it. */
export function assertNoLog(file: string): void {
  const log = `${file}-wal`;
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  // Checked after the size: a faster process creates the file first and its log later.
  if (size > 0 && !existsSync(file))
    throw failure('store_corrupt', `${file} is gone; its log ${log} is there`);
}

/**
 * Without the database, the files beside it belong to runs that are no longer recorded. A new database would hide that.
 */
export function assertNothingLost(file: string): void {
  const dir = dirname(file);
  const backups = readdirSync(dir).filter((name) => name.startsWith(basename(file)) && name.endsWith('.bak'));
  const full = [...['trees', 'artefacts', 'calls'].filter((name) => isFilled(join(dir, name))), ...backups];
  if (full.length > 0 && !existsSync(file))
    throw failure('store_missing', `${file} is missing, but files of runs are beside it: ${full.join(', ')}`);
}

function isFilled(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** Removes the files that ended processes were building beside the database (`createAt`). */
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
    return errno(error) === 'EPERM';
  }
}

/**
 * Builds a file under a temporary name and gives it its own name only when it is complete and synced. Returns false if
 * that name was taken meanwhile. The existing file then stays. Files left by a crash are never read, and the next
 * opening removes them.
 */
export function createAt(file: string, build: (path: string) => void): boolean {
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
    const code = errno(error);
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

/** Linux file system types (`statfs`) whose locks or shared memory do not hold between machines. */
const BY_TYPE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x564c, 'ncp'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'kafs'],
  [0x73757245, 'coda'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x47504653, 'gpfs'],
  [0xaad7aaea, 'panfs'],
  [0x19830326, 'beegfs'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
]);

const FUSE = 0x65735546;

/** FUSE programs that use a network. Container overlays and local disks behind FUSE are allowed. */
const NETWORK_FUSE: ReadonlySet<string> = new Set(
  'sshfs rclone s3fs gcsfuse glusterfs ceph ceph-fuse davfs curlftpfs juicefs goofys blobfuse blobfuse2 mfs'
    .split(' ')
    .map((program) => `fuse.${program}`),
);

/**
 * The name of the network file system for a `statfs` type. Null for any other type. All FUSE programs have the same
 * type, so the name of the mount decides there.
 */
export function networkFileSystem(type: number, mountName: () => string | null): string | null {
  const unsigned = type >>> 0;
  if (unsigned !== FUSE) return BY_TYPE.get(unsigned) ?? null;
  const name = mountName();
  return name !== null && NETWORK_FUSE.has(name) ? name : null;
}

/** File system name of the mount that holds the path, from the text of `/proc/self/mountinfo`. */
export function mountNameOf(mountinfo: string, path: string): string | null {
  let best: { point: string; name: string } | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const point = before?.split(' ')[4]?.replaceAll('\\040', ' ');
    const name = after?.split(' ')[0];
    if (!point || !name) continue;
    const holds = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (holds && point.length >= (best?.point.length ?? 0)) best = { point, name };
  }
  return best?.name ?? null;
}
