import { InvariantError } from '../../engine/errors.ts';
import { sha256, statOf } from './files.ts';
import type { Git, GitEnvironment } from './git.ts';
import { gitPath, settingText } from './git-files.ts';
import { controlFiles } from './git-state.ts';
import { child, type RealPath, realFolder } from './real-path.ts';
import { findRepository, type Repository } from './repository.ts';
import { createFileSnapshots } from './snapshots/file-snapshots.ts';
import { makeGitDir, RAW_ATTRIBUTES } from './snapshots/git-dir.ts';
import { createGitSnapshots } from './snapshots/git-snapshots.ts';
import type { KeptTree } from './snapshots/kept-tree.ts';
import { removeLocks } from './snapshots/locks.ts';
import { splitLinks, zeroList } from './snapshots/names.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { makePrivate, writeState } from './state-files.ts';
import { personalIgnoreFile } from './tree-list.ts';

export interface CheckoutSnapshotsPlace {
  readonly git: Git;
  readonly root: RealPath;
  readonly environment: GitEnvironment;
  /** Folder of the state directory; null where the workspace was opened without one. */
  readonly state: string | null;
}

/**
 * Snapshots of the person's own folder, all in the state directory: the person's index, objects and files are only
 * read. With git in a git directory of ours, else as copied files.
 */
export async function checkoutSnapshots(place: CheckoutSnapshotsPlace): Promise<Snapshots> {
  if (place.state === null) throw new InvariantError('a snapshot needs a state folder');
  await makePrivate(place.state as RealPath);
  // Work trees of one repository share a state directory; each has snapshots of its own.
  const own = sha256(place.root).slice('sha256:'.length, 'sha256:'.length + 12);
  const state = child(child(await realFolder(place.state), 'snapshots'), own);
  await makePrivate(state);
  const repository = await findRepository(place.git, place.root);
  if (repository === null) {
    const files = child(state, 'files');
    await makePrivate(files);
    return createFileSnapshots({ root: place.root, state: files });
  }
  return createGitSnapshots(await keptCheckout(place, repository, child(state, 'git')));
}

async function keptCheckout(
  place: CheckoutSnapshotsPlace,
  repository: Repository,
  gitDir: RealPath,
): Promise<KeptTree> {
  const { git, root } = place;
  if ((await statOf(child(gitDir, 'HEAD'))) === null) {
    const format = (await git.need(root, ['rev-parse', '--show-object-format'])).trim();
    await makeGitDir(gitDir, {
      format: format === 'sha256' ? 'sha256' : 'sha1',
      alternates: [await realFolder(await gitPath(git, root, 'objects'))],
      branch: 'none',
      settings: { 'core.protectNTFS': 'false', 'core.protectHFS': 'false' },
      refs: {},
      files: { 'info/attributes': RAW_ATTRIBUTES },
    });
  }
  await removeLocks(gitDir);
  const own = (await settingText(await gitPath(git, root, 'info/exclude'))) ?? '';
  const ignore = await personalIgnoreFile(git, root, place.environment);
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
