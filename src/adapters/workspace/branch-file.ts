import * as z from 'zod';
import { validatePath } from '../../engine/paths.ts';
import { branchRef } from './branch.ts';
import { failure } from './failure.ts';
import type { Git } from './git.ts';
import type { RealPath } from './real-path.ts';
import { commitOf } from './repository.ts';

/** Input of the look `branch_file`. */
export const BranchFileInput = z.strictObject({ branch: z.string(), path: z.string() });

/** Head of a branch and the text of one file there; null where there is no such branch, or no such file in it. */
export interface BranchFile {
  readonly commit: string | null;
  readonly text: string | null;
}

export async function findBranchFile(
  place: { readonly git: Git; readonly root: RealPath; readonly namespace: string },
  { branch, path }: z.infer<typeof BranchFileInput>,
): Promise<BranchFile> {
  const checked = validatePath(path, 'spec_input', place);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const commit = await commitOf(place.git, place.root, branchRef(branch));
  if (commit === null) return { commit: null, text: null };
  const file = await place.git.run(place.root, ['cat-file', 'blob', `${commit}:${checked.path}`]);
  return { commit, text: file?.code === 0 ? file.stdout : null };
}
