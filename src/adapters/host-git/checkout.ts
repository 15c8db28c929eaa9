import { child, type RealPath } from '../../files/real-path.ts';
import { makePrivate } from '../../files/state-files.ts';
import { makeGitDir } from '../git/git-dir.ts';
import { basePlan } from '../git/person.ts';
import type { HostContext } from './context.ts';

const CHECKOUT_MS = 10 * 60_000;

/**
 * Checks out a commit in a folder of ours where a command can run. It is a separate repository whose HEAD is the commit
 * and whose `origin` is the remote. No filter and no hook runs.
 */
export async function checkOut({ scratch, remote }: HostContext, sha: string): Promise<RealPath> {
  const { git } = scratch.person;
  const tree = child(scratch.folder, 'tree');
  const gitDir = child(tree, '.git');
  const plan = basePlan(scratch.from, { branch: 'none', commit: null });
  await makePrivate(tree);
  await makeGitDir(gitDir, {
    ...plan,
    alternates: [...plan.alternates, child(scratch.gitDir, 'objects')],
    files: { ...plan.files, HEAD: `${sha}\n` },
  });
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: tree };
  await git.need(tree, ['config', 'remote.origin.url', remote.url], { env });
  await git.need(tree, ['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'], { env });
  await git.need(tree, ['read-tree', '--reset', '-u', sha], { env, deadline_ms: CHECKOUT_MS });
  return tree;
}
