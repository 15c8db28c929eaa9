import { type BranchPlace, branchRef, checkedOutBranches, guardBranch, isAncestor } from './branch.ts';
import { documentPaths, documentsExist, type FileDocuments } from './documents-files.ts';
import { failure, guardRefused } from './failure.ts';
import { commitIdentity } from './identity.ts';
import { commitOf, isInWorkTree } from './repository.ts';
import { bytes, type Folders, readFolders, writeFolders } from './trees.ts';

export interface BranchDocuments extends FileDocuments {
  readonly branch: string;
  /** Commit the branch starts from; null where the repository had none. */
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
 * Commits documents on the run's branch with objects and one ref update: no checkout, index, hook or filter, and the
 * person's own branch and files are not touched. A crash before the ref update leaves only objects nobody refers to.
 */
export async function commitDocuments(
  place: BranchPlace,
  effect: string,
  documents: BranchDocuments,
): Promise<CommittedDocuments> {
  const done = await findCommitted(place, effect, documents);
  if (done !== null) return done;
  const tip = await commitOf(place.git, place.root, branchRef(documents.branch));
  const parent = await parentOf(place, tip, effect, documents);
  const tree = await writeDocumentTree(place, parent, documents);
  const commit = await writeCommit(place, effect, { tree, parent }, documents);
  await moveBranch(place, effect, documents.branch, { from: tip, to: commit });
  return { branch: documents.branch, commit, files: documentPaths(documents) };
}

const RECENT = 20;

/** The commit of this effect among the newest of the branch, or null: then the write did not happen. */
export async function findCommitted(
  place: BranchPlace,
  effect: string,
  documents: BranchDocuments,
): Promise<CommittedDocuments | null> {
  if (!(await isInWorkTree(place.git, place.root)))
    throw failure('not_a_repository', `${place.root} is no longer a work tree of git`);
  await guardBranch(place, documents.branch);
  const ref = branchRef(documents.branch);
  if ((await commitOf(place.git, place.root, ref)) === null) return null;
  const recent = await effectsOf(place, [`--max-count=${RECENT}`, ref]);
  const found = recent.find((one) => one.effect === effect);
  if (!found) return null;
  return { branch: documents.branch, commit: found.commit, files: documentPaths(documents) };
}

/** Only the last line counts: text above it may come from a worker. */
async function effectsOf(
  place: BranchPlace,
  revisions: readonly string[],
): Promise<{ commit: string; effect: string | null }[]> {
  const listed = await place.git.need(place.root, ['rev-list', '--format=%H%x00%B%x00', ...revisions, '--']);
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
 * What the commit stands on: the base, or the branch's tip where this run committed before. A branch with commits of
 * others, or one that somebody has checked out, is not ours to move.
 */
async function parentOf(
  place: BranchPlace,
  tip: string | null,
  effect: string,
  documents: BranchDocuments,
): Promise<string | null> {
  const { base, branch } = documents;
  if ((await checkedOutBranches(place)).has(branch))
    throw failure('branch_checked_out', `${branch} is checked out; switch to another branch`);
  if (base !== null && (await commitOf(place.git, place.root, base)) === null)
    throw failure('base_missing', `commit ${base} is gone from the repository`);
  if (tip === null || (base !== null && (await isAncestor(place, tip, base)))) return base;
  const run = `${effect.split('/')[0]}/`;
  const beyond = await effectsOf(place, [tip, ...(base === null ? [] : [`^${base}`])]);
  const foreign = beyond.find((one) => !one.effect?.startsWith(run));
  if (foreign) throw failure('branch_moved', `${branch} has a commit of somebody else: ${foreign.commit}`);
  return tip;
}

async function writeDocumentTree(
  place: BranchPlace,
  parent: string | null,
  documents: BranchDocuments,
): Promise<string> {
  const folders = await readFolders(place, parent, documents.docs);
  const blobs = [];
  for (const { name, text } of documents.files) {
    const args = ['hash-object', '-w', '--no-filters', '--stdin'];
    const id = (await place.git.need(place.root, args, { input: text })).trim();
    checkTarget(folders, { name, id }, documents);
    blobs.push({ name, id });
  }
  return await writeFolders(place, folders, documents.docs, blobs);
}

function checkTarget(folders: Folders, file: { name: string; id: string }, documents: BranchDocuments): void {
  const found = folders.at(-1)?.find((entry) => entry.name === bytes(file.name));
  if (!found || found.id === file.id) return;
  if (found.type !== 'blob') throw guardRefused('not_a_file', `${documents.docs}/${file.name}`);
  if (!documents.overwrite) throw documentsExist(documents.docs, file.name);
}

async function writeCommit(
  place: BranchPlace,
  effect: string,
  on: { readonly tree: string; readonly parent: string | null },
  documents: BranchDocuments,
): Promise<string> {
  const parents = on.parent === null ? [] : ['-p', on.parent];
  const input = `${documents.message.trimEnd()}\n\n${TRAILER}${effect}\n`;
  const env = await commitIdentity(place, documents.author);
  const args = ['commit-tree', '--no-gpg-sign', on.tree, ...parents];
  return (await place.git.need(place.root, args, { input, env })).trim();
}

/** Moves the branch only if it still is where we looked; nothing else can be lost by it. */
async function moveBranch(
  place: BranchPlace,
  effect: string,
  branch: string,
  move: { readonly from: string | null; readonly to: string },
): Promise<void> {
  const ref = branchRef(branch);
  const env = await commitIdentity(place);
  const args = ['update-ref', '--no-deref', '-m', `baton: ${effect}`, ref, move.to, move.from ?? ''];
  const done = await place.git.run(place.root, args, { env });
  if (done?.code === 0) return;
  const now = await commitOf(place.git, place.root, ref);
  const why = done?.stderr.trim() ?? 'there is no git program';
  const code = now === move.from ? 'git_failed' : 'branch_moved';
  throw failure(code, `${branch}: ${why}`, { retry: 'transient' });
}
