import type { BigIntStats } from 'node:fs';
import { hashOf, listFolder, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { needPerson, type Person } from '../../git/person.ts';
import { hooksOf } from '../commit/run.ts';
import { controlFiles, filesIn } from '../snapshots/git-state.ts';

/** Parts of a git directory that decide what it means: HEAD, branches, settings, hooks, exclusions. */
const FILES = [
  ...['HEAD', 'config', 'config.worktree', 'packed-refs', 'commondir', 'gitdir', 'shallow'],
  // A killed git program leaves its lock, which blocks every other git program.
  ...['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock'],
];
const FOLDERS = ['hooks', 'info', 'refs', 'objects/info', 'worktrees', 'modules'];

/** Most entries of one git directory that are read. Folders beyond that limit are not read further. */
const MOST = 2000;

/**
 * Reads the control files of a git directory as files: no git program may read a directory that a worker can write.
 * Keys have the form `.git/...`. A git directory that is missing, or is a file or link, appears as `.git`.
 */
export async function readControls(gitDir: RealPath): Promise<Record<string, string>> {
  const top = await statOf(gitDir);
  if (!top?.isDirectory()) return { '.git': top === null ? 'missing' : await describe(gitDir, top) };
  const found: Record<string, string> = {};
  for (const name of FILES) await add(found, child(gitDir, name), `.git/${name}`);
  for (const name of FOLDERS) {
    const at = name.split('/').reduce(child, gitDir);
    await walk(found, at, `.git/${name}`);
  }
  return found;
}

async function walk(found: Record<string, string>, at: RealPath, name: string): Promise<void> {
  const stat = await statOf(at);
  if (stat === null) return;
  if (!stat.isDirectory()) return await add(found, at, name);
  for (const entry of await listFolder(at)) {
    if (Object.keys(found).length >= MOST) return;
    await walk(found, child(at, entry.name), `${name}/${entry.name}`);
  }
}

async function add(found: Record<string, string>, at: RealPath, name: string): Promise<void> {
  const stat = await statOf(at);
  if (stat !== null) found[name] = await describe(at, stat);
}

async function describe(at: RealPath, stat: BigIntStats): Promise<string> {
  return `${(stat.mode & 0o170111n).toString(8)} ${(await hashOf(at)) ?? ''}`;
}

/**
 * Fingerprints of what git and Baton obey in the person's own repository: settings, hooks and `baton.yaml`. The folder
 * of `core.hooksPath` is included wherever it is. The names do not show where it is on this machine.
 */
export async function personControls(person: Person): Promise<Record<string, string>> {
  const repository = await needPerson(person.git, person.root);
  const hooks = await hooksOf(person.git, repository);
  const config = child(repository.top, 'baton.yaml');
  const found = (await statOf(config)) === null ? null : await hashOf(config);
  return {
    ...(await controlFiles(repository)),
    ...(hooks !== child(repository.commonDir, 'hooks') && {
      'core.hooksPath': hooks,
      ...(await filesIn(hooks as RealPath, 'core.hooksPath')),
    }),
    ...(found !== null && { 'baton.yaml': found }),
  };
}
