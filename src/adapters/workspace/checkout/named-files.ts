import * as z from 'zod';
import type { Hash } from '../../../contract/ids.ts';
import { criterionIds } from '../../../engine/criterion-ids.ts';
import { failure } from '../../../engine/errors.ts';
import { validatePath } from '../../../engine/paths.ts';
import type { RealPath } from '../../../files/real-path.ts';
import type { StoreText } from '../../../ports/workspace.ts';
import { branchRef } from '../../git/branch.ts';
import type { Git } from '../../git/git.ts';
import { commitOf } from '../../git/repository.ts';
import { readText, type TextLocation } from '../texts/read-text.ts';

/** Input of the query `spec_file`. */
export const SpecFileInput = z.strictObject({ path: z.string() });

/** A specification written by hand: its text as an artefact with plain line ends, and its criterion ids. */
export async function findSpecFile(
  location: TextLocation,
  { path }: z.infer<typeof SpecFileInput>,
  keep: StoreText,
): Promise<{ readonly hash: Hash; readonly criteria: readonly string[] }> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const read = await readText(location.root, checked.path);
  if (!read.ok) throw failure('spec_unreadable', `${path}: ${read.rule}`);
  const text = read.text.replaceAll('\r\n', '\n');
  return { hash: await keep(text), criteria: criterionIds(text) };
}

/** Input of the query `branch_file`. */
export const BranchFileInput = z.strictObject({ branch: z.string(), path: z.string() });

/** Head commit of a branch and the text of one file in it. Null if the branch or the file does not exist. */
export interface BranchFile {
  readonly commit: string | null;
  readonly text: string | null;
}

export async function findBranchFile(
  location: { readonly git: Git; readonly root: RealPath; readonly namespace: string },
  { branch, path }: z.infer<typeof BranchFileInput>,
): Promise<BranchFile> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const commit = await commitOf(location.git, location.root, branchRef(branch));
  if (commit === null) return { commit: null, text: null };
  const file = await location.git.run(location.root, ['cat-file', 'blob', `${commit}:${checked.path}`]);
  return { commit, text: file?.code === 0 ? file.stdout : null };
}
