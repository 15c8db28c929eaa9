import { removeNotes } from '../commit-note.ts';
import { withIo } from '../failure.ts';
import { freeBytes, listFolder, statOf } from '../files.ts';
import { createGit, type GitEnvironment } from '../git.ts';
import { child, type RealPath, realFolder } from '../real-path.ts';
import { moveTo, removeTree } from '../state-files.ts';
import { pinRef } from './open-tree.ts';
import { readTreeFile, TREE_FILE } from './tree-dir.ts';

/** How long the tree of a run that ended is kept after its last use. */
const KEEP_DAYS = 14;

export interface CollectOptions {
  /** State directory of the repository; trees lie in its folder `trees`. */
  readonly home: string;
  /** ISO time. */
  readonly now: string;
  /** Days a tree is kept after its last use; 14 unless given. */
  readonly keep?: number;
  /** Runs that have not ended. Their trees stay, however old. */
  readonly live: readonly string[];
  readonly environment?: GitEnvironment;
}

export interface Collected {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Trees that could not be removed, and why; they are tried again next time. */
  readonly failed: readonly { readonly run: string; readonly why: string }[];
  readonly free_bytes: number | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LEFTOVER = /^\.([a-z0-9-]+)\.[0-9a-f]{8}\.(?:part|gone)$/i;

/**
 * Removes the trees of runs that ended long enough ago, with the ref that pinned their base, what runs in the person's
 * folder noted about their commits, and parts an interrupted process left. Never a live run's. Patches and other
 * artefacts lie elsewhere and stay (WF-92).
 */
export async function collectTrees(options: CollectOptions): Promise<Collected> {
  const before = Date.parse(options.now) - (options.keep ?? KEEP_DAYS) * DAY_MS;
  const home = await findFolder(options.home);
  const trees = home === null ? null : await findFolder(child(home, 'trees'));
  if (home !== null) await withIo('collect', () => removeNotes(child(home, 'commits'), options.live, before));
  if (trees === null) return { removed: [], kept: [], failed: [], free_bytes: null };
  return { ...(await collectIn(trees, before, options)), free_bytes: await freeBytes(trees) };
}

async function collectIn(
  trees: RealPath,
  before: number,
  { live, environment = process.env }: CollectOptions,
): Promise<Omit<Collected, 'free_bytes'>> {
  const removed: string[] = [];
  const kept: string[] = [];
  const failed: { run: string; why: string }[] = [];
  for (const name of await ownNames(trees)) {
    const run = LEFTOVER.exec(name)?.[1] ?? name;
    if (live.includes(run) || !(await isOlder(child(trees, name), before))) {
      kept.push(run);
      continue;
    }
    try {
      await withIo('collect', () => collect(trees, name, run, environment));
      removed.push(run);
    } catch (error) {
      failed.push({ run, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { removed, kept, failed };
}

async function findFolder(path: string): Promise<RealPath | null> {
  try {
    return await realFolder(path);
  } catch {
    return null; // no state directory, no trees
  }
}

/** Trees and leftovers of ours; whatever else lies there is not ours to remove. */
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

/** The pin goes first: a crash in between leaves a folder that is found again, never a pin nobody knows. */
async function collect(
  trees: RealPath,
  name: string,
  run: string,
  environment: GitEnvironment,
): Promise<void> {
  const path = child(trees, name);
  const file = await readTreeFile(path);
  const isNeeded = path !== child(trees, run) && (await statOf(child(trees, run))) !== null;
  // A repository that is gone has no pin to remove: git fails there, and that is as good.
  if (file !== null && !isNeeded)
    await createGit(environment).run(file.person, ['update-ref', '-d', '--no-deref', pinRef(file.run)]);
  const gone = LEFTOVER.test(name) ? path : child(trees, `.${run}.00000000.gone`);
  if (gone !== path) await moveTo(path, gone);
  await removeTree(gone);
}
