import path from 'node:path';
import { isProgram } from '../../files/is-program.ts';
import type { Setup } from './kind.ts';

/** The file that a shell in the person's folder would start; null if no such file is executable. */
export function findProgram(name: string, env: Setup['env'], root: string): string | null {
  const folders = name.includes(path.sep) ? [''] : (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.resolve(root, folder, name)).find(isProgram) ?? null;
}
