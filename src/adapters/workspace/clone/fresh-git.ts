import { needSnapshot } from '../snapshots/git-snapshots.ts';
import { START } from './open-tree.ts';
import { inherit } from './person.ts';
import { type RunTree, tipOf } from './run-tree.ts';
import { renewWorkerGit } from './worker-git.ts';

/**
 * Gives the next worker a git directory as it was made when an earlier one changed anything in it that decides what it
 * means: hooks and settings of an author must not run in the hands of the evaluator. Files are not touched.
 */
export async function freshWorkerGit(tree: RunTree): Promise<void> {
  const [{ git: made }, now] = [await needSnapshot(tree.kept, START), await tree.kept.controls()];
  const keys = new Set([...Object.keys(made), ...Object.keys(now)]);
  if ([...keys].every((key) => made[key] === now[key])) return;
  await renewWorkerGit(tree.at, tree.person, await inherit(tree.person), await tipOf(tree));
}
