import { randomBytes } from 'node:crypto';
import { child } from '../../../files/real-path.ts';
import { makePrivate, removeTree } from '../../../files/state-files.ts';
import { branchRef } from '../../git/branch.ts';
import { effectVariables } from '../../git/git.ts';
import { filterSettings, needPerson } from '../../git/person.ts';
import { type CommitContext, openCommitRoom } from '../commit/room.ts';
import { chooseHooks, hooksOf } from '../commit/run.ts';
import { type RunTree, tipOf } from './run-tree.ts';

/**
 * Creates a separate index at the head of the run's branch. Every file that is not staged stays as it is in the branch.
 */
export async function withStaging<T>(
  tree: RunTree,
  { effect, unasked = false }: { readonly effect: string; readonly unasked?: boolean | undefined },
  use: (location: CommitContext, head: string | null) => Promise<T>,
): Promise<T> {
  const { person, at } = tree;
  const repository = await needPerson(person.git, person.root);
  const folder = child(at.dir, `staging.${randomBytes(6).toString('hex')}`);
  await makePrivate(folder);
  const index = child(folder, 'index');
  const { branch, commit } = await tipOf(tree);
  const hooks = await hooksOf(person.git, repository);
  const settings = await filterSettings(person, repository);
  const target = { person, repository, hooks, settings, branch, head: commit, folder, gitDir: at.view };
  const room = await openCommitRoom({ ...target, ref: branchRef(branch) });
  const location: CommitContext = {
    git: person.git,
    root: at.tree,
    env: { GIT_DIR: at.view, GIT_WORK_TREE: at.tree, GIT_INDEX_FILE: index, ...effectVariables(effect) },
    ...chooseHooks(hooks, room !== null, unasked),
    settings,
    room,
  };
  try {
    const from = commit === null ? ['--empty'] : [commit];
    await person.git.need(at.dir, ['read-tree', ...from], { env: location.env });
    await person.git.run(at.dir, ['update-index', '-q', '--refresh'], { env: location.env });
    return await use(location, commit);
  } finally {
    await removeTree(folder);
  }
}

/** The tree of the staged content. */
export async function stagedTree(tree: RunTree, location: CommitContext): Promise<string> {
  return (await tree.person.git.need(tree.at.dir, ['write-tree'], { env: location.env })).trim();
}
