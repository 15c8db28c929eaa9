import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type Line = { file: string; number: number; text: string };

/** All lines of the text files git tracks, or would track, under the given paths (all of them without one). */
export function projectLines(...paths: string[]): Line[] {
  return projectFiles(paths).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    if (text.includes('\0')) return [];
    return text.split('\n').map((line, index) => ({ file, number: index + 1, text: line }));
  });
}

function projectFiles(paths: string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const listed = execFileSync('git', args, { encoding: 'utf8' }).split('\0');
  // A file deleted but not yet staged is still listed.
  return [...new Set(listed)].filter((file) => file !== '' && existsSync(file));
}
