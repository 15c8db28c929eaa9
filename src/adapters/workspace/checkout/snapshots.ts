import { dirname } from 'node:path';
import { InvariantError } from '../../../engine/errors.ts';
import { sha256, statOf } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { makePrivate, moveTo, writeState } from '../../../files/state-files.ts';
import type { Git, GitEnvironment } from '../../git/git.ts';
import { makeGitDir, RAW_ATTRIBUTES, readObjectsFrom } from '../../git/git-dir.ts';
import { gitPath, settingText } from '../../git/git-files.ts';
import { removeLocks } from '../../git/locks.ts';
import { splitLinks, zeroList } from '../../git/names.ts';
import { personalIgnoreFile } from '../../git/person.ts';
import { findRepository, type Repository } from '../../git/repository.ts';
import { earlierPaths } from '../../git/repository-owner.ts';
import { createFileSnapshots } from '../snapshots/file-snapshots.ts';
import { createGitSnapshots } from '../snapshots/git-snapshots.ts';
import { controlFiles } from '../snapshots/git-state.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { StoredTree } from '../snapshots/stored-tree.ts';

export interface CheckoutSnapshotsContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly environment: GitEnvironment;
  /** Folder of the state directory. Null if the workspace was opened without one. */
  readonly state: string | null;
}

/**
 * Snapshots of the person's own folder, all stored in the state directory. The person's index, objects and files are
 * only read. With git they are in a git directory of ours, otherwise they are copied files.
 */
export async function checkoutSnapshots(location: CheckoutSnapshotsContext): Promise<Snapshots> {
  if (location.state === null) throw new InvariantError('a snapshot needs a state folder');
  await makePrivate(location.state as RealPath);
  // Work trees of one repository share a state directory. Each has its own snapshots.
  const home = await realFolder(location.state);
  const state = stateOf(home, location.root);
  if ((await statOf(state)) === null) await followMove(home, state);
  await makePrivate(state);
  const repository = await findRepository(location.git, location.root);
  if (repository === null) {
    const files = child(state, 'files');
    await makePrivate(files);
    return createFileSnapshots({ root: location.root, state: files });
  }
  return createGitSnapshots(await storedCheckout(location, repository, child(state, 'git')));
}

function stateOf(home: RealPath, root: string): RealPath {
  const own = sha256(root).slice('sha256:'.length, 'sha256:'.length + 12);
  return child(child(home, 'snapshots'), own);
}

/** A repository that was moved takes over the snapshots of its earlier location. */
async function followMove(home: RealPath, state: RealPath): Promise<void> {
  for (const gitDir of await earlierPaths(home)) {
    const before = stateOf(home, dirname(gitDir));
    if ((await statOf(before)) === null) continue;
    return await moveTo(before, state);
  }
}

async function storedCheckout(
  location: CheckoutSnapshotsContext,
  repository: Repository,
  gitDir: RealPath,
): Promise<StoredTree> {
  const { git, root } = location;
  const objects = await realFolder(await gitPath(git, root, 'objects'));
  if ((await statOf(child(gitDir, 'HEAD'))) !== null) await readObjectsFrom(gitDir, objects);
  else {
    const format = (await git.need(root, ['rev-parse', '--show-object-format'])).trim();
    await makeGitDir(gitDir, {
      format: format === 'sha256' ? 'sha256' : 'sha1',
      alternates: [objects],
      branch: 'none',
      settings: { 'core.protectNTFS': 'false', 'core.protectHFS': 'false' },
      refs: {},
      files: { 'info/attributes': RAW_ATTRIBUTES },
    });
  }
  await removeLocks(gitDir);
  const own = (await settingText(await gitPath(git, root, 'info/exclude'))) ?? '';
  const ignore = await personalIgnoreFile(git, root, location.environment);
  const everywhere = ignore === null ? '' : ((await settingText(ignore)) ?? '');
  await writeState(child(gitDir, 'info'), 'exclude', `${everywhere.trimEnd()}\n${own.trimEnd()}\n`);
  const listed = async () =>
    splitLinks(zeroList(await git.need(root, ['ls-files', '-s', '-z'], { binary: true })));
  return {
    git,
    root,
    gitDir,
    pinned: null,
    tracked: async () => (await listed()).files,
    links: async () => (await listed()).links,
    controls: () => controlFiles(repository),
    repair: () => Promise.resolve(),
  };
}
