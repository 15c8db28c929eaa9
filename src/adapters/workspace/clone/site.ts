import { child } from '../../../files/real-path.ts';
import { copyIndex } from '../../../files/state-files.ts';
import { branchRef } from '../../git/branch.ts';
import { copyObjects } from '../../git/git-dir.ts';
import { inherit } from '../../git/person.ts';
import type { CommitSite } from '../commit/commit.ts';
import { createCommitNotes } from '../commit/notes.ts';
import type { TreeContext } from '../tree-queries.ts';
import { overView, type RunTree, tipOf } from './run-tree.ts';
import { renewWorkerGit, savedIndex } from './worker-git.ts';

/** A run's tree as a location to commit in. */
export interface CloneSite extends CommitSite {
  readonly tree: RunTree;
}

/**
 * Commits on the run's branch in our own directory. Commits made by a worker are not included: the parent is the base or
 * our previous commit.
 */
export function cloneSite(location: TreeContext, tree: RunTree): CloneSite {
  return {
    ...location,
    tree,
    person: tree.person,
    notes: createCommitNotes(child(tree.at.dir, 'commits')),
    ref: branchRef(tree.file.branch),
    ownBranch: tree.file.branch,
    env: overView(tree.at),
    gitDir: () => tree.at.view,
    head: async () => {
      const { branch, commit } = await tipOf(tree);
      return { branch, head: commit };
    },
    refuseBusy: () => Promise.resolve(),
    follow: () => followCommit(tree),
  };
}

/**
 * Copies the objects of the commit into our git directory. The workers' git directory then starts again from that
 * commit, so that its status is clean.
 */
async function followCommit(tree: RunTree): Promise<void> {
  const { at, person } = tree;
  const tip = await tipOf(tree);
  if (tip.commit === null) return;
  const base = tree.file.base === null ? '' : `^${tree.file.base}\n`;
  await copyObjects({ git: tree.git, gitDir: at.view }, `${tip.commit}\n${base}`);
  await renewWorkerGit(at, person, await inherit(person), tip);
  const env = { GIT_DIR: at.workerGit, GIT_WORK_TREE: at.tree };
  await person.git.need(at.dir, ['read-tree', '-m', '-i', tip.commit], { env });
  await person.git.run(at.dir, ['update-index', '-q', '--refresh'], { env });
  await copyIndex(child(at.workerGit, 'index'), savedIndex(at));
}
