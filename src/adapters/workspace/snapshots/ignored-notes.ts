import * as z from 'zod';
import { cleanText } from '../../../engine/clean-text.ts';
import { errno } from '../../../engine/system-error.ts';
import { listFolder, readSmallFile, statOf } from '../../../files/real-files.ts';
import { child, listedPath, type RealPath } from '../../../files/real-path.ts';
import { makePrivate, writeState } from '../../../files/state-files.ts';
import { type Snapshots, snapshotKey } from './snapshots.ts';

/** Ignored files that workers of a run wrote. No change set contains them, and a check may depend on them. */
export interface IgnoredNotes {
  read(run: string): Promise<string[]>;
  add(run: string, names: readonly string[]): Promise<void>;
}

/** A workspace without a state folder does not store notes. */
export const NO_IGNORED_NOTES: IgnoredNotes = {
  read: () => Promise.resolve([]),
  add: () => Promise.resolve(),
};

/** Most names stored per run. A person could not read more. */
const MOST_KEPT = 10_000;

/** One file per run in a folder of ours. */
export function createIgnoredNotes(folder: RealPath): IgnoredNotes {
  const nameOf = (run: string) => `${snapshotKey(run)}.json`;
  const read = async (run: string): Promise<string[]> => {
    const text = await readSmallFile(child(folder, nameOf(run)));
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

interface IgnoredContext {
  readonly root: RealPath;
  readonly ignored: IgnoredNotes;
  snapshots(): Promise<Snapshots>;
}

/** Records which ignored files were written since a worker began. Safe to repeat. */
export async function noteIgnored(location: IgnoredContext, run: string, since_ms: number): Promise<void> {
  const since = BigInt(Math.floor(since_ms)) * 1_000_000n;
  const written: string[] = [];
  for (const name of await (await location.snapshots()).ignored()) {
    const plain = name.replace(/\/$/, '');
    const young: string[] = [];
    await addWritten(young, listedPath(location.root, plain), plain, since);
    written.push(...(young.length > MOST_NAMED ? [name] : young));
  }
  await location.ignored.add(run, written.map(cleanText));
}

/** A folder with more written files than this is named as a whole. */
const MOST_NAMED = 5;

/**
 * Uses the time of the last change, which cannot be set: neither a copied time nor the old bytes hide a write. A folder
 * represents what was removed from it. An entry that cannot be read counts as written. The search stops once the folder
 * is named as a whole: installed packages are a hundred thousand files. True if something was found here.
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

/** Entries of a folder that are read in parallel. */
const AT_ONCE = 32;
