import { realpathSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../../files/find-program.ts';
import { isBelow } from './tools.ts';

/** A folder that no one can create. An empty PATH would mean the working directory. */
const NOWHERE = '/proc/no-program';

/**
 * The PATH for programs that run outside every sandbox, such as git. A worker could put a program of the same name into
 * a folder it can write. So only absolute folders outside `untrusted` count. Links are resolved now, so that changing a
 * link later has no effect.
 */
export function outsidePath(PATH: string, untrusted: readonly string[]): string {
  const writable = untrusted.map((folder) => realOf(folder) ?? folder);
  const folders = PATH.split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => realOf(folder) ?? []);
  const kept = [...new Set(folders)].filter((folder) => !isBelow(folder, writable));
  return kept.join(path.delimiter) || NOWHERE;
}

/** The file of bubblewrap on such a PATH; null: not installed. */
export function findBwrap(PATH: string): string | null {
  return findProgram('bwrap', PATH, path.sep);
}

/** Whether a file is in one of these folders, by its name or after its links are resolved. */
export function isInside(file: string, folders: readonly string[]): boolean {
  const real = folders.map((folder) => realOf(folder) ?? folder);
  return isBelow(file, folders) || isBelow(realOf(file) ?? file, real);
}

/** The path with all links resolved; null if nothing is there. */
function realOf(name: string): string | null {
  try {
    return realpathSync(name);
  } catch {
    return null;
  }
}
