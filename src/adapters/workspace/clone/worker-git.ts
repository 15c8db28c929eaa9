import { statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyIndex, makePrivate, moveTo, removeTree } from '../../../files/state-files.ts';
import { branchRef } from '../branch.ts';
import { commitIdentity } from '../identity.ts';
import { type GitDirPlan, makeGitDir } from '../snapshots/git-dir.ts';
import type { Inheritance, Person } from './person.ts';
import type { TreeDir } from './tree-dir.ts';

/** The head of the run's branch. */
export interface Tip {
  readonly branch: string;
  readonly commit: string | null;
}

/** The part that all git directories of a clone share. */
export function basePlan(from: Inheritance, tip: Tip): GitDirPlan {
  const files: Record<string, string> = { 'info/exclude': from.exclude };
  if (from.shallow !== null) files.shallow = from.shallow;
  return {
    format: from.format,
    alternates: [from.objects],
    branch: tip.branch,
    settings: {},
    refs: tip.commit === null ? {} : { [branchRef(tip.branch)]: tip.commit },
    files,
  };
}

/** Settings and files that turn content into the same file as in the person's checkout. */
export function checkoutParts(from: Inheritance): Pick<GitDirPlan, 'settings' | 'files'> {
  const sparse = from.sparse === null ? {} : { 'core.sparseCheckout': 'true' };
  const patterns = from.sparse === null ? {} : { 'info/sparse-checkout': from.sparse };
  return { settings: { ...from.settings, ...sparse }, files: patterns };
}

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
