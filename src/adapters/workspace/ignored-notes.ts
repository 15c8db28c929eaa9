import * as z from 'zod';
import { cleanText } from '../../engine/clean-text.ts';
import { errno } from './failure.ts';
import { listFolder, readOwn, statOf } from './files.ts';
import { child, listedPath, type RealPath } from './real-path.ts';
import { type Snapshots, snapshotKey } from './snapshots/snapshots.ts';
import { makePrivate, writeState } from './state-files.ts';

/** What workers of a run wrote where git does not look: no change set has it, and a check may rest on it. */
export interface IgnoredNotes {
  read(run: string): Promise<string[]>;
  add(run: string, names: readonly string[]): Promise<void>;
}

/** A workspace without a state folder keeps nothing. */
export const NO_IGNORED_NOTES: IgnoredNotes = {
  read: () => Promise.resolve([]),
  add: () => Promise.resolve(),
};

/** A worker that writes more names than anybody can read is on record with that many. */
const MOST_KEPT = 10_000;

/** One file per run in a folder of ours. */
export function createIgnoredNotes(folder: RealPath): IgnoredNotes {
  const nameOf = (run: string) => `${snapshotKey(run)}.json`;
  const read = async (run: string): Promise<string[]> => {
    const text = await readOwn(child(folder, nameOf(run)));
    return text === null ? [] : z.array(z.string()).parse(JSON.parse(text));
  };
  return {
    read,
    add: async (run, names) => {
      const known = await read(run);
      const all = [...new Set([...known, ...names])].sort().slice(0, MOST_KEPT);
      if (all.length === known.length) return;
      await makePrivate(folder);
      await writeState(folder, nameOf(run), JSON.stringify(all));
    },
  };
}

interface IgnoredPlace {
  readonly root: RealPath;
  readonly ignored: IgnoredNotes;
  snapshots(): Promise<Snapshots>;
}

/** Puts on record what was written since a worker began among the names git ignores. Safe to repeat. */
export async function noteIgnored(place: IgnoredPlace, run: string, since_ms: number): Promise<void> {
  const since = BigInt(Math.floor(since_ms)) * 1_000_000n;
  const written: string[] = [];
  for (const name of await (await place.snapshots()).ignored()) {
    const plain = name.replace(/\/$/, '');
    const young: string[] = [];
    await addWritten(young, listedPath(place.root, plain), plain, since);
    written.push(...(young.length > MOST_NAMED ? [name] : young));
  }
  await place.ignored.add(run, written.map(cleanText));
}

/** A folder with more written files than this is named as a whole. */
const MOST_NAMED = 5;

/**
 * By the time of the last change, which nobody sets: neither a copied time nor the old bytes hide a write. A folder
 * stands for what was removed from it; what cannot be looked at counts as written. Looks no further once the folder is
 * named as a whole: installed packages are a hundred thousand files. True when something was found here.
 */
async function addWritten(found: string[], at: RealPath, name: string, since: bigint): Promise<boolean> {
  if (found.length > MOST_NAMED) return true;
  try {
    const stat = await statOf(at);
    const young = stat === null || stat.ctimeNs >= since;
    const isFolder = stat?.isDirectory() ?? false;
    if (isFolder && (await addBelow(found, at, name, since))) return true;
    if (young) found.push(isFolder ? `${name}/` : name);
    return young;
  } catch (error) {
    if (errno(error) === null) throw error;
    found.push(name);
    return true;
  }
}
async function addBelow(found: string[], at: RealPath, name: string, since: bigint): Promise<boolean> {
  const below = (await listFolder(at)).map((entry) => entry.name);
  const look = (own: string) => addWritten(found, child(at, own), `${name}/${own}`, since);
  let isFound = false;
  for (let n = 0; n < below.length; n += AT_ONCE)
    isFound = (await Promise.all(below.slice(n, n + AT_ONCE).map(look))).includes(true) || isFound;
  return isFound;
}

/** Entries of a folder that are looked at side by side. */
const AT_ONCE = 32;
