import * as z from 'zod';
import type { LexicalPath } from '../../engine/paths.ts';
import { guardDocument } from './commit-plan.ts';
import { guardRefused } from './failure.ts';
import { hashOf, removeEmpty, removeFile, statOf } from './files.ts';
import { guardDocsPath, walkTo } from './guard.ts';
import { child, type RealPath } from './real-path.ts';

/**
 * Input of the write `clean_up`. `remove` names files of the folder. `commit` is the confirmed commit the removal
 * depends on, or null where nothing was committed.
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
  /** Files that stay because a commit holds them. */
  readonly kept: readonly string[];
}

export interface CleanUpPlace {
  readonly root: RealPath;
  readonly namespace: string;
  /** True when the commit, or HEAD without one, holds the path. Throws where the named commit is not there. */
  isCommitted(path: LexicalPath, commit: string | null): Promise<boolean>;
  /** True when the file is still exactly what a run wrote; without it every named file is ours. */
  isOwn?(path: LexicalPath, hash: string): Promise<boolean>;
}

/**
 * Removes copies of documents after the commit they depend on is confirmed (INV-11). The whole guard of WF-69 comes
 * first; a file some commit holds stays on disk. Safe to repeat.
 */
export async function cleanUp(place: CleanUpPlace, input: CleanUpInput): Promise<CleanedUp> {
  const { folder, targets, kept } = await planCleanUp(place, input);
  for (const { at } of targets) await removeFile(at);
  if (folder !== null) await removeEmpty(folder);
  return { removed: targets.map(({ path }) => path), kept };
}

/** The result if nothing is left to remove, else null: then the write is done again. */
export async function lookupCleanUp(place: CleanUpPlace, input: CleanUpInput): Promise<CleanedUp | null> {
  const { targets, kept, paths } = await planCleanUp(place, input);
  for (const { at } of targets) if ((await statOf(at)) !== null) return null;
  return { removed: paths.filter((path) => !kept.includes(path)), kept };
}

interface CleanUpPlan {
  readonly folder: RealPath | null;
  readonly paths: readonly LexicalPath[];
  readonly targets: readonly { readonly path: LexicalPath; readonly at: RealPath }[];
  readonly kept: readonly LexicalPath[];
}

async function planCleanUp(place: CleanUpPlace, input: CleanUpInput): Promise<CleanUpPlan> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const paths = input.remove.map((name) => guardDocument(place, name, input));
  const stray = paths.find((path) => !path.startsWith(`${docs}/`));
  if (stray !== undefined) throw guardRefused('level', stray);
  const folder = await walkTo(place.root, docs, false);
  const kept: LexicalPath[] = [];
  const targets: { path: LexicalPath; at: RealPath }[] = [];
  for (const path of paths) {
    const at = folder === null ? null : await plainTarget(folder, path, docs.length + 1);
    if ((await place.isCommitted(path, input.commit ?? null)) || (await isForeign(place, path, at)))
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

/** Somebody else's file under a name of ours: it is not ours to remove. */
async function isForeign(place: CleanUpPlace, path: LexicalPath, at: RealPath | null): Promise<boolean> {
  const hash = at === null ? null : await hashOf(at);
  return hash !== null && place.isOwn !== undefined && !(await place.isOwn(path, hash));
}
