import { type BigIntStats, constants, type Dirent } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rm,
  rmdir,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Hash } from '../contract/ids.ts';
import { orElse } from '../engine/system-error.ts';
import { child, type RealPath } from './real-path.ts';
import { createWhole, syncFolder, writeWhole } from './whole-file.ts';

/** Opens a file for reading without following a link and without waiting for the other end of a pipe. */
export type OpenFile = (path: RealPath) => Promise<FileHandle>;

/** Every file that is read is opened with this function. */
export const openFile: OpenFile = (path) =>
  open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);

/** The entry at a path. A link is not followed. Null if there is no entry. */
export async function statOf(path: RealPath): Promise<BigIntStats | null> {
  return await lstat(path, { bigint: true }).catch(orElse(null, 'ENOENT', 'ENOTDIR'));
}

/** Content address of a text or of bytes, the same as for an artefact of that text. */
export function sha256(content: string | Buffer): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').createHash('sha256').update(content).digest('hex')}`;
}

/** Hash of a regular file's bytes or of a link's target. Null if neither exists or it cannot be read. */
export async function hashOf(path: RealPath): Promise<Hash | null> {
  const found = await statOf(path);
  if (found?.isSymbolicLink()) return sha256(await readlink(path));
  if (!found?.isFile()) return null;
  return await hashContent(path).catch(orElse(null));
}

async function hashContent(path: RealPath): Promise<Hash> {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  await using handle = await openFile(path);
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

/** Text of a small file that we wrote ourselves. Null if there is no regular file at the path. */
export async function readSmallFile(path: RealPath): Promise<string | null> {
  return (await readOwnBytes(path))?.toString('utf8') ?? null;
}

/** Bytes of a regular file. Null if there is no regular file at the path. */
export async function readOwnBytes(path: RealPath): Promise<Buffer | null> {
  if (!(await statOf(path))?.isFile()) return null;
  await using handle = await openFile(path).catch(orElse(null, 'ENOENT'));
  return (await handle?.readFile()) ?? null;
}

/** Entries of a folder, links as links. */
export function listFolder(folder: RealPath): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true });
}

/** Creates one folder. An existing one is left as it is. Its name is on disk when this returns. */
export async function makeFolder(path: RealPath): Promise<void> {
  await mkdir(path).catch(orElse(undefined, 'EEXIST'));
  await syncFolder(dirname(path) as RealPath);
}

/**
 * Replaces a file as a whole. `tag` determines the name of the temporary file, so a repeat removes what an interrupted
 * attempt left.
 */
export function replaceFile(folder: RealPath, name: string, text: string, tag: string): Promise<void> {
  return writeWhole(child(folder, name), text, { part: child(folder, `.${name}.${tag}.part`) });
}

/** Creates a complete file. If the name is taken, it returns false and changes nothing. */
export function createFile(folder: RealPath, name: string, text: string, tag: string): Promise<boolean> {
  return createWhole(child(folder, name), text, { part: child(folder, `.${name}.${tag}.part`) });
}

/** Replaces a file as a whole with the same permissions. Missing folders above it are created. */
export async function replaceBytes(at: RealPath, content: Buffer, tag: string): Promise<void> {
  await makeParents(dirname(at) as RealPath);
  const part = `${at}.${tag}.part`;
  const mode = Number((await statOf(at))?.mode ?? 0) & 0o777;
  await writeWhole(at, content, { part, synced: 'content', keep: mode });
}

async function makeParents(folder: RealPath): Promise<void> {
  if ((await statOf(folder)) !== null) return;
  await makeParents(dirname(folder) as RealPath);
  await makeFolder(folder);
}

/** Removes a folder if it is empty. */
export async function removeEmpty(folder: RealPath): Promise<void> {
  await rmdir(folder).catch(orElse(undefined, 'ENOTEMPTY', 'EEXIST', 'ENOENT'));
}

/** Removes a folder with everything below it. Links are removed, not followed. Permissions are not changed for this. */
export async function removeFolder(folder: RealPath): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await syncFolder(dirname(folder) as RealPath);
}

/** Removes a file or link. A missing one does not count as an error. */
export async function removeFile(path: RealPath): Promise<void> {
  await unlink(path).catch(orElse(undefined, 'ENOENT'));
}

/** Appends a text to a file in one write, on disk when this returns. */
export async function appendText(path: RealPath, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  await using handle = await open(path, flags | constants.O_NONBLOCK, 0o666);
  await handle.write(text);
  await handle.sync();
}

/** Bytes that a person without special rights can still write on the file system of this folder. */
export async function freeBytes(folder: RealPath): Promise<number> {
  const found = await statfs(folder);
  return found.bavail * found.bsize;
}
