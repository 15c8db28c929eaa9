import * as z from 'zod';
import { failure } from '../failure.ts';
import { readOwn } from '../files.ts';
import { child, type RealPath } from '../real-path.ts';
import { touch } from '../state-files.ts';

/** What is known of a run's tree. A folder under the run's own name is complete: it was moved there whole. */
export const TreeFile = z.strictObject({
  v: z.literal(1),
  run: z.string(),
  /** Work tree of the person's repository the base was taken from. */
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
  /** The workers' own git directory. Nothing of it is trusted or run. */
  readonly workerGit: RealPath;
  /** Ours: snapshots, every byte as it is. */
  readonly raw: RealPath;
  /** Ours: the run's branch, contents as git keeps them. */
  readonly view: RealPath;
}

export function treeDir(dir: RealPath): TreeDir {
  const tree = child(dir, 'tree');
  return { dir, tree, workerGit: child(tree, '.git'), raw: child(dir, 'git'), view: child(dir, 'view') };
}

export const TREE_FILE = 'tree.json';

/** The tree's file, or null when there is no complete tree. */
export async function readTreeFile(dir: RealPath): Promise<TreeFile | null> {
  const text = await readOwn(child(dir, TREE_FILE));
  return text === null ? null : TreeFile.parse(JSON.parse(text));
}

/** The tree's file. Throws `tree_missing` before `open_tree` and after the tree was collected. */
export async function needTreeFile(dir: RealPath): Promise<TreeFile> {
  const found = await readTreeFile(dir);
  if (found === null) throw failure('tree_missing', `${dir} holds no tree of a run`);
  return found;
}

/** Says that the tree is in use: collecting counts from the last use on. */
export async function touchTree(dir: RealPath): Promise<void> {
  await touch(child(dir, TREE_FILE));
}
