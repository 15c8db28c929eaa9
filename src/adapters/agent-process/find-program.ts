import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { Setup } from './kind.ts';

/** The file that a shell in the person's folder would start; null if no such file is executable. */
export function findProgram(name: string, env: Setup['env'], root: string): string | null {
  const folders = name.includes(path.sep) ? [''] : (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.resolve(root, folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
