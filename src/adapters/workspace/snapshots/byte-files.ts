import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { errno } from '../../../engine/system-error.ts';
import type { RealPath } from '../../../files/real-path.ts';
import type { ByteName } from '../../git/names.ts';

/** The kind of a listed name. A link is not followed. Null if there is no such entry or it may not be read. */
export async function kindAt(
  root: RealPath,
  name: ByteName,
): Promise<'file' | 'link' | 'folder' | 'other' | null> {
  try {
    const found = await lstat(bytePath(root, name));
    if (found.isFile()) return 'file';
    if (found.isSymbolicLink()) return 'link';
    return found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (errno(error) === null) throw error;
    return null;
  }
}

/** The largest of the listed files. A missing file counts as empty. */
export async function largestOf(
  root: RealPath,
  names: readonly ByteName[],
): Promise<{ readonly name: ByteName; readonly size: number }> {
  let largest = { name: '' as ByteName, size: 0 };
  for (const name of names) {
    const size = await lstat(bytePath(root, name)).then(
      (found) => found.size,
      () => 0,
    );
    if (size > largest.size) largest = { name, size };
  }
  return largest;
}

/** Entries of a listed folder by their bytes. Empty if it cannot be read. */
export async function entriesAt(root: RealPath, folder: ByteName): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(bytePath(root, folder), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (errno(error) === null) throw error;
    return [];
  }
}

function bytePath(root: RealPath, name: ByteName): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}
