import { needSnapshot } from '../snapshots/git-snapshots.ts';
import { START } from './open-tree.ts';
import { inherit } from './person.ts';
import { type RunTree, tipOf } from './run-tree.ts';
import { renewWorkerGit } from './worker-git.ts';

/**
 * Renews the git directory for the next worker if an earlier one changed a control file in it. Hooks and settings of an
 * author must not run in the hands of the evaluator. Files of the tree are not touched.
 */
export async function freshWorkerGit(tree: RunTree): Promise<void> {
  const [{ git: made }, now] = [await needSnapshot(tree.kept, START), await tree.kept.controls()];
  const keys = new Set([...Object.keys(made), ...Object.keys(now)]);
  if ([...keys].every((key) => made[key] === now[key])) return;
  await renewWorkerGit(tree.at, tree.person, await inherit(tree.person), await tipOf(tree));
}
