import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { orElse } from '../engine/system-error.ts';
import { listFolder, statOf } from './real-files.ts';
import { child, type RealPath } from './real-path.ts';
import { writeWhole } from './whole-file.ts';

/** Creates a folder and its parents. It is private to the person. */
export async function makePrivate(path: RealPath): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Writes a file of the state directory, whole or not at all. */
export async function writeState(folder: RealPath, name: string, content: string): Promise<void> {
  const part = child(folder, `.${name}.${randomBytes(4).toString('hex')}.part`);
  await writeWhole(child(folder, name), content, { part, synced: 'content' });
}

/** Writes files below a folder that no other process uses yet. Folders in the names are created. */
export async function fillFolder(folder: RealPath, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const at = name.split('/').reduce(child, folder);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text);
  }
}

/** Moves a file or folder. A file replaces an existing file. A folder replaces only an empty folder. */
export async function moveTo(from: RealPath, to: RealPath): Promise<void> {
  await rename(from, to);
}

/**
 * Copies an index of git. False if the index does not exist. The copy is not younger than the original. Git trusts a
 * file's time only if the file is older than the index.
 */
export async function copyIndex(from: RealPath, to: RealPath): Promise<boolean> {
  const copy = async () => {
    const before = await stat(from);
    await copyFile(from, to);
    const seconds = Math.floor(before.mtimeMs / 1000);
    await utimes(to, seconds, seconds);
    return true;
  };
  return await copy().catch(orElse(false, 'ENOENT'));
}

/** Copies a file's bytes, or a link's target as text. */
export async function copyContent(from: RealPath, to: RealPath, isLink: boolean): Promise<void> {
  if (isLink) await writeFile(to, await readlink(from));
  else await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** Sets a file's time to now. */
export async function touch(path: RealPath): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

/** A folder of our own for the duration of one operation. */
export async function temporaryFolder(): Promise<RealPath> {
  return (await realpath(await mkdtemp(join(tmpdir(), 'baton-')))) as RealPath;
}

/**
 * Removes a file, link or folder with everything below it. A link is removed, not followed. A missing path does not
 * count as an error.
 */
export async function removeTree(path: RealPath): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true }).then(() => true);
  if (await remove().catch(orElse(false, 'EACCES', 'EPERM'))) return;
  await openRights(path);
  await remove();
}

/**
 * Makes a folder of ours readable again. The owner gets back the right to read and write everything below it. Links are
 * skipped. Entries that are neither file nor folder are removed: snapshots do not contain pipes, and git would wait at
 * one for ever.
 */
export async function openRights(path: RealPath): Promise<void> {
  const found = await statOf(path);
  if (found === null || found.isSymbolicLink()) return;
  if (!found.isDirectory() && !found.isFile()) return await rm(path, { force: true });
  const mode = Number(found.mode) & 0o777;
  const wanted = mode | (found.isDirectory() ? 0o700 : 0o600);
  if (wanted !== mode) await chmod(path, wanted);
  if (!found.isDirectory()) return;
  for (const entry of await listFolder(path)) await openRights(child(path, entry.name));
}
