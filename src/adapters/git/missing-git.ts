import { dirname, resolve, sep } from 'node:path';
import { readSmallFile, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import type { Git } from './git.ts';
import type { Repository } from './repository.ts';

/**
 * The repository of a folder if there is no git program to ask. Null if there is one, or if there is no repository. The
 * files are read directly: the id of a repository must not depend on the current PATH.
 */
export async function repositoryWithoutGit(git: Git, folder: RealPath): Promise<Repository | null> {
  const found = folder.split(sep).includes('.git') ? null : await byHand(folder);
  if (found === null || (await git.run(folder, ['--version'])) !== null) return null;
  return found;
}

/** Finds what git itself accepts as a repository, here or above: a `.git` file, or a folder with its three parts. */
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

/** The folder that a file of git names, relative to `from`. Null if the file or the folder does not exist. */
async function linkedFolder(from: RealPath, file: RealPath, form = /^(.+)\n*$/): Promise<RealPath | null> {
  const named = form.exec((await readSmallFile(file)) ?? '')?.[1];
  if (named === undefined) return null;
  const folder = resolve(from, named) as RealPath;
  return (await statOf(folder))?.isDirectory() ? realFolder(folder) : null;
}
