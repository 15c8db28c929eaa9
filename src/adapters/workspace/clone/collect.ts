import { listFolder, statOf } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { moveTo, removeTree } from '../../../files/state-files.ts';
import { withIo } from '../../../files/with-io.ts';
import { createGit, type GitEnvironment } from '../../git/git.ts';
import { onOwnRef } from '../../git/locks.ts';
import { removeOld } from '../commit/notes.ts';
import { pinRef } from './open-tree.ts';
import { readTreeFile, TREE_FILE } from './run-tree.ts';

/** Days after its last use before the tree of an ended run is removed. */
const KEEP_DAYS = 14;

export interface CollectOptions {
  /** State directory of the repository. The trees are in its folder `trees`. */
  readonly home: string;
  /** ISO time. */
  readonly now: string;
  /** Days a tree stays after its last use. Default: 14. */
  readonly keep?: number;
  /** Work tree of the repository. By default, each tree's own file says where it was. */
  readonly person?: string;
  /** Runs that have not ended. Their trees stay, however old. */
  readonly live: readonly string[];
  readonly environment?: GitEnvironment;
}

export interface Collected {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Trees that could not be removed, and why. The next collection tries again. */
  readonly failed: readonly { readonly run: string; readonly why: string }[];
}

/** Folders with data of each run: notes about commits, and packages that its checks loaded. */
const KEPT_FOR_RUNS = [['commits'], ['cache', 'checks']] as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Building a clone never takes this long. An older part was left by a process that died. */
const PART_MS = 15 * 60_000;
const LEFTOVER = /^\.([a-z0-9-]+)\.[0-9a-f]{8}\.(?:part|gone)$/i;

/**
 * Removes the trees of runs that ended long enough ago, with the ref that pinned their base. Also removes their notes
 * about commits in the person's folder, the packages of their checks, and parts of interrupted processes. It never
 * removes the tree or pin of a live run. Patches and other artefacts are stored elsewhere and stay (WF-92).
 */
export async function collectTrees(options: CollectOptions): Promise<Collected> {
  const before = Date.parse(options.now) - (options.keep ?? KEEP_DAYS) * DAY_MS;
  const home = await findFolder(options.home);
  const trees = home === null ? null : await findFolder(child(home, 'trees'));
  for (const name of home === null ? [] : KEPT_FOR_RUNS)
    await withIo('collect', () => removeOld(name.reduce(child, home as RealPath), options.live, before));
  return trees === null ? { removed: [], kept: [], failed: [] } : await collectIn(trees, before, options);
}

async function collectIn(
  trees: RealPath,
  before: number,
  { live, person, environment = process.env }: CollectOptions,
): Promise<Collected> {
  const removed: string[] = [];
  const kept: string[] = [];
  const failed: { run: string; why: string }[] = [];
  for (const name of await ownNames(trees)) {
    const part = LEFTOVER.exec(name)?.[1];
    const run = part ?? name;
    const isLive = live.includes(run);
    const isKept =
      part === undefined
        ? isLive || !(await isOlder(child(trees, name), before))
        : !(await isOlder(child(trees, name), Date.now() - PART_MS));
    const why = isKept ? null : await tryCollect(trees, name, { run, isLive, person, environment });
    if (isKept) kept.push(run);
    else if (why === null) removed.push(run);
    else failed.push({ run, why });
  }
  return { removed, kept, failed };
}

/** Null if it was removed, otherwise the reason why not. */
async function tryCollect(...of: Parameters<typeof collect>): Promise<string | null> {
  try {
    await withIo('collect', () => collect(...of));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function findFolder(path: string): Promise<RealPath | null> {
  try {
    return await realFolder(path);
  } catch {
    return null; // no state directory, no trees
  }
}

/** Our trees and leftovers. Any other entry must not be removed. */
async function ownNames(trees: RealPath): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await listFolder(trees)) {
    const isTree = entry.isDirectory() && (await statOf(child(child(trees, entry.name), TREE_FILE))) !== null;
    if (isTree || LEFTOVER.test(entry.name)) names.push(entry.name);
  }
  return names;
}

async function isOlder(path: RealPath, before: number): Promise<boolean> {
  const file = (await statOf(child(path, TREE_FILE))) ?? (await statOf(path));
  return file !== null && Number(file.mtimeMs) < before;
}

interface Collecting {
  readonly run: string;
  readonly isLive: boolean;
  readonly person: string | undefined;
  readonly environment: GitEnvironment;
}

/** Clones that a killed process left unfinished. */
export async function halfClones(home: RealPath): Promise<RealPath[]> {
  const trees = await findFolder(child(home, 'trees'));
  const names = trees === null ? [] : (await ownNames(trees)).filter((name) => LEFTOVER.test(name));
  const found = names.map((name) => child(trees ?? home, name));
  const old = await Promise.all(found.map((path) => isOlder(path, Date.now() - PART_MS)));
  return found.filter((_, n) => old[n]);
}

/** Removes the pin first: a crash in between leaves a folder that is found again, never an unknown pin. */
async function collect(
  trees: RealPath,
  name: string,
  { run, isLive, person, environment }: Collecting,
): Promise<void> {
  const path = child(trees, name);
  const file = await readTreeFile(path);
  const isNeeded = path !== child(trees, run) && (await statOf(child(trees, run))) !== null;
  // A missing repository has no pin to remove. Git fails there, which does not matter.
  if (file !== null && !isNeeded && !isLive) {
    const ref = pinRef(file.run);
    const args = ['update-ref', '-d', '--no-deref', ref];
    await onOwnRef(ref, () => createGit(environment).run(person ?? file.person, args));
  }
  const gone = LEFTOVER.test(name) ? path : child(trees, `.${run}.00000000.gone`);
  if (gone !== path) await moveTo(path, gone);
  await removeTree(gone);
}
