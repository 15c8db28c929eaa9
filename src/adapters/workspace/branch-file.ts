import * as z from 'zod';
import { failure } from '../../engine/errors.ts';
import { validatePath } from '../../engine/paths.ts';
import type { RealPath } from '../../files/real-path.ts';
import { branchRef } from './branch.ts';
import type { Git } from './git.ts';
import { commitOf } from './repository.ts';

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
