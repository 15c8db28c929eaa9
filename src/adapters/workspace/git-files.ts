import { access, constants, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errno } from './failure.ts';
import type { Git } from './git.ts';
import type { RealPath } from './real-path.ts';

/** Where git keeps one of its own files for a work tree; git itself names the place. */
export async function gitPath(git: Git, root: RealPath, name: string): Promise<string> {
  return resolve(root, (await git.need(root, ['rev-parse', '--git-path', name])).replace(/\n$/, ''));
}

/** Text of a file git keeps or a setting of the person's names; null when it cannot be had. */
export async function settingText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errno(error) === null) throw error;
    return null;
  }
}

/** True when the folder has one of these programs. */
export async function hasProgram(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    try {
      await access(join(folder, name), constants.X_OK);
      return true;
    } catch (error) {
      if (errno(error) === null) throw error;
    }
  }
  return false;
}
