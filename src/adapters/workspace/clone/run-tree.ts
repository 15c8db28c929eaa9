import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { readSmallFile, removeFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { makePrivate, openRights, touch, writeState } from '../../../files/state-files.ts';
import { branchRef } from '../../git/branch.ts';
import { type Git, yesOrNo } from '../../git/git.ts';
import { readObjectsFrom } from '../../git/git-dir.ts';
import { type ByteName, splitLinks, zeroList } from '../../git/names.ts';
import type { Person, Tip } from '../../git/person.ts';
import type { StoredTree } from '../snapshots/stored-tree.ts';
import { readControls } from './controls.ts';

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

/** An opened tree of a run. */
export interface RunTree {
  readonly at: TreeDir;
  readonly file: TreeFile;
  readonly person: Person;
  readonly kept: StoredTree;
  /** Git for the tree through our own directory, where contents are as git stores them. */
  readonly git: Git;
}

/** Builds the parts of an opened tree. Does not read or write files. */
export function runTree(at: TreeDir, file: TreeFile, person: Person): RunTree {
  let names: BaseNames | null = null;
  const base = async () => {
    names ??= await baseNames(person.git, at, file.base);
    return names;
  };
  const own = `.git/${branchRef(file.branch)}`;
  const kept: StoredTree = {
    git: person.git,
    root: at.tree,
    gitDir: at.raw,
    pinned: file.base,
    tracked: async () => (await base()).files,
    links: async () => (await base()).links,
    controls: async () => {
      const { [own]: _, ...others } = await readControls(at.workerGit);
      return others;
    },
    repair: () => openRights(at.tree),
  };
  return { at, file, person, kept, git: onView(person.git, at) };
}

/** The head of the run's branch in our own directory. Commits of a worker do not move it. */
export async function tipOf({ git, at, file }: RunTree): Promise<Tip> {
  const commit = await git.ask(at.dir, ['rev-parse', '-q', '--verify', `${branchRef(file.branch)}^{commit}`]);
  return { branch: file.branch, commit };
}

/** Restores the tree's folder: a worker may have removed it or replaced it by a file or link. */
export async function ensureRoot(at: TreeDir): Promise<void> {
  const found = await statOf(at.tree);
  if (found?.isDirectory()) return;
  if (found !== null) await removeFile(at.tree);
  await makePrivate(at.tree);
}

/** Names in the base commit. A submodule does not count as a file of the tree. */
interface BaseNames {
  readonly files: readonly ByteName[];
  readonly links: readonly ByteName[];
}

async function baseNames(git: Git, at: TreeDir, base: string | null): Promise<BaseNames> {
  if (base === null) return { files: [], links: [] };
  const env = { GIT_DIR: at.view };
  const listed = await git.need(at.dir, ['ls-tree', '-r', '-z', '--full-tree', base], { env, binary: true });
  return splitLinks(zeroList(listed));
}

/** Environment that makes git work on the tree through our own directory. */
export function overView(at: TreeDir): Readonly<Record<string, string>> {
  return { GIT_DIR: at.view, GIT_WORK_TREE: at.tree };
}

function onView(git: Git, at: TreeDir): Git {
  const env = overView(at);
  return {
    ...git,
    run: (cwd, args, options = {}) => git.run(cwd, args, { ...options, env: { ...env, ...options.env } }),
    need: (cwd, args, options = {}) => git.need(cwd, args, { ...options, env: { ...env, ...options.env } }),
    ask: async (cwd, args) => yesOrNo(await git.run(cwd, args, { env }), args),
  };
}
