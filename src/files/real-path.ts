import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { failure } from '../engine/errors.ts';
import type { LexicalPath } from '../engine/paths.ts';
import { errno, orElse } from '../engine/system-error.ts';

declare const real: unique symbol;

/**
 * A path without links in its parent folders at the time it was created. Created only in this file. File operations
 * accept only this kind of path, and no file operation follows its last part (WF-77).
 */
export type RealPath = string & { readonly [real]: true };

type Leaf = 'missing' | 'link' | 'folder' | 'file' | 'special';

/** Where a lexical path really leads. Missing parts stay as they were written. */
export interface Sighting {
  readonly leaf: Leaf;
  /** The parents lead to another place than the root and the relative path say (SP-16). */
  readonly linkedParent: boolean;
  /** Real parent folder and the last part. */
  readonly real: string;
}

export type Resolved =
  | { readonly ok: true; readonly path: RealPath; readonly leaf: Exclude<Leaf, 'link'> }
  | { readonly ok: false; readonly rule: 'link' | 'linked_parent' };

/** The real path of a folder, through any links. Throws `folder_missing`. */
export async function realFolder(path: string): Promise<RealPath> {
  try {
    const found = await realpath(path);
    if ((await lstat(found)).isDirectory()) return found as RealPath;
  } catch (error) {
    if (errno(error) === null) throw error;
    throw failure('folder_missing', `${path}: ${errno(error)}`, { cause: error });
  }
  throw failure('folder_missing', `${path}: not a folder`);
}

/** One step down from a real folder. The name is a single part, so the result cannot leave the folder. */
export function child(folder: RealPath, name: string): RealPath {
  if (name === '' || name === '.' || name === '..' || name.includes(sep) || name.includes('\0'))
    throw failure('path_refused', `${JSON.stringify(name)} is not a file name`);
  return join(folder, name) as RealPath;
}

/** The real path of a path that git itself listed below this folder. Git does not list anything behind a link. */
export function listedPath(folder: RealPath, path: string): RealPath {
  const parts = path.replace(/\/$/, '').split('/');
  return parts.reduce(child, folder);
}

/** Compares the real path with the real root and the relative path, so a project below a link still works. */
export async function resolvePath(root: RealPath, path: LexicalPath): Promise<Resolved> {
  const seen = await sight(root, path);
  if (seen.leaf === 'link') return { ok: false, rule: 'link' };
  if (seen.linkedParent) return { ok: false, rule: 'linked_parent' };
  return { ok: true, path: seen.real as RealPath, leaf: seen.leaf };
}

/** Examines a path without opening it. Throws the system's error if a part of it may not be read. */
export async function sight(root: RealPath, path: LexicalPath): Promise<Sighting> {
  const asked = join(root, path);
  const leaf = await leafOf(asked);
  const parent = await realParent(dirname(asked));
  return {
    leaf,
    linkedParent: parent !== dirname(asked),
    real: join(parent, asked.slice(dirname(asked).length)),
  };
}

/** Names in a folder below the root, or in the root itself, links followed. Empty if there is no such folder. */
export async function namesIn(root: RealPath, folder: LexicalPath | null): Promise<string[]> {
  return await readdir(join(root, folder ?? '.')).catch(orElse([]));
}

/** True if the folder is still where its path says. Checked again after a file was read or a folder created. */
export async function isStillReal(path: RealPath): Promise<boolean> {
  return (await realParent(dirname(path))) === dirname(path);
}

/**
 * True for a link that leads out of the tree or into its git directory, by its text or by its real target. A link may
 * also return into the tree by the name of a folder above it. It counts too, because it is broken on another machine.
 */
export async function leavesTree(root: RealPath, path: string): Promise<boolean> {
  const at = resolve(root, path);
  try {
    const target = await readlink(at);
    const climbs = normalize(join(dirname(path), target)).split(sep)[0] === '..';
    if (isAbsolute(target) || climbs || isOutside(root, resolve(dirname(at), target))) return true;
    return isOutside(root, await realpath(at));
  } catch (error) {
    if (errno(error) === null) throw error;
    return errno(error) !== 'ENOENT';
  }
}

function isOutside(root: RealPath, path: string): boolean {
  const [first] = relative(root, path).split(sep);
  return first === '..' || first === '.git';
}

async function leafOf(path: string): Promise<Leaf> {
  const found = await lstat(path).catch(orElse(null, 'ENOENT', 'ENOTDIR', 'ELOOP'));
  if (found === null) return 'missing';
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'special';
}

async function realParent(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const code = errno(error);
    if (code === 'ELOOP') return '';
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const above = dirname(folder);
    // A broken link exists although its target does not.
    if ((await leafOf(folder)) === 'link') return '';
    return above === folder ? folder : join(await realParent(above), folder.slice(above.length));
  }
}
