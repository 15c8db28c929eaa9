import { join, relative, sep } from 'node:path';
import { failure } from '../../../engine/errors.ts';
import { readSmallFile } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyIndex, makePrivate } from '../../../files/state-files.ts';
import type { HookRoom } from '../../../ports/hook-room.ts';
import type { Git, GitRun } from '../../git/git.ts';
import { copyObjects, type GitDirPlan, makeGitDir } from '../../git/git-dir.ts';
import { realFilesIn, settingText } from '../../git/git-files.ts';
import { basePlan, checkoutParts, inherit, type Person } from '../../git/person.ts';
import type { Repository } from '../../git/repository.ts';

/** What a commit needs to run in the sandbox. */
interface RoomTarget extends Pick<CommitRoom, 'folder' | 'gitDir' | 'ref'> {
  /** The person's repository. */
  readonly person: Person;
  readonly repository: Repository;
  readonly hooks: string;
  readonly branch: string | null;
  readonly head: string | null;
  /** Settings of the commit, as `-c` arguments. */
  readonly settings: readonly string[];
}

/** Null if the run has no sandbox. */
export async function openCommitRoom(target: RoomTarget): Promise<CommitRoom | null> {
  const { person, repository, hooks, branch, head, gitDir, settings } = target;
  const { hookRoom: room } = person;
  if (!room) return null;
  const from = await inherit(person);
  const plan = basePlan(from, { branch: branch ?? 'none', commit: branch === null ? null : head });
  const parts = checkoutParts(from);
  const attributes = await settingText(join(gitDir, 'info/attributes'));
  const files = {
    ...plan.files,
    ...parts.files,
    ...(attributes !== null && { 'info/attributes': attributes }),
    ...(branch === null && { HEAD: `${head}\n` }),
  };
  const own = child(gitDir, 'objects');
  const alternates = own === from.objects ? [own] : [own, ...plan.alternates];
  const large = settings.some((setting) => setting.startsWith('lfs.storage='))
    ? [child(repository.commonDir, 'lfs')]
    : [];
  for (const folder of large) await makePrivate(folder);
  const { folder, ref } = target;
  return {
    ...{ room, folder, head, gitDir, ref },
    plan: { ...plan, ...parts, files, alternates },
    hides: [repository.gitDir, repository.commonDir],
    shows: await shownHooks(hooks, repository),
    writes: large,
  };
}

interface RoomCall {
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly binary?: boolean;
  readonly deadline_ms: number;
}

/** Stages in the sandbox, where filters run, and takes over the resulting index and its objects. */
export async function stageInRoom(
  location: CommitContext,
  commitRoom: CommitRoom,
  args: readonly string[],
  call: RoomCall,
): Promise<GitRun | null> {
  const { done, gitDir } = await runInRoom(location, commitRoom, args, call);
  if (done?.code !== 0) return done;
  await copyIndex(child(gitDir, 'index'), indexOf(location));
  const env = { ...location.env, ...alternate(gitDir) };
  const tree = (await location.git.need(location.root, ['write-tree'], { env })).trim();
  await takeObjects(location, commitRoom, gitDir, tree);
  return done;
}

/** Commits in the sandbox, where hooks run. Outside, it moves the ref to the one commit that the hooks let through. */
export async function commitInRoom(
  location: CommitContext,
  commitRoom: CommitRoom,
  args: readonly string[],
  call: RoomCall,
): Promise<GitRun | null> {
  const { done, gitDir } = await runInRoom(location, commitRoom, args, call);
  if (done?.code !== 0) return done;
  const { head, plan, ref } = commitRoom;
  const file = plan.files.HEAD === undefined ? `refs/heads/${plan.branch}` : 'HEAD';
  const commit = (await readSmallFile(file.split('/').reduce(child, gitDir)))?.trim() ?? '';
  if (!OBJECT.test(commit) || commit === head) throw failure('commit_failed', 'git made no new commit');
  await takeObjects(location, commitRoom, gitDir, commit);
  const made = await location.git.need(location.root, ['rev-list', '--parents', '-1', commit], {
    env: location.env,
  });
  if (made.trim() !== [commit, ...(head === null ? [] : [head])].join(' '))
    throw failure('commit_failed', 'a hook made commits of its own; nothing was taken of them');
  const env = { ...location.env, ...call.env };
  await location.git.need(location.root, ['update-ref', '-m', 'commit: baton', ref, commit, head ?? ''], {
    env,
  });
  await location.git.need(location.root, ['read-tree', commit], { env: location.env });
  return done;
}

