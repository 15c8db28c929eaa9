import { branchRef } from '../branch.ts';
import { removeFile, statOf } from '../files.ts';
import type { Git } from '../git.ts';
import type { KeptTree } from '../snapshots/kept-tree.ts';
import { type ByteName, splitLinks, zeroList } from '../snapshots/names.ts';
import { makePrivate, openRights } from '../state-files.ts';
import { readControls } from './controls.ts';
import type { Person } from './person.ts';
import type { TreeDir, TreeFile } from './tree-dir.ts';
import type { Tip } from './worker-git.ts';

/** An opened tree of a run. */
export interface RunTree {
  readonly at: TreeDir;
  readonly file: TreeFile;
  readonly person: Person;
  readonly kept: KeptTree;
  /** Git over the tree by way of our own directory, where contents are what git keeps. */
  readonly git: Git;
}

/** Puts the pieces of an opened tree together. Reads and writes nothing. */
export function runTree(at: TreeDir, file: TreeFile, person: Person): RunTree {
  let names: BaseNames | null = null;
  const base = async () => {
    names ??= await baseNames(person.git, at, file.base);
    return names;
  };
  const own = `.git/${branchRef(file.branch)}`;
  const kept: KeptTree = {
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
  return { at, file, person, kept, git: overView(person.git, at) };
}

/** Where the run's branch stands in our own directory; a worker's commits do not move it. */
export async function tipOf({ git, at, file }: RunTree): Promise<Tip> {
  const commit = await git.ask(at.dir, ['rev-parse', '-q', '--verify', `${branchRef(file.branch)}^{commit}`]);
  return { branch: file.branch, commit };
}

/** A worker may have removed the tree itself, or put a file or link in its place. */
export async function ensureRoot(at: TreeDir): Promise<void> {
  const found = await statOf(at.tree);
  if (found?.isDirectory()) return;
  if (found !== null) await removeFile(at.tree);
  await makePrivate(at.tree);
}

/** Names in the base commit; a submodule is no file of the tree. */
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

function overView(git: Git, at: TreeDir): Git {
  const env = { GIT_DIR: at.view, GIT_WORK_TREE: at.tree };
  return {
    ...git,
    run: (cwd, args, options = {}) => git.run(cwd, args, { ...options, env: { ...env, ...options.env } }),
    need: (cwd, args, options = {}) => git.need(cwd, args, { ...options, env: { ...env, ...options.env } }),
    ask: async (cwd, args) => {
      const done = await git.run(cwd, args, { env });
      return done?.code === 0 ? done.stdout.replace(/\n$/, '') : null;
    },
  };
}
