import { basename, dirname, resolve } from 'node:path';
import { failure } from '../../engine/errors.ts';
import { listFolder, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import type { WorkspaceFacts } from '../../ports/workspace.ts';
import { type Git, wordsOf } from './git.ts';

/** A work tree of git. `gitDir` is this tree's own, `commonDir` is shared by all trees of the repository. */
export interface Repository {
  readonly top: RealPath;
  readonly gitDir: RealPath;
  readonly commonDir: RealPath;
}

/**
 * True if the folder is in a work tree, false if there is no repository at or above it (WF-10). A yes is cached for the
 * top of a tree while the same `.git` exists. A no is never cached.
 */
export async function isInWorkTree(git: Git, folder: RealPath): Promise<boolean> {
  const found = await gitAt(folder);
  if (found !== null && git.trees.get(folder) === found) return true;
  const isTree = (await askLocation(git, folder, [])) !== null;
  if (isTree && found !== null) git.trees.set(folder, found);
  return isTree;
}

/** Identity of the `.git` of a folder, which changes when it is replaced. Null if the folder has no `.git`. */
async function gitAt(folder: RealPath): Promise<string | null> {
  const found = await statOf(child(folder, '.git'));
  return found === null ? null : `${found.ino} ${found.birthtimeNs}`;
}

/** Git's message for a folder outside every repository. A damaged repository gets the same message. */
const NO_REPOSITORY = /^fatal: not a git repository/m;

/**
 * Lines of `rev-parse` with these arguments for a folder in a work tree. Null only if there is no repository at or
 * above the folder. Throws for a repository that git cannot read or that has no work tree here. If a run took it for a
 * plain folder, it would change the person's checkout.
 */
async function askLocation(git: Git, folder: RealPath, args: readonly string[]): Promise<string[] | null> {
  const done = await git.run(folder, ['rev-parse', '--is-inside-work-tree', ...args]);
  const [isTree, ...lines] = done?.stdout.replace(/\n$/, '').split('\n') ?? [];
  if (isTree === 'false') throw failure('no_work_tree', `${folder}: ${NO_WORK_TREE}`);
  if (done?.code === 0) return lines;
  const found = await gitAbove(folder);
  if (found !== null || (done !== null && !NO_REPOSITORY.test(done.stderr)))
    throw failure('repository_unreadable', `${found ?? folder}: ${wordsOf(done)}`, { retry: 'transient' });
  if (git.elsewhere !== null) throw failure('no_work_tree', `${folder}: ${git.elsewhere} is set`);
  return null;
}

const NO_WORK_TREE = 'a bare repository, or a folder inside a git directory';

/**
 * The nearest entry named `.git` at or above a folder, of any kind, or null. An empty folder does not count as a
 * damaged repository. Other programs leave one as a mount point, such as Codex in the temporary folder.
 */
async function gitAbove(folder: RealPath): Promise<RealPath | null> {
  const here = child(folder, '.git');
  const found = await statOf(here);
  const isEmpty = found?.isDirectory() === true && (await listFolder(here)).length === 0;
  if (found !== null && !isEmpty) return here;
  const above = dirname(folder) as RealPath;
  return above === folder ? null : gitAbove(above);
}

export interface HeadFound {
  readonly isTree: boolean;
  /** Null when HEAD is unborn. */
  readonly head: string | null;
  /** The commit of the other ref. Read only if HEAD has a commit. */
  readonly other: string | null;
}

/** Whether the folder is in a work tree, with the commits of HEAD and of another ref. All in one call. */
export async function findHead(git: Git, folder: RealPath, other: string | null): Promise<HeadFound> {
  // Git stops at the first name that it does not know.
  const names = ['HEAD', ...(other === null ? [] : [other])].map((name) => `${name}^{commit}`);
  const at = await gitAt(folder);
  const lines = await askLocation(git, folder, ['-q', '--revs-only', ...names]);
  if (lines !== null && at !== null) git.trees.set(folder, at);
  const [head, found] = lines ?? [];
  return { isTree: lines !== null, head: head || null, other: found || null };
}

/** The repository that contains a folder, or null. Never cached: a folder can become a repository during a run. */
export async function findRepository(git: Git, folder: RealPath): Promise<Repository | null> {
  const flags = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const lines = await askLocation(git, folder, flags);
  if (lines === null) return null;
  // A name contains a line end, so each path is requested separately.
  const named =
    lines.length === flags.length ? lines : await Promise.all(flags.map((flag) => line(git, folder, flag)));
  const locations = named.map((location) => resolve(folder, location));
  const [top, gitDir, commonDir] = await Promise.all(locations.map(realFolder));
  return { top, gitDir, commonDir } as Repository;
}

async function line(git: Git, folder: RealPath, flag: string): Promise<string> {
  return (await git.need(folder, ['rev-parse', flag])).replace(/\n$/, '');
}

/** Branch and commit of HEAD. The branch is null if HEAD is detached, the commit if HEAD is unborn. */
export async function headOf(git: Git, folder: RealPath): Promise<NonNullable<WorkspaceFacts['git']>> {
  const [symbolic, head] = await Promise.all([
    git.ask(folder, ['symbolic-ref', '-q', 'HEAD']),
    commitOf(git, folder, 'HEAD'),
  ]);
  return { branch: symbolic?.replace(/^refs\/heads\//, '') ?? null, head };
}

/** The commit of a full ref name or object id, or null. */
export async function commitOf(git: Git, folder: RealPath, name: string): Promise<string | null> {
  return await git.ask(folder, ['rev-parse', '-q', '--verify', `${name}^{commit}`]);
}

/** Facts about its folder that a run gets at the start. Only reads. */
export async function workspaceFacts(git: Git, root: RealPath): Promise<WorkspaceFacts> {
  const isTree = await isInWorkTree(git, root);
  return { folder: basename(root), git: isTree ? await headOf(git, root) : null };
}

/** The id of the tree without entries. Git stores it if it does not exist. */
export async function emptyTree(git: Pick<Git, 'need'>, cwd: string): Promise<string> {
  return (await git.need(cwd, ['mktree', '-z'], { input: '' })).trim();
}
