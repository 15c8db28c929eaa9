import { posix } from 'node:path';
import type { LexicalPath } from '../../engine/paths.ts';
import { type BranchPlace, branchRef, chooseBranch } from './branch.ts';
import { errno } from './failure.ts';
import { listFolder, statOf } from './files.ts';
import { guardDocsPath, walkTo } from './guard.ts';
import { child, type RealPath, resolvePath } from './real-path.ts';
import { headOf, isInWorkTree } from './repository.ts';
import { readFolders } from './trees.ts';

/** Documents of an earlier run; any of them makes a slug taken (SP-09). */
const DOCUMENTS = ['spec.md', 'qa_notes.md', 'critic_findings.md', 'conventions.md'];

export interface SetupQuestion {
  readonly slug: string;
  readonly docs_path: string;
  readonly branch: string | null;
}

export interface FoundSetup {
  readonly taken: readonly string[];
  readonly siblings: readonly string[];
  readonly branch: { readonly name: string; readonly base: string | null } | null;
}

/**
 * What stands in the way of a slug, before any folder or branch exists. A place the documents could not be written to
 * is refused now and not after all the work. Without a branch git is not asked.
 */
export async function findSetup(place: BranchPlace, question: SetupQuestion): Promise<FoundSetup> {
  const docs = guardDocsPath(question.docs_path, place.namespace, question.slug);
  const base = posix.dirname(docs) as LexicalPath;
  const useGit = question.branch !== null && (await isInWorkTree(place.git, place.root));
  const branch = useGit && question.branch !== null ? question.branch : null;
  const refs = branch === null ? [] : [branchRef(branch), 'HEAD'];
  if (branch === null) await walkTo(place.root, docs, false);
  const files = await filesIn(place.root, docs);
  for (const ref of refs) files.push(...(await namesInTree(place, ref, docs)));
  const folders = await foldersIn(place.root, base);
  for (const ref of refs) folders.push(...(await namesInTree(place, ref, base, 'tree')));
  return {
    taken: DOCUMENTS.filter((name) => files.includes(name)),
    siblings: [...new Set(folders)].sort(),
    branch: branch === null ? null : await wantedBranch(place, branch, docs),
  };
}

async function wantedBranch(
  place: BranchPlace,
  wanted: string,
  docs: LexicalPath,
): Promise<FoundSetup['branch']> {
  const { head } = await headOf(place.git, place.root);
  await readFolders(place, head, docs);
  return { name: await chooseBranch(place, wanted, head), base: head };
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

/** Null for a folder that is missing, lies behind a link or may not be read. */
async function plainFolder(root: RealPath, folder: LexicalPath): Promise<RealPath | null> {
  try {
    const found = await resolvePath(root, folder);
    return found.ok && found.leaf === 'folder' ? found.path : null;
  } catch (error) {
    if (errno(error) === null) throw error;
    return null;
  }
}

async function namesInTree(
  place: BranchPlace,
  ref: string,
  folder: LexicalPath,
  type?: 'tree',
): Promise<string[]> {
  const args = ['ls-tree', '--full-tree', '-z', ...(type ? ['-d'] : []), '--name-only', ref, `${folder}/`];
  const listed = await place.git.ask(place.root, args);
  return (listed ?? '')
    .split('\0')
    .filter(Boolean)
    .map((path) => posix.basename(path));
}
