import { basename } from 'node:path';
import type { WorkspaceFacts } from '../../ports/workspace.ts';
import type { Git } from './git.ts';
import { repositoryWithoutGit } from './missing-git.ts';
import type { RealPath } from './real-path.ts';
import { headOf, isInWorkTree } from './repository.ts';

/** What a run is told about its folder at the start. Reads only. */
export async function workspaceFacts(git: Git, root: RealPath): Promise<WorkspaceFacts> {
  const folder = basename(root);
  if (await isInWorkTree(git, root)) return { folder, git: await headOf(git, root) };
  const missing = (await repositoryWithoutGit(git, root)) !== null;
  return { folder, git: null, ...(missing ? { git_missing: true } : {}) };
}
