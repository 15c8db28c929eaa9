import * as z from 'zod';
import { failure, guardRefused } from '../../../engine/errors.ts';
import type { LexicalPath } from '../../../engine/paths.ts';
import { hashOf, removeEmpty, removeFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { commitOf, isInWorkTree } from '../../git/repository.ts';
import type { CommitSite } from '../commit/commit.ts';
import { guardDocument } from '../commit/plan.ts';
import { guardDocsPath, walkTo } from './guard.ts';

/**
 * Input of the write `clean_up`. `remove` names files of the folder. `commit` is the confirmed commit the removal
 * depends on, or null if nothing was committed.
 */
export const CleanUpInput = z.object({
  docs_path: z.string(),
  slug: z.string().optional(),
  remove: z.array(z.string()),
  commit: z.string().nullish(),
});
export type CleanUpInput = z.infer<typeof CleanUpInput>;

export interface CleanedUp {
  readonly removed: readonly string[];
  /** Files that stay because a commit contains them or because they are no longer what a run wrote. */
  readonly kept: readonly string[];
}

type CleanUpContext = Pick<CommitSite, 'git' | 'root' | 'namespace' | 'head' | 'isWritten'>;

/**
 * Removes copies of documents after the commit they depend on is confirmed (INV-11). The whole guard of WF-69 comes
 * first. A file that a commit contains stays on disk. Safe to repeat.
 */
export async function cleanUp(location: CleanUpContext, _: string, input: CleanUpInput): Promise<CleanedUp> {
  const { folder, targets, kept } = await planCleanUp(location, input);
  for (const { at } of targets) await removeFile(at);
  if (folder !== null) await removeEmpty(folder);
  return { removed: targets.map(({ path }) => path), kept };
}

/** The result if nothing is left to remove. Otherwise null, and the write is repeated. */
export async function lookupCleanUp(
  location: CleanUpContext,
  _: string,
  input: CleanUpInput,
): Promise<CleanedUp | null> {
  const { targets, kept, paths } = await planCleanUp(location, input);
  for (const { at } of targets) if ((await statOf(at)) !== null) return null;
  return { removed: paths.filter((path) => !kept.includes(path)), kept };
}

interface CleanUpPlan {
  readonly folder: RealPath | null;
  readonly paths: readonly LexicalPath[];
  readonly targets: readonly { readonly path: LexicalPath; readonly at: RealPath }[];
  readonly kept: readonly LexicalPath[];
}

async function planCleanUp(location: CleanUpContext, input: CleanUpInput): Promise<CleanUpPlan> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  const paths = input.remove.map((name) => guardDocument(location, name, input));
  const unauthorised = paths.find((path) => !path.startsWith(`${docs}/`));
  if (unauthorised !== undefined) throw guardRefused('level', unauthorised);
  const folder = await walkTo(location.root, docs, false);
  const kept: LexicalPath[] = [];
  const targets: { path: LexicalPath; at: RealPath }[] = [];
  for (const path of paths) {
    const at = folder === null ? null : await plainTarget(folder, path, docs.length + 1);
    if ((await isCommitted(location, path, input.commit ?? null)) || (await isForeign(location, path, at)))
      kept.push(path);
    else if (at !== null) targets.push({ path, at });
  }
  return { folder, paths, targets, kept };
}

async function plainTarget(folder: RealPath, path: LexicalPath, from: number): Promise<RealPath> {
  const at = child(folder, path.slice(from));
  if ((await statOf(at))?.isDirectory()) throw guardRefused('not_a_file', path);
  return at;
}

/** True if the commit contains the path. Without a commit, the head counts. Throws if the named commit does not exist. */
async function isCommitted(
  { git, root, head }: CleanUpContext,
  path: LexicalPath,
  commit: string | null,
): Promise<boolean> {
  if (!(await isInWorkTree(git, root))) return false;
  if (commit !== null && (await commitOf(git, root, commit)) === null)
    throw failure('commit_missing', `${commit} is not in the repository; nothing was removed`);
  const at = commit ?? (await head()).head;
  return at !== null && (await git.ask(root, ['rev-parse', '-q', '--verify', `${at}:${path}`])) !== null;
}

/** A file of another author under one of our names must not be removed. */
async function isForeign(
  { isWritten }: CleanUpContext,
  path: LexicalPath,
  at: RealPath | null,
): Promise<boolean> {
  const hash = at === null ? null : await hashOf(at);
  return hash !== null && isWritten !== undefined && !(await isWritten(path, hash));
}
