import type { Git } from '../git.ts';
import type { RealPath } from '../real-path.ts';

/**
 * Copies objects into a git directory of ours that it may only read from the person's repository, where they can be
 * pruned as soon as nothing of theirs needs them. `revisions` are lines as `git rev-list` reads them: what is wanted,
 * and after a `^` what is safe already.
 */
export async function copyObjects(
  { git, gitDir }: { readonly git: Git; readonly gitDir: RealPath },
  revisions: string,
): Promise<void> {
  const args = ['pack-objects', '--quiet', '--revs', '--non-empty', `${gitDir}/objects/pack/pack`];
  await git.need(gitDir, args, { env: { GIT_DIR: gitDir }, input: revisions, binary: true });
}
