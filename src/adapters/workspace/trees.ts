import { guardRefused } from '../../engine/errors.ts';
import type { LexicalPath } from '../../engine/paths.ts';
import type { BranchContext } from './branch.ts';

/** One line of a git tree. Names are bytes read as latin1, so that names that are not UTF-8 survive. */
interface TreeEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** The trees from the top of a commit down to a folder, the folder's own last. Missing ones are empty. */
export type Folders = readonly (readonly TreeEntry[])[];

const FOLDER = '040000';

/** Reads a folder and all above it from a commit. Throws `guard_refused` if a file or link is in the way. */
export async function readFolders(
  location: BranchContext,
  commit: string | null,
  path: LexicalPath,
): Promise<Folders> {
  const folders: TreeEntry[][] = [];
  let at: string | null = commit;
  for (const name of [...path.split('/'), null]) {
    const entries: TreeEntry[] = at === null ? [] : await readTree(location, at);
    folders.push(entries);
    const found = entries.find((entry) => name !== null && entry.name === bytes(name));
    if (found && found.type !== 'tree') throw guardRefused('not_a_folder', path);
    at = found?.id ?? null;
  }
  return folders;
}

/**
 * Stores a new folder and the trees above it, with everything else in them unchanged. Returns the id of the top tree.
 * It does not use an index: the person's index is never read or written.
 */
export async function writeFolders(
  location: BranchContext,
  folders: Folders,
  path: LexicalPath,
  files: readonly { readonly name: string; readonly id: string }[],
): Promise<string> {
  const names = path.split('/');
  const blobs = files.map(({ name, id }) => ({ mode: '100644', type: 'blob', id, name: bytes(name) }));
  let tree = await writeTree(location, replaced(folders[names.length] ?? [], blobs));
  for (let n = names.length - 1; n >= 0; n -= 1) {
    const entry = { mode: FOLDER, type: 'tree', id: tree, name: bytes(names[n] ?? '') };
    tree = await writeTree(location, replaced(folders[n] ?? [], [entry]));
  }
  return tree;
}

/** A name as git's bytes, in the form the entries have. */
export function bytes(name: string): string {
  return Buffer.from(name, 'utf8').toString('latin1');
}

function replaced(old: readonly TreeEntry[], added: readonly TreeEntry[]): TreeEntry[] {
  const names = new Set(added.map((entry) => entry.name));
  return [...old.filter((entry) => !names.has(entry.name)), ...added];
}

async function readTree(location: BranchContext, tree: string): Promise<TreeEntry[]> {
  const listed = await location.git.need(location.root, ['ls-tree', '--full-tree', '-z', tree], {
    binary: true,
  });
  return listed
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [facts = '', name = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)];
      const [mode = '', type = '', id = ''] = facts.split(' ');
      return { mode, type, id, name };
    });
}

async function writeTree(location: BranchContext, entries: readonly TreeEntry[]): Promise<string> {
  const input = entries.map(({ mode, type, id, name }) => `${mode} ${type} ${id}\t${name}\0`).join('');
  const written = await location.git.need(location.root, ['mktree', '-z', '--missing'], {
    input,
    binary: true,
  });
  return written.trim();
}
