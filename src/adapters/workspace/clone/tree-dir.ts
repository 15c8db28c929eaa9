import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { readSmallFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { touch, writeState } from '../../../files/state-files.ts';
import { readObjectsFrom } from '../../git/git-dir.ts';

/**
 * The data stored about a run's tree. A folder under the run's own name is complete, because it was moved there as a
 * whole.
 */
export const TreeFile = z.strictObject({
  v: z.literal(1),
  run: z.string(),
  /** Work tree of the person's repository that the base was taken from. */
  person: z.string(),
  base: z.string().nullable(),
  branch: z.string(),
});
export type TreeFile = z.infer<typeof TreeFile>;

/** The folders of a run's tree. */
export interface TreeDir {
  readonly dir: RealPath;
  /** Where workers run. */
  readonly tree: RealPath;
  /** The workers' own git directory. We do not trust or run anything in it. */
  readonly workerGit: RealPath;
  /** Our git directory for snapshots, with every byte unchanged. */
  readonly raw: RealPath;
  /** Our git directory for the run's branch, with contents as git stores them. */
  readonly view: RealPath;
}

export function treeDir(dir: RealPath): TreeDir {
  const tree = child(dir, 'tree');
  return { dir, tree, workerGit: child(tree, '.git'), raw: child(dir, 'git'), view: child(dir, 'view') };
}

export const TREE_FILE = 'tree.json';

/** The tree's file, or null if there is no complete tree. */
export async function readTreeFile(dir: RealPath): Promise<TreeFile | null> {
  const text = await readSmallFile(child(dir, TREE_FILE));
  return text === null ? null : TreeFile.parse(JSON.parse(text));
}

/** The tree's file. Throws `tree_missing` before `open_tree` and after the tree was collected. */
export async function needTreeFile(dir: RealPath): Promise<TreeFile> {
  const found = await readTreeFile(dir);
  if (found === null) throw failure('tree_missing', `${dir} holds no tree of a run`);
  return found;
}

/** After the person's repository was moved, the tree reads its objects at the new location. */
export async function followRepository(at: TreeDir, person: RealPath, commonDir: RealPath): Promise<void> {
  const file = await readTreeFile(at.dir);
  if (file === null) return;
  const objects = await realFolder(child(commonDir, 'objects'));
  for (const gitDir of [at.raw, at.view]) await readObjectsFrom(gitDir, objects);
  if (file.person !== person && (await statOf(file.person as RealPath)) === null)
    await writeState(at.dir, TREE_FILE, JSON.stringify({ ...file, person }));
}

/** Marks the tree as used: collecting counts from the last use. */
export async function touchTree(dir: RealPath): Promise<void> {
  await touch(child(dir, TREE_FILE));
}

/** Name of the snapshot a tree starts with. */
export const START = 'start';
