import { failure, guardRefused } from '../../../engine/errors.ts';
import type { LexicalPath } from '../../../engine/paths.ts';
import {
  type BranchContext,
  branchRef,
  checkedOutBranches,
  guardBranch,
  isAncestor,
} from '../../git/branch.ts';
import { onOwnRef } from '../../git/locks.ts';
import { bytes, treeEntry, zeroList } from '../../git/names.ts';
import { commitOf, isInWorkTree } from '../../git/repository.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { documentPaths, documentsExist, type FileDocuments } from './in-files.ts';

export interface BranchDocuments extends FileDocuments {
  readonly branch: string;
  /** Commit the branch starts from. Null if the repository had none. */
  readonly base: string | null;
  readonly message: string;
  readonly author?: string | undefined;
}

export interface CommittedDocuments {
  readonly branch: string;
  readonly commit: string;
  readonly files: readonly string[];
}

/**
 * Commits documents on the run's branch with objects and one ref update. It does not use a checkout, index, hook or
 * filter, and does not touch the person's own branch and files. A crash before the ref update leaves only unreferenced
 * objects.
 */
export async function commitDocuments(
  location: BranchContext,
  effect: string,
  documents: BranchDocuments,
): Promise<CommittedDocuments> {
  const done = await findCommitted(location, effect, documents);
  if (done !== null) return done;
  const tip = await commitOf(location.git, location.root, branchRef(documents.branch));
  const parent = await parentOf(location, tip, effect, documents);
  const tree = await writeDocumentTree(location, parent, documents);
  const commit = await writeCommit(location, effect, { tree, parent }, documents);
  await moveBranch(location, effect, documents.branch, { from: tip, to: commit });
  return { branch: documents.branch, commit, files: documentPaths(documents) };
}

const RECENT = 20;

/** The commit of this effect among the newest of the branch. Null means that the write did not happen. */
export async function findCommitted(
  location: BranchContext,
  effect: string,
  documents: BranchDocuments,
): Promise<CommittedDocuments | null> {
  if (!(await isInWorkTree(location.git, location.root)))
    throw failure('not_a_repository', `${location.root} is no longer a work tree of git`);
  await guardBranch(location, documents.branch);
  const ref = branchRef(documents.branch);
  if ((await commitOf(location.git, location.root, ref)) === null) return null;
  const recent = await effectsOf(location, [`--max-count=${RECENT}`, ref]);
  const found = recent.find((one) => one.effect === effect);
  if (!found) return null;
  return { branch: documents.branch, commit: found.commit, files: documentPaths(documents) };
}

/** Only the last line counts: text above it may come from a worker. */
async function effectsOf(
  location: BranchContext,
  revisions: readonly string[],
): Promise<{ commit: string; effect: string | null }[]> {
  const listed = await location.git.need(location.root, [
    'rev-list',
    '--format=%H%x00%B%x00',
    ...revisions,
    '--',
  ]);
  const fields = listed.replace(/^commit [0-9a-f]+\n/, '').split(/\0(?:\ncommit [0-9a-f]+\n)?/);
  const commits = [];
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const last = (fields[n + 1] ?? '').trimEnd().split('\n').at(-1) ?? '';
    const effect = last.startsWith(TRAILER) ? last.slice(TRAILER.length) : null;
    commits.push({ commit: fields[n] ?? '', effect });
  }
  return commits;
}

const TRAILER = 'Baton-Effect: ';

/**
 * The parent of the commit: the base, or the branch's tip if this run committed before. A branch with commits of
 * others, or one that is checked out, must not be moved.
 */
async function parentOf(
  location: BranchContext,
  tip: string | null,
  effect: string,
  documents: BranchDocuments,
): Promise<string | null> {
  const { base, branch } = documents;
  if ((await checkedOutBranches(location)).has(branch))
    throw failure('branch_checked_out', `${branch} is checked out; switch to another branch`);
  if (base !== null && (await commitOf(location.git, location.root, base)) === null)
    throw failure('base_missing', `commit ${base} is gone from the repository`);
  if (tip === null || (base !== null && (await isAncestor(location, tip, base)))) return base;
  const run = `${effect.split('/')[0]}/`;
  const beyond = await effectsOf(location, [tip, ...(base === null ? [] : [`^${base}`])]);
  const foreign = beyond.find((one) => !one.effect?.startsWith(run));
  if (foreign) throw failure('branch_moved', `${branch} has a commit of somebody else: ${foreign.commit}`);
  return tip;
}

