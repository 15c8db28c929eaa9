import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** True for a file that this user may execute, links followed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The file that a shell in the person's folder would start; null if no such file is executable. */
export function findProgram(name: string, PATH: string, root: string): string | null {
  const folders = name.includes(path.sep) ? [''] : PATH.split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.resolve(root, folder, name)).find(isProgram) ?? null;
}
