import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Limits for the files that are read and written for the agent. */
export interface Confines {
  readonly tree: string;
  readonly result_file: string;
  readonly writes: boolean;
}

/** The real path of a file that the agent names; null if it may not read that file. */
export async function readable(confines: Confines, file: string): Promise<string | null> {
  const location = await realLocation(resolve(confines.tree, file));
  if (location === null) return null;
  return (await inTree(confines, location)) || (await isResult(confines, location)) ? location : null;
}

/**
 * The same for writing. Git's own files are never written for an agent, because a hook or a setting there is a command.
 */
export async function writable(confines: Confines, file: string): Promise<string | null> {
  const location = await realLocation(resolve(confines.tree, file));
  if (location === null) return null;
  if (await isResult(confines, location)) return location;
  const inside = confines.writes && (await inTree(confines, location));
  return inside && !location.split(sep).includes('.git') ? location : null;
}

async function inTree({ tree }: Confines, location: string): Promise<boolean> {
  const inside = relative(await realpath(tree), location);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function isResult({ result_file }: Confines, location: string): Promise<boolean> {
  return location === (await realLocation(result_file));
}

/** Resolves every link. Parts that do not exist stay as written. Null for a broken link. */
async function realLocation(file: string): Promise<string | null> {
  const found = await realpath(file).catch(() => null);
  if (found !== null) return found;
  const there = await lstat(file).catch(() => null);
  if (there || dirname(file) === file) return null;
  const folder = await realLocation(dirname(file));
  return folder === null ? null : join(folder, basename(file));
}
