import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Where files may be read and written for the agent. */
export interface Confines {
  readonly tree: string;
  readonly result_file: string;
  readonly writes: boolean;
}

/** The real place of a file the agent names, if it may read there; null otherwise. */
export async function readable(confines: Confines, file: string): Promise<string | null> {
  const place = await realPlace(resolve(confines.tree, file));
  if (place === null) return null;
  return (await inTree(confines, place)) || (await isResult(confines, place)) ? place : null;
}

/** The same for writing. Git's own files are never written for an agent: a hook or a setting there is a command. */
export async function writable(confines: Confines, file: string): Promise<string | null> {
  const place = await realPlace(resolve(confines.tree, file));
  if (place === null) return null;
  if (await isResult(confines, place)) return place;
  const inside = confines.writes && (await inTree(confines, place));
  return inside && !place.split(sep).includes('.git') ? place : null;
}

async function inTree({ tree }: Confines, place: string): Promise<boolean> {
  const inside = relative(await realpath(tree), place);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function isResult({ result_file }: Confines, place: string): Promise<boolean> {
  return place === (await realPlace(result_file));
}

/** Follows every link; parts that do not exist stand as written. Null for a link that leads nowhere. */
async function realPlace(file: string): Promise<string | null> {
  const found = await realpath(file).catch(() => null);
  if (found !== null) return found;
  const there = await lstat(file).catch(() => null);
  if (there || dirname(file) === file) return null;
  const folder = await realPlace(dirname(file));
  return folder === null ? null : join(folder, basename(file));
}
