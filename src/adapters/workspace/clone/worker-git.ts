import { statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyIndex, makePrivate, moveTo, removeTree } from '../../../files/state-files.ts';
import { makeGitDir } from '../../git/git-dir.ts';
import {
  basePlan,
  checkoutParts,
  type Inheritance,
  inherit,
  type Person,
  type Tip,
} from '../../git/person.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { needSnapshot } from '../snapshots/git-snapshots.ts';
import { changedKeys } from '../snapshots/git-state.ts';
import { type RunTree, START, type TreeDir, tipOf } from './run-tree.ts';

/** Creates the workers' git directory: no remote, no hooks, an identity, and objects read through ours. */
export async function makeWorkerGit(at: TreeDir, person: Person, from: Inheritance, tip: Tip): Promise<void> {
  const plan = basePlan(from, tip);
  const parts = checkoutParts(from);
  const who = await commitIdentity(person);
  const identity = {
    'user.name': who.GIT_COMMITTER_NAME ?? '',
    'user.email': who.GIT_COMMITTER_EMAIL ?? '',
  };
  await makeGitDir(at.workerGit, {
    ...plan,
    // The person's objects are read through ours, so that this file stays the same when the repository is moved.
    alternates: ['../../../view/objects'],
    settings: { ...parts.settings, ...identity, 'commit.gpgSign': 'false' },
    files: { ...plan.files, ...parts.files },
  });
}

/**
 * Replaces the workers' git directory by a fresh one. The old one is moved out of the tree and stays beside it until
 * the clone is collected.
 */
export async function renewWorkerGit(
  at: TreeDir,
  person: Person,
  from: Inheritance,
  tip: Tip,
): Promise<void> {
  if ((await statOf(at.workerGit)) !== null) await putAside(at);
  await makeWorkerGit(at, person, from, tip);
  await copyIndex(savedIndex(at), child(at.workerGit, 'index'));
  const env = { GIT_DIR: at.workerGit, GIT_WORK_TREE: at.tree };
  await person.git.run(at.dir, ['update-index', '-q', '--refresh'], { env });
}

/** The index right after the branch was checked out. Only this index lists the files that a sparse tree skips. */
export function savedIndex(at: TreeDir): RealPath {
  return child(at.dir, 'index');
}

const MOST_KEPT = 1000;

async function putAside(at: TreeDir): Promise<void> {
  const kept = child(at.dir, 'worker-git');
  await makePrivate(kept);
  for (let n = 1; n <= MOST_KEPT; n += 1) {
    const to = child(kept, String(n));
    if ((await statOf(to)) !== null) continue;
    return await moveTo(at.workerGit, to);
  }
  await removeTree(at.workerGit);
}

/**
 * Renews the git directory for the next worker if an earlier one changed a control file in it. Hooks and settings of an
 * author must not run in the hands of the evaluator. Files of the tree are not touched.
 */
export async function freshWorkerGit(tree: RunTree): Promise<void> {
  const [{ git: made }, now] = [await needSnapshot(tree.kept, START), await tree.kept.controls()];
  if (changedKeys(made, now).length === 0) return;
  await renewWorkerGit(tree.at, tree.person, await inherit(tree.person), await tipOf(tree));
}
