import { listFolder, removeFile, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import { writeState } from '../../files/state-files.ts';
import { withIo } from '../../files/with-io.ts';
import type { Leftover } from '../../ports/workspace.ts';
import { createGit, type GitEnvironment } from '../git/git.ts';
import { isAbandoned, locksBelow } from '../git/locks.ts';
import { findRepository } from '../git/repository.ts';
import { halfClones } from './clone/collect.ts';

interface LeftoversContext {
  /** State directory of the repository. */
  readonly home: string;
  /** The person's work tree. */
  readonly root: string;
  readonly namespace: string;
  readonly environment: GitEnvironment;
}

/**
 * Locks on our refs, half clones and temporary objects, in the person's repository and in our own git directories.
 * Files of a running git are left out. Only reads.
 */
export function findLeftovers(location: LeftoversContext): Promise<Leftover[]> {
  return withIo('leftovers', async () => {
    const home = await realFolder(location.home);
    const repository = await findRepository(createGit(location.environment), await realFolder(location.root));
    const commonDir = repository?.commonDir ?? null;
    const gitDirs = [...(commonDir === null ? [] : [commonDir]), ...(await ownGitDirs(home))];
    const objects = await Promise.all(gitDirs.map(temporaryObjects));
    return [
      ...(commonDir === null ? [] : await ownLocks(commonDir, location.namespace)),
      ...(await halfClones(home)).map((path) => ({ kind: 'clone', path }) as const),
      ...objects.flat().map((path) => ({ kind: 'object', path }) as const),
    ];
  });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes locks and temporary objects, at most once a day. Half clones are removed with the old trees. */
export async function removeLeftovers(location: LeftoversContext): Promise<void> {
  await withIo('leftovers', async () => {
    const home = await realFolder(location.home);
    if (Number((await statOf(child(home, 'cleaned')))?.mtimeMs ?? 0) > Date.now() - DAY_MS) return;
    for (const { kind, path } of await findLeftovers(location))
      if (kind !== 'clone') await removeFile(path as RealPath);
    await writeState(home, 'cleaned', '');
  });
}

async function ownLocks(commonDir: RealPath, namespace: string): Promise<Leftover[]> {
  const refs = child(commonDir, 'refs');
  const folders = [child(refs, 'baton'), child(child(refs, 'heads'), namespace)];
  const locks = (await Promise.all(folders.map(locksBelow))).flat();
  return (await abandoned(locks, commonDir)).map((path) => ({ kind: 'lock', path }));
}

/** Git directories in the state folder that only our own git uses. */
async function ownGitDirs(home: RealPath): Promise<RealPath[]> {
  const below = async (name: string) => {
    const folder = child(home, name);
    if ((await statOf(folder)) === null) return [];
    return (await listFolder(folder))
      .filter((one) => one.isDirectory())
      .map((one) => child(folder, one.name));
  };
  const trees = (await below('trees')).flatMap((tree) => [child(tree, 'git'), child(tree, 'view')]);
  return [...trees, ...(await below('snapshots')).map((one) => child(one, 'git'))];
}

const TEMPORARY = /^tmp_(?:obj|pack|idx|rev|mtimes)_/;

/** Files that git writes before an object or a pack gets its name. */
async function temporaryObjects(gitDir: RealPath): Promise<RealPath[]> {
  const objects = child(gitDir, 'objects');
  if ((await statOf(objects)) === null) return [];
  const folders = (await listFolder(objects)).filter(
    (one) => one.isDirectory() && /^(?:[0-9a-f]{2}|pack)$/.test(one.name),
  );
  const listed = await Promise.all(
    folders.map(async ({ name }) => {
      const folder = child(objects, name);
      return (await listFolder(folder)).filter((one) => one.isFile()).map((one) => child(folder, one.name));
    }),
  );
  const found = listed.flat().filter((path) => TEMPORARY.test(path.slice(path.lastIndexOf('/') + 1)));
  return abandoned(found, gitDir);
}

async function abandoned(files: readonly RealPath[], gitDir: RealPath): Promise<RealPath[]> {
  const found: RealPath[] = [];
  for (const file of files) if (await isAbandoned(file, gitDir)) found.push(file);
  return found;
}
