import { hashOf, listFolder, sha256, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import type { Git } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';

/**
 * Everything in a git directory that matters to the person and that a worker could change. That is HEAD, branches, the
 * stash, staged files, configuration and hooks. Keys have the form of paths `.git/...`. Branches of our own namespace
 * are left out: other runs move them while a worker is at work.
 */
export async function gitState(
  git: Git,
  repository: Repository,
  namespace: string,
): Promise<Record<string, string>> {
  const [head, staged, refs, files] = await Promise.all([
    git.ask(repository.top, ['symbolic-ref', '-q', 'HEAD']),
    git.need(repository.top, ['ls-files', '-s', '-z'], { binary: true }),
    refLines(git, repository.top, namespace),
    controlFiles(repository),
  ]);
  return {
    '.git/HEAD': head ?? (await git.ask(repository.top, ['rev-parse', '-q', '--verify', 'HEAD'])) ?? '',
    '.git/index': sha256(staged),
    ...refs,
    ...files,
  };
}

async function refLines(git: Git, top: RealPath, namespace: string): Promise<Record<string, string>> {
  const args = ['for-each-ref', '--format=%(refname)%00%(objectname)', 'refs/heads/', 'refs/stash'];
  const lines = (await git.need(top, args)).split('\n').filter((line) => line !== '');
  const pairs = lines.map((line) => line.split('\0') as [string, string]);
  const others = pairs.filter(([ref]) => !ref.startsWith(`refs/heads/${namespace}/`));
  return Object.fromEntries(others.map(([ref, id]) => [`.git/${ref}`, id]));
}

/** Configuration and hooks of the person's git directory, with the mode and hash of each file. */
export async function controlFiles({ gitDir, commonDir }: Repository): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  await addFile(state, '.git/config', child(commonDir, 'config'));
  await addFile(state, '.git/config.worktree', child(gitDir, 'config.worktree'));
  for (const name of ['hooks', 'info'])
    Object.assign(state, await filesIn(child(commonDir, name), `.git/${name}`));
  // A list for servers without a git program. It does not decide anything, and git writes it when it collects garbage.
  delete state['.git/info/refs'];
  return state;
}

/** Entries of a folder, or the file or link in its place. */
export async function filesIn(folder: RealPath, name: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  if (!(await statOf(folder))?.isDirectory()) await addFile(state, name, folder);
  else
    for (const entry of await listFolder(folder))
      await addFile(state, `${name}/${entry.name}`, child(folder, entry.name));
  return state;
}

async function addFile(state: Record<string, string>, name: string, at: RealPath): Promise<void> {
  const found = await statOf(at);
  if (found !== null) state[name] = `${found.mode.toString(8)} ${(await hashOf(at)) ?? ''}`;
}

/** Keys whose value differs, or that only one of the two has. */
export function changedKeys(
  then: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...keys].filter((key) => then[key] !== now[key]);
}
