import { randomBytes } from 'node:crypto';
import { readSmallFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { makePrivate, moveTo, removeTree, writeState } from '../../../files/state-files.ts';
import type { CommitParts } from '../../../ports/workspace.ts';
import { inherit } from '../../git/person.ts';
import { stageOnly } from '../commit/commit.ts';
import { planCommit } from '../commit/plan.ts';
import { type TreeDir, tipOf } from './run-tree.ts';
import type { CloneSite } from './site.ts';
import { makeWorkerGit } from './worker-git.ts';

/** Beside the run's tree, at the same depth: its git directory reads the same objects. */
export function cleanFolder({ dir }: TreeDir): RealPath {
  return child(dir, 'clean');
}

const KEY_FILE = 'clean.key';
const CHECKOUT_MS = 600_000;

/**
 * A folder with exactly the content of a commit of these paths, staged like that commit. It is moved into place when it
 * is complete, so a folder under its name is complete. Its key is stored beside it, where no check can write.
 */
export async function checkOutCommit(
  site: CloneSite,
  key: string,
  commit: CommitParts,
): Promise<{ root: string; fresh: boolean }> {
  const { at, person } = site.tree;
  const root = cleanFolder(at);
  const isThere = (await readSmallFile(child(at.dir, KEY_FILE))) === key && (await statOf(root)) !== null;
  if (isThere) return { root, fresh: false };
  const tree = await commitTree(site, commit);
  const part = child(at.dir, `clean.${randomBytes(4).toString('hex')}.part`);
  try {
    await makePrivate(part);
    const git = child(part, '.git');
    await makeWorkerGit(
      { ...at, tree: part, workerGit: git },
      person,
      await inherit(person),
      await tipOf(site.tree),
    );
    const env = { GIT_DIR: git, GIT_WORK_TREE: part };
    await person.git.need(at.dir, ['read-tree', '--reset', '-u', tree], { env, deadline_ms: CHECKOUT_MS });
    await removeTree(root);
    await writeState(at.dir, KEY_FILE, key);
    await moveTo(part, root);
  } finally {
    await removeTree(part);
  }
  return { root, fresh: true };
}

/** The tree that the commit would have, without the documents of the run. */
async function commitTree(site: CloneSite, { paths, since }: CommitParts): Promise<string> {
  const plan = await planCommit(site, { paths: [...paths], message: '', all: false });
  const asked = { effect: 'clean', unasked: true, in: site.tree.at.dir };
  return await stageOnly(site, asked, { paths: plan.paths, since }, (tree) => Promise.resolve(tree));
}
