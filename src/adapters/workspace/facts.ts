import { basename } from 'node:path';
import type { WorkspaceFacts } from '../../ports/workspace.ts';
import type { Git } from './git.ts';
import type { RealPath } from './real-path.ts';
import { headOf, isInWorkTree } from './repository.ts';

/** What a run is told about its folder at the start. Reads only. */
export async function workspaceFacts(git: Git, root: RealPath): Promise<WorkspaceFacts> {
  const folder = basename(root);
  return { folder, git: (await isInWorkTree(git, root)) ? await headOf(git, root) : null };
}
