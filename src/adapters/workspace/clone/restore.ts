import { failure } from '../../../engine/errors.ts';
import { listedPath } from '../../../files/real-path.ts';
import { openRights, removeTree } from '../../../files/state-files.ts';
import { type ByteName, decodeName, zeroList } from '../../git/names.ts';
import { inherit } from '../../git/person.ts';
import { ask, checkOut, keepUnder, needSnapshot } from '../snapshots/git-snapshots.ts';
import { snapshotKey } from '../snapshots/snapshots.ts';
import { writePresent } from '../snapshots/stored-tree.ts';
import { ensureRoot, type RunTree, tipOf } from './run-tree.ts';
import { renewWorkerGit } from './worker-git.ts';

const TRIES = 2;

/**
 * Restores the tree to a snapshot, byte for byte, and compares the result. It first stores the current tree under a ref
 * of our own directory. Ignored files stay. Safe to repeat: a crash in between is only an unfinished restore.
 */
export async function restoreTree(tree: RunTree, name: string): Promise<{ kept: string }> {
  const wanted = await needSnapshot(tree.kept, name);
  await ensureRoot(tree.at);
  const present = await writePresent(tree.kept);
  const kept = await freeRef(tree, name);
  await keepUnder(tree.kept, kept, present);
  for (let n = 1; n <= TRIES; n += 1) {
    if (n > 1) await openRights(tree.at.tree);
    await removeOdd(
      tree,
      wanted.tree,
      present.odd.filter((odd) => !wanted.odd.includes(odd)),
    );
    if (await putBack(tree, wanted.tree)) return { kept };
  }
  throw failure('restore_failed', `the tree is not the snapshot ${name} after ${TRIES} tries`);
}

async function putBack(tree: RunTree, wanted: string): Promise<boolean> {
  await renewWorkerGit(tree.at, tree.person, await inherit(tree.person), await tipOf(tree));
  try {
    await checkOut(tree.kept, wanted);
  } catch (error) {
    if ((await writePresent(tree.kept)).tree !== wanted) return false;
    throw error;
  }
  return (await writePresent(tree.kept)).tree === wanted;
}

async function freeRef(tree: RunTree, name: string): Promise<string> {
  const prefix = `refs/baton/kept/${snapshotKey(name)}`;
  const listed = await ask(tree.kept, ['for-each-ref', '--format=%(refname)', `${prefix}/`]);
  return `${prefix}/${listed.split('\n').filter(Boolean).length + 1}`;
}

/** A repository that appeared in the tree is removed whole, unless the snapshot has files in that folder. */
async function removeOdd(tree: RunTree, wanted: string, odd: readonly ByteName[]): Promise<void> {
  if (odd.length === 0) return;
  const names = zeroList(await ask(tree.kept, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', wanted]));
  for (const name of odd) {
    const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : null;
    const isWanted = folder === null || names.some((one) => one.startsWith(`${folder}/`));
    await removeTree(listedPath(tree.at.tree, decodeName(isWanted ? name : folder).path));
  }
}
