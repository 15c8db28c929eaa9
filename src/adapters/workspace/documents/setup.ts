import { posix } from 'node:path';
import * as z from 'zod';
import { failure, guardRefused } from '../../../engine/errors.ts';
import type { LexicalPath } from '../../../engine/paths.ts';
import { orElse } from '../../../engine/system-error.ts';
import { listFolder, statOf } from '../../../files/real-files.ts';
import { child, type RealPath, resolvePath } from '../../../files/real-path.ts';
import {
  type BranchContext,
  type BranchesFound,
  branchRef,
  chooseBranch,
  findBranches,
  namesAbove,
  together,
} from '../../git/branch.ts';
import { treeEntry, zeroList } from '../../git/names.ts';
import { findHead } from '../../git/repository.ts';
import { guardDocsPath, walkTo } from './guard.ts';

/** Documents of an earlier run. If one of them exists, the slug is taken (SP-09). */
const DOCUMENTS = ['spec.md', 'qa_notes.md', 'critic_findings.md', 'conventions.md'];

/** Input of the query `setup`. */
export const SetupQuestion = z.strictObject({
  slug: z.string(),
  docs_path: z.string(),
  branch: z.string().nullable(),
});

export interface FoundSetup {
  readonly taken: readonly string[];
  readonly siblings: readonly string[];
  readonly branch: { readonly name: string; readonly base: string | null } | null;
}

/**
 * What conflicts with a slug, before any folder or branch exists. A location where the documents could not be written
 * is refused now, not after all the work. Without a branch, git is not called.
 */
export async function findSetup(
  location: BranchContext,
  question: z.infer<typeof SetupQuestion>,
): Promise<FoundSetup> {
  const docs = guardDocsPath(question.docs_path, location.namespace, question.slug);
  const base = posix.dirname(docs) as LexicalPath;
  const branch = question.branch;
  const inGit = branch === null ? null : await committed(location, branch, docs);
  if (branch === null || inGit === null) {
    await walkTo(location.root, docs, false);
    const [files, folders] = [await filesIn(location.root, docs), await foldersIn(location.root, base)];
    return { taken: known(files), siblings: folders.sort(), branch: null };
  }
  const files = [...(await filesIn(location.root, docs)), ...inGit.in(docs)];
  const folders = [...(await foldersIn(location.root, base)), ...inGit.in(base, 'tree')];
  return {
    taken: known(files),
    siblings: [...new Set(folders)].sort(),
    branch: {
      name: await chooseBranch(location, branch, inGit.branches, inGit.head),
      base: inGit.head,
    },
  };
}

function known(files: readonly string[]): string[] {
  return DOCUMENTS.filter((name) => files.includes(name));
}

interface Committed {
  readonly head: string | null;
  readonly branches: BranchesFound;
  /** Names directly in a folder, on the wanted branch or at HEAD. */
  in(folder: LexicalPath, type?: 'tree'): string[];
}

/**
 * What git has of the folder and its siblings. Null outside a work tree. The queries run in parallel, one process each.
 * Only an existing branch is read afterwards. A file or link in place of a folder is refused.
 */
async function committed(
  location: BranchContext,
  branch: string,
  docs: LexicalPath,
): Promise<Committed | null> {
  const [above] = namesAbove(branch);
  const asked = findHead(location.git, location.root, above === undefined ? null : branchRef(above));
  const finding = findBranches(location, branch, asked);
  // Outside a work tree there are no branches, so an error about branches is ignored here.
  const [{ isTree, head }, atHead] = await together([
    asked,
    listAround(location, 'HEAD', docs),
    finding.catch(() => undefined),
  ]);
  if (!isTree) return null;
  if (head !== null) guardWay(atHead, docs);
  const branches = await finding;
  const ref = branchRef(branch);
  const onBranch = branches.refs.includes(ref) ? await listAround(location, ref, docs) : [];
  if (onBranch === null) throw failure('git_failed', `git ls-tree ${branch}`, { retry: 'transient' });
  const entries = [...(atHead ?? []), ...onBranch];
  return {
    head,
    branches,
    in: (folder, type) =>
      entries
        .filter((entry) => posix.dirname(entry.path) === folder && entry.type === (type ?? entry.type))
        .map((entry) => posix.basename(entry.path)),
  };
}

/** Refuses a folder if HEAD has anything other than folders on the path to it. */
function guardWay(listed: readonly Entry[] | null, docs: LexicalPath): void {
  if (listed === null) throw failure('git_failed', 'git ls-tree HEAD', { retry: 'transient' });
  const inWay = listed.some(({ type, path }) => type !== 'tree' && `${docs}/`.startsWith(`${path}/`));
  if (inWay) throw guardRefused('not_a_folder', docs);
}

async function filesIn(root: RealPath, folder: LexicalPath): Promise<string[]> {
  const found = await plainFolder(root, folder);
  if (found === null) return [];
  const present = await Promise.all(DOCUMENTS.map((name) => statOf(child(found, name))));
  return DOCUMENTS.filter((_, n) => present[n] !== null);
}

async function foldersIn(root: RealPath, folder: LexicalPath): Promise<string[]> {
  const found = await plainFolder(root, folder);
  if (found === null) return [];
  return (await listFolder(found)).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** Null for a folder that is missing, behind a link or unreadable. */
async function plainFolder(root: RealPath, folder: LexicalPath): Promise<RealPath | null> {
  const found = await resolvePath(root, folder).catch(orElse(null));
  return found?.ok && found.leaf === 'folder' ? found.path : null;
}

interface Entry {
  readonly type: string;
  readonly path: string;
}

/** Entries of a folder, of the one above it and of the path to it. Null if git does not have such a ref. */
async function listAround(
  location: BranchContext,
  ref: string,
  folder: LexicalPath,
): Promise<Entry[] | null> {
  const parts = folder.split('/');
  const way = parts.map((_, n) => parts.slice(0, n + 1).join('/'));
  const listed = await location.git.run(location.root, [
    ...['ls-tree', '--full-tree', '-t', '-z', ref, ...way],
    ...[`${folder}/`, `${posix.dirname(folder)}/`],
  ]);
  if (listed?.code !== 0) return null;
  return zeroList(listed.stdout)
    .map(treeEntry)
    .map(({ type, name }) => ({ type, path: name }));
}