const OBJECT = /^[0-9a-f]{40,64}$/;

let used = 0;

async function runInRoom(
  location: CommitContext,
  { room, folder, plan, hides, shows, writes }: CommitRoom,
  args: readonly string[],
  call: RoomCall,
): Promise<{ readonly done: GitRun | null; readonly gitDir: RealPath }> {
  used += 1;
  const gitDir = child(folder, `room-${used}`);
  await makePrivate(gitDir);
  await makeGitDir(gitDir, plan);
  await copyIndex(indexOf(location), child(gitDir, 'index'));
  const { GIT_OBJECT_DIRECTORY: _, ...env } = location.env;
  const own = { GIT_DIR: gitDir, GIT_WORK_TREE: location.root, GIT_INDEX_FILE: child(gitDir, 'index') };
  const enter = await room({
    cwd: location.root,
    writes: [location.root, gitDir, ...writes],
    hides,
    shows: [...plan.alternates, ...shows],
  });
  const done = await location.git.asPerson(location.root, [...location.settings, ...args], {
    ...call,
    env: { ...env, ...call.env, ...own },
    room: enter,
  });
  return { done, gitDir };
}

/**
 * Paths that must be visible so that hooks run: their folder and the targets of links in it. If the folder is part of
 * the checkout, its topmost folder there is shown, because hooks call scripts beside them. Otherwise git would skip the
 * hooks silently.
 */
async function shownHooks(hooks: string, { top, commonDir }: Repository): Promise<string[]> {
  const inTop = relative(top, hooks).split(sep)[0] ?? '';
  const isPart = inTop !== '' && inTop !== '..' && !`${hooks}${sep}`.startsWith(`${commonDir}${sep}`);
  return [isPart ? join(top, inTop) : hooks, ...(await realFilesIn(hooks))];
}

function indexOf({ env }: CommitContext): RealPath {
  return env.GIT_INDEX_FILE as RealPath;
}

function alternate(gitDir: RealPath): Record<string, string> {
  const quoted = child(gitDir, 'objects').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${quoted}"` };
}

function takeObjects(
  { git }: CommitContext,
  { gitDir: to, head }: CommitRoom,
  from: RealPath,
  wanted: string,
): Promise<void> {
  const safe = head === null ? '' : `^${head}\n`;
  return copyObjects({ git, gitDir: to, env: alternate(from) }, `${wanted}\n${safe}`);
}

/** Where a commit is made: a tree, the git directory whose HEAD moves, and an index without changes of others. */
export interface CommitContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the person's hooks. Null means that no hook runs. */
  readonly hooks: string | null;
  /** Existing hooks that do not run. */
  readonly skips: readonly string[];
  /** Settings that staging needs, as `-c` arguments: the person's filters, which run only here. */
  readonly settings: readonly string[];
  /** Null means that hooks and filters have the person's environment. */
  readonly room: CommitRoom | null;
}

/**
 * A commit whose hooks and filters run in the sandbox. They get their own git directory. A git program outside must
 * never read a directory that they can write. Only objects and an index are taken out of it.
 */
export interface CommitRoom {
  readonly room: HookRoom;
  /** Our folder for the duration of the commit. */
  readonly folder: RealPath;
  /** Branch, head, settings and objects that the commit starts from. */
  readonly plan: GitDirPlan;
  readonly head: string | null;
  /** Git directory that receives the objects of the commit. */
  readonly gitDir: RealPath;
  /** The ref that the commit moves, as `update-ref` names it in the commit's own environment. */
  readonly ref: string;
  /** The person's git directories: they may contain keys, and hooks do not need them. */
  readonly hides: readonly string[];
  /** The person's hooks, wherever they are. */
  readonly shows: readonly string[];
  /** Also writable besides the tree: where large files are stored. */
  readonly writes: readonly string[];
}
