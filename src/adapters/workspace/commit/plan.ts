import { posix } from 'node:path';
import * as z from 'zod';
import { guardRefused } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { listFolder, statOf } from '../../../files/real-files.ts';
import { child, leavesTree, type RealPath, sight } from '../../../files/real-path.ts';
import { guardDocsPath, guardFileName, walkTo } from '../documents/guard.ts';
import { isOwnFile, type Ledger } from '../documents/ledger.ts';
import type { TextLocation } from '../texts/read-text.ts';

/**
 * Input of the write `commit`. `documents` (or `staged`) are paths, or names below `docs_path`. With `all`, every
 * document of their folder is included. Documents that are not as we wrote them are left out.
 */
export const CommitInput = z.object({
  paths: z.array(z.string()),
  documents: z.array(z.string()).optional(),
  staged: z.array(z.string()).optional(),
  message: z.string(),
  all: z.boolean(),
  docs_path: z.string().optional(),
  slug: z.string().optional(),
  author: z.string().optional(),
  /** What was judged: the hash of the content of `paths` since the snapshot `since`. Other content is refused. */
  content: z.string().optional(),
  since: z.string().optional(),
  /** A person accepts that their hooks change what is committed: the result of the hooks is taken. */
  take_hooks: z.boolean().optional(),
  /** Those of `paths` that hooks wrote in locations we never stage. The hooks may add them to the commit again. */
  left_to_hooks: z.array(z.string()).optional(),
  /** No person answered a gate about this commit: hooks run only in a sandbox. */
  unasked: z.boolean().optional(),
});
export type CommitInput = z.infer<typeof CommitInput>;

export interface CommitPlan {
  readonly paths: readonly LexicalPath[];
  /** Documents that exist. Those that git ignores are skipped later. */
  readonly documents: readonly LexicalPath[];
  /** Requested documents that are not as we wrote them. They are left out. */
  readonly foreign: readonly LexicalPath[];
}

/** Result of the write `commit`. */
export interface Committed {
  readonly commit: string;
  readonly branch: string | null;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  /** The person's hooks that did not run. Absent if all of them ran. */
  readonly hooks_skipped?: readonly string[];
}

interface PlanContext extends TextLocation {
  readonly ledger: Ledger;
}

/** The guard of WF-69 over everything a commit names. A refusal comes before anything is staged. */
export async function planCommit(location: PlanContext, input: CommitInput): Promise<CommitPlan> {
  const paths = new Set<LexicalPath>();
  const left = new Set(input.left_to_hooks);
  for (const path of input.paths) if (!left.has(path)) paths.add(await guardTarget(location, path));
  const folders = new Set<LexicalPath>();
  if (input.docs_path !== undefined)
    folders.add(guardDocsPath(input.docs_path, location.namespace, input.slug));
  const documents = [...(input.documents ?? []), ...(input.staged ?? [])];
  const named = documents.map((path) => guardDocument(location, path, input));
  for (const path of named) folders.add(posix.dirname(path) as LexicalPath);
  const present: LexicalPath[] = [];
  for (const folder of folders) {
    const at = await walkTo(location.root, folder, false);
    if (at !== null) present.push(...(await filesBelow(at, folder)));
  }
  return { paths: [...paths].sort(), ...(await splitDocuments(location, present.sort(), named, input.all)) };
}

async function splitDocuments(
  location: PlanContext,
  present: readonly LexicalPath[],
  named: readonly LexicalPath[],
  all: boolean,
): Promise<Pick<CommitPlan, 'documents' | 'foreign'>> {
  const documents: LexicalPath[] = [];
  const foreign: LexicalPath[] = [];
  for (const path of present) {
    if (!all && !named.includes(path)) continue;
    if (await isOwnFile(location, path)) documents.push(path);
    else foreign.push(path);
  }
  return { documents, foreign };
}

/** A path of the change set: inside the rules, not below a link, and not a link that leaves the tree. */
async function guardTarget(location: TextLocation, path: string): Promise<LexicalPath> {
  const checked = validatePath(path, 'diff_target', location);
  if (!checked.ok) throw guardRefused(checked.code, JSON.stringify(path));
  if (checked.path !== path) throw guardRefused('control_character', JSON.stringify(path));
  const seen = await sight(location.root, checked.path);
  const gone = seen.leaf === 'missing';
  if (seen.linkedParent && !gone) throw guardRefused('linked_parent', path);
  if (seen.leaf === 'special') throw guardRefused('not_a_file', path);
  if (seen.leaf === 'link' && (await leavesTree(location.root, path)))
    throw guardRefused('leaves_repository', path);
  return checked.path;
}

/** A document is named by its path, or by its name if the folder is given. It is directly in the folder. */
export function guardDocument(
  location: TextLocation,
  raw: string,
  folder: { readonly docs_path?: string | undefined; readonly slug?: string | undefined },
): LexicalPath {
  const isPath = raw.includes('/') || folder.docs_path === undefined;
  const docs = guardDocsPath(
    isPath ? posix.dirname(raw) : (folder.docs_path ?? ''),
    location.namespace,
    folder.slug,
  );
  return `${docs}/${guardFileName(posix.basename(raw))}` as LexicalPath;
}

/** Regular files below a folder. Links and other entries are left out. */
async function filesBelow(at: RealPath, path: LexicalPath): Promise<LexicalPath[]> {
  const found: LexicalPath[] = [];
  for (const entry of await listFolder(at)) {
    const name = `${path}/${entry.name}` as LexicalPath;
    if (entry.isDirectory() && entry.name !== '.git')
      found.push(...(await filesBelow(child(at, entry.name), name)));
    else if ((await statOf(child(at, entry.name)))?.isFile()) found.push(name);
  }
  return found;
}
