import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { orElse } from '../../../engine/system-error.ts';
import type { RealPath } from '../../../files/real-path.ts';
import { type ByteName, foldersAbove } from '../../git/names.ts';
import { FOREIGN_FOLDERS } from '../texts/conventions.ts';

/** Which of a list of names exist in the tree. */
export interface Survey {
  /** Regular files and links whose parents are plain folders. */
  readonly files: readonly ByteName[];
  /** Git directories inside the tree and names git cannot store, in any letter case of `.git`. */
  readonly odd: readonly ByteName[];
}

const GIT_NAME = /(?:^|\/)\.git(?=\/|$)/i;

/**
 * Checks every listed name without following a link. A name that ends in a slash is a repository inside the tree. Its
 * files count as files of the tree, its git directory as odd.
 */
export async function survey(root: RealPath, listed: ReadonlySet<ByteName>): Promise<Survey> {
  const folders = new Map<ByteName, Promise<boolean>>();
  const isFolder = (name: ByteName): Promise<boolean> => {
    const known = folders.get(name) ?? kindAt(root, name).then((kind) => kind === 'folder');
    folders.set(name, known);
    return known;
  };
  const odd = new Set<ByteName>();
  const names = new Set<ByteName>();
  for (const name of listed) {
    if (!name.endsWith('/')) names.add(name);
    else for (const inner of await walkBytes(root, name.slice(0, -1))) names.add(inner);
  }
  const files: ByteName[] = [];
  await inParts([...names], async (name) => {
    const strange = GIT_NAME.exec(name);
    if (strange) odd.add(name.slice(0, strange.index + strange[0].length));
    else if (await isHere(root, name, isFolder)) files.push(name);
  });
  const parents = [
    ...folders.keys(),
    ...[...listed].filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)),
  ];
  await inParts(parents, async (folder) => {
    const inner = `${folder}/.git`;
    if ((await isFolder(folder)) && (await kindAt(root, inner)) !== null) odd.add(inner);
  });
  return { files: files.sort(), odd: [...odd].sort() };
}

async function isHere(
  root: RealPath,
  name: ByteName,
  isFolder: (name: ByteName) => Promise<boolean>,
): Promise<boolean> {
  for (const folder of foldersAbove(name)) if (!(await isFolder(folder))) return false;
  const kind = await kindAt(root, name);
  return kind === 'file' || kind === 'link';
}

/** Files below a folder, git directories and folders of tools left out. */
async function walkBytes(root: RealPath, folder: ByteName): Promise<ByteName[]> {
  const found: ByteName[] = [];
  for (const entry of await entriesAt(root, folder)) {
    const name = `${folder}/${entry.name.toString('latin1')}`;
    if (FOREIGN_FOLDERS.has(entry.name.toString('latin1'))) continue;
    if (entry.isDirectory()) found.push(...(await walkBytes(root, name)));
    else found.push(name);
  }
  return found;
}

const AT_ONCE = 64;

async function inParts(names: readonly ByteName[], visit: (name: ByteName) => Promise<void>): Promise<void> {
  for (let n = 0; n < names.length; n += AT_ONCE) await Promise.all(names.slice(n, n + AT_ONCE).map(visit));
}

/** The kind of a listed name. A link is not followed. Null if there is no such entry or it may not be read. */
async function kindAt(root: RealPath, name: ByteName): Promise<'file' | 'link' | 'folder' | 'other' | null> {
  const found = await lstat(bytePath(root, name)).catch(orElse(null));
  if (found === null) return null;
  if (found.isFile()) return 'file';
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'folder' : 'other';
}

/** The largest of the listed files. A missing file counts as empty. */
export async function largestOf(
  root: RealPath,
  names: readonly ByteName[],
): Promise<{ readonly name: ByteName; readonly size: number }> {
  let largest = { name: '' as ByteName, size: 0 };
  for (const name of names) {
    const size = (await lstat(bytePath(root, name)).catch(() => null))?.size ?? 0;
    if (size > largest.size) largest = { name, size };
  }
  return largest;
}

/** Entries of a listed folder by their bytes. Empty if it cannot be read. */
async function entriesAt(root: RealPath, folder: ByteName): Promise<Dirent<Buffer>[]> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  return await readdir(bytePath(root, folder), options).catch(orElse([]));
}

function bytePath(root: RealPath, name: ByteName): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}
