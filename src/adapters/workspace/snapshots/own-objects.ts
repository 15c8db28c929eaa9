import type { RealPath } from '../../../files/real-path.ts';
import type { Git } from '../git.ts';

interface Target {
  readonly git: Git;
  readonly gitDir: RealPath;
  /** Environment that names other folders to read objects from. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Copies objects into our git directory, which otherwise reads them from the person's repository. There they can be
 * pruned as soon as the person no longer needs them. `revisions` are lines as `git rev-list` reads them: what is
 * wanted, and after a `^` what is safe already.
 */
export async function copyObjects({ git, gitDir, env }: Target, revisions: string): Promise<void> {
  const args = ['pack-objects', '--quiet', '--revs', '--non-empty', `${gitDir}/objects/pack/pack`];
  await git.need(gitDir, args, { env: { ...env, GIT_DIR: gitDir }, input: revisions, binary: true });
}
