import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Folders outside a tree that git reads for it. For a clone of Baton's own they come from Baton's git directories next
 * to the tree. A worker can write the git directory inside the tree.
 */
export function gitFolders(tree: string, own: boolean): string[] {
  if (!own) return linkedFolders(tree);
  const view = path.join(path.dirname(tree), 'view', 'objects');
  return [view, ...alternates(view)];
}

/** Git directory and common directory of a linked work tree; empty if `.git` is a folder. */
function linkedFolders(tree: string): string[] {
  const dir = /^gitdir: (.+)$/m.exec(read(path.join(tree, '.git')))?.[1];
  if (dir === undefined) return [];
  const own = path.resolve(tree, dir);
  const common = read(path.join(own, 'commondir')).trim();
  return [own, ...(common === '' ? [] : [path.resolve(own, common)])];
}

const DEEPEST = 5;

function alternates(objects: string, depth = 0): string[] {
  if (depth === DEEPEST) return [];
  const named = read(path.join(objects, 'info', 'alternates'))
    .split('\n')
    .filter(Boolean);
  const found = named.map((name) => path.resolve(objects, name));
  return [...found, ...found.flatMap((folder) => alternates(folder, depth + 1))];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
