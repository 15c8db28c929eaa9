import { dirname, resolve, sep } from 'node:path';
import { readOwn, statOf } from './files.ts';
import type { Git } from './git.ts';
import { child, type RealPath, realFolder } from './real-path.ts';
import type { Repository } from './repository.ts';

/**
 * The repository a folder lies in where there is no git program to ask; null where there is one, or no repository.
 * Read by hand: what a run here is called must not depend on the PATH of the moment.
 */
export async function repositoryWithoutGit(git: Git, folder: RealPath): Promise<Repository | null> {
  const found = folder.split(sep).includes('.git') ? null : await byHand(folder);
  if (found === null || (await git.run(folder, ['--version'])) !== null) return null;
  return found;
}

/** What git itself takes for a repository, here or above: a `.git` file, or a folder that holds its three parts. */
async function byHand(top: RealPath): Promise<Repository | null> {
  const at = child(top, '.git');
  const gitDir = (await isGitFolder(at)) ? at : await linkedFolder(top, at, /^gitdir: (.+)\n*$/);
  if (gitDir !== null)
    return { top, gitDir, commonDir: (await linkedFolder(gitDir, child(gitDir, 'commondir'))) ?? gitDir };
  const above = dirname(top) as RealPath;
  return above === top ? null : byHand(above);
}

async function isGitFolder(folder: RealPath): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((part) => statOf(child(folder, part))));
  return !parts.includes(null);
}

/** The folder a file of git names, as seen from `from`; null where there is no such file or no such folder. */
async function linkedFolder(from: RealPath, file: RealPath, form = /^(.+)\n*$/): Promise<RealPath | null> {
  const named = form.exec((await readOwn(file)) ?? '')?.[1];
  if (named === undefined) return null;
  const folder = resolve(from, named) as RealPath;
  return (await statOf(folder))?.isDirectory() ? realFolder(folder) : null;
}
