import { basename } from 'node:path';
import type { RealPath } from '../../files/real-path.ts';
import type { WorkspaceFacts } from '../../ports/workspace.ts';
import type { Git } from './git.ts';
import { headOf, isInWorkTree } from './repository.ts';

/** Facts about its folder that a run gets at the start. Only reads. */
export async function workspaceFacts(git: Git, root: RealPath): Promise<WorkspaceFacts> {
  const isTree = await isInWorkTree(git, root);
  return { folder: basename(root), git: isTree ? await headOf(git, root) : null };
}
