import { removeFile, statOf } from '../../../files/real-files.ts';
import { makePrivate, openRights } from '../../../files/state-files.ts';
import { branchRef } from '../../git/branch.ts';
import { type Git, yesOrNo } from '../../git/git.ts';
import { type ByteName, splitLinks, zeroList } from '../../git/names.ts';
import type { Person, Tip } from '../../git/person.ts';
import type { StoredTree } from '../snapshots/stored-tree.ts';
import { readControls } from './controls.ts';
import type { TreeDir, TreeFile } from './tree-dir.ts';

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
