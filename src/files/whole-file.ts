import { constants } from 'node:fs';
import { chmod, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errno } from '../engine/system-error.ts';

interface WholeFile {
  /** Temporary file on the same file system. Whatever an interrupted attempt left there is removed. */
  readonly part: string;
  readonly mode?: number;
  /** Permissions that the file has exactly, whatever the umask. 0: as created. */
  readonly keep?: number;
  /** What is on disk when the write returns. Default: the content and its name. */
  readonly synced?: 'name' | 'content' | 'nothing';
}

/** Replaces a file as a whole: a reader sees the old content or the new one, also after a crash. */
export async function writeWhole(
  file: string,
  content: string | Buffer,
  { part, mode, keep = 0, synced = 'name' }: WholeFile,
): Promise<void> {
  try {
    await writeNew(part, content, { mode, sync: synced !== 'nothing' });
    if (keep !== 0) await chmod(part, keep);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  if (synced === 'name') await syncFolder(dirname(file));
}

/** Creates a complete file. If the name is taken, it returns false and changes nothing. */
export async function createWhole(
  file: string,
  content: string,
  { part, mode, synced = 'name' }: Omit<WholeFile, 'keep'>,
): Promise<boolean> {
  try {
    await writeNew(part, content, { mode, sync: synced !== 'nothing' });
    if (!(await giveName(part, file))) return false;
  } finally {
    await rm(part, { force: true });
  }
  if (synced === 'name') await syncFolder(dirname(file));
  return true;
}

const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function giveName(part: string, file: string): Promise<boolean> {
  try {
    await link(part, file);
    return true;
  } catch (error) {
    if (errno(error) === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(errno(error) ?? '')) throw error;
    if ((await lstat(file).catch(() => null)) !== null) return false;
    await rename(part, file);
    return true;
  }
}

/** Creates a file with this content, on disk when this returns. An older entry of that name is removed. */
async function writeNew(
  file: string,
  content: string | Buffer,
  { mode = 0o666, sync = true }: { readonly mode?: number | undefined; readonly sync?: boolean } = {},
): Promise<void> {
  await rm(file, { recursive: true, force: true });
  await using handle = await open(file, 'wx', mode);
  await handle.writeFile(content);
  if (sync) await handle.sync();
}

/** Writes the names in a folder to disk. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY);
  await handle.sync();
}