async function writeDocumentTree(
  location: BranchContext,
  parent: string | null,
  documents: BranchDocuments,
): Promise<string> {
  const folders = await readFolders(location, parent, documents.docs);
  const blobs = [];
  for (const { name, text } of documents.files) {
    const args = ['hash-object', '-w', '--no-filters', '--stdin'];
    const id = (await location.git.need(location.root, args, { input: text })).trim();
    checkTarget(folders, { name, id }, documents);
    blobs.push({ name, id });
  }
  return await writeFolders(location, folders, documents.docs, blobs);
}

function checkTarget(folders: Folders, file: { name: string; id: string }, documents: BranchDocuments): void {
  const found = folders.at(-1)?.find((entry) => entry.name === bytes(file.name));
  if (!found || found.id === file.id) return;
  if (found.type !== 'blob') throw guardRefused('not_a_file', `${documents.docs}/${file.name}`);
  if (!documents.overwrite) throw documentsExist(documents.docs, file.name);
}

async function writeCommit(
  location: BranchContext,
  effect: string,
  on: { readonly tree: string; readonly parent: string | null },
  documents: BranchDocuments,
): Promise<string> {
  const parents = on.parent === null ? [] : ['-p', on.parent];
  const input = `${documents.message.trimEnd()}\n\n${TRAILER}${effect}\n`;
  const env = await commitIdentity(location, documents.author);
  const args = ['commit-tree', '--no-gpg-sign', on.tree, ...parents];
  return (await location.git.need(location.root, args, { input, env })).trim();
}

/** Moves the branch only if it is still where it was read, so no other commit can be lost. */
async function moveBranch(
  location: BranchContext,
  effect: string,
  branch: string,
  move: { readonly from: string | null; readonly to: string },
): Promise<void> {
  const ref = branchRef(branch);
  const env = await commitIdentity(location);
  const args = ['update-ref', '--no-deref', '-m', `baton: ${effect}`, ref, move.to, move.from ?? ''];
  const done = await onOwnRef(ref, () => location.git.run(location.root, args, { env }));
  if (done?.code === 0) return;
  const now = await commitOf(location.git, location.root, ref);
  const why = done?.stderr.trim() ?? 'there is no git program';
  const code = now === move.from ? 'git_failed' : 'branch_moved';
  throw failure(code, `${branch}: ${why}`, { retry: 'transient' });
}

/** One line of a git tree. Names are bytes read as latin1, so that names that are not UTF-8 survive. */
interface TreeEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** The trees from the top of a commit down to a folder, the folder's own last. Missing ones are empty. */
type Folders = readonly (readonly TreeEntry[])[];

const FOLDER = '040000';

/** Reads a folder and all above it from a commit. Throws `guard_refused` if a file or link is in the way. */
async function readFolders(
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
async function writeFolders(
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

function replaced(old: readonly TreeEntry[], added: readonly TreeEntry[]): TreeEntry[] {
  const names = new Set(added.map((entry) => entry.name));
  return [...old.filter((entry) => !names.has(entry.name)), ...added];
}

async function readTree(location: BranchContext, tree: string): Promise<TreeEntry[]> {
  const listed = await location.git.need(location.root, ['ls-tree', '--full-tree', '-z', tree], {
    binary: true,
  });
  return zeroList(listed).map(treeEntry);
}

async function writeTree(location: BranchContext, entries: readonly TreeEntry[]): Promise<string> {
  const input = entries.map(({ mode, type, id, name }) => `${mode} ${type} ${id}\t${name}\0`).join('');
  const written = await location.git.need(location.root, ['mktree', '-z', '--missing'], {
    input,
    binary: true,
  });
  return written.trim();
}
