import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { orElse } from '../../engine/system-error.ts';
import type { RealPath } from '../../files/real-path.ts';
import type { Git } from './git.ts';

/** Path of one of git's own files for a work tree. Git itself returns it. */
export async function gitPath(git: Git, root: RealPath, name: string): Promise<string> {
  return resolve(root, (await git.need(root, ['rev-parse', '--git-path', name])).replace(/\n$/, ''));
}

/** Text of a git file or of a file that the person's settings name. Null if it cannot be read. */
export async function settingText(file: string): Promise<string | null> {
  return await readFile(file, 'utf8').catch(orElse(null));
}

/** Real paths of the entries of such a folder, links followed. A broken link is left out. */
export async function realFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(orElse([]));
  const found = await Promise.all(names.map((name) => realpath(join(folder, name)).catch(orElse(null))));
  return found.filter((file) => file !== null);
}
