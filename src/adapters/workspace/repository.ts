import { resolve } from 'node:path';
import type { WorkspaceFacts } from '../../ports/workspace.ts';
import { statOf } from './files.ts';
import type { Git } from './git.ts';
import { child, type RealPath, realFolder } from './real-path.ts';

/** A work tree of git. `gitDir` is this tree's own, `commonDir` is shared by all trees of the repository. */
export interface Repository {
  readonly top: RealPath;
  readonly gitDir: RealPath;
  readonly commonDir: RealPath;
}

/**
 * True only if git says that the folder lies in a work tree; a bare repository or a git directory is none (WF-10). A
 * yes holds for the top of a tree as long as the same `.git` is there; a no is asked anew each time.
 */
export async function isInWorkTree(git: Git, folder: RealPath): Promise<boolean> {
  const found = await gitAt(folder);
  if (found !== null && git.trees.get(folder) === found) return true;
  const isTree = (await git.ask(folder, ['rev-parse', '--is-inside-work-tree'])) === 'true';
  if (isTree && found !== null) git.trees.set(folder, found);
  return isTree;
}

/** Which `.git` a folder has, another one made in its place included; null for none. */
async function gitAt(folder: RealPath): Promise<string | null> {
  const found = await statOf(child(folder, '.git'));
  return found === null ? null : `${found.ino} ${found.birthtimeNs}`;
}

export interface HeadFound {
  readonly isTree: boolean;
  /** Null when HEAD is unborn. */
  readonly head: string | null;
  /** The commit of the other ref; looked for only where HEAD has one. */
  readonly other: string | null;
}

/** Whether the folder lies in a work tree, the commit of HEAD and that of another ref; asked for in one go. */
export async function findHead(git: Git, folder: RealPath, other: string | null): Promise<HeadFound> {
  // Of the names git stops at the first that it does not know.
  const names = ['HEAD', ...(other === null ? [] : [other])].map((name) => `${name}^{commit}`);
  const asked = ['rev-parse', '--is-inside-work-tree', '-q', '--revs-only', ...names];
  const at = await gitAt(folder);
  const [isTree, head, found] = (await git.ask(folder, asked))?.split('\n') ?? [];
  if (isTree === 'true' && at !== null) git.trees.set(folder, at);
  return { isTree: isTree === 'true', head: head || null, other: found || null };
}

/** The repository a folder lies in, or null. Asked anew each time: a folder can become a repository while a run lives. */
export async function findRepository(git: Git, folder: RealPath): Promise<Repository | null> {
  const flags = ['--is-inside-work-tree', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const lines = (await git.ask(folder, ['rev-parse', ...flags]))?.split('\n') ?? [];
  if (lines[0] !== 'true') return null;
  // A name with a line end in it: each is asked for by itself.
  const named = lines.length === flags.length ? lines.slice(1) : await eachLine(git, folder, flags.slice(1));
  const places = named.map((place) => resolve(folder, place));
  const [top, gitDir, commonDir] = await Promise.all(places.map(realFolder));
  return { top, gitDir, commonDir } as Repository;
}

function eachLine(git: Git, folder: RealPath, flags: readonly string[]): Promise<string[]> {
  return Promise.all(flags.map((flag) => line(git, folder, flag)));
}

async function line(git: Git, folder: RealPath, flag: string): Promise<string> {
  return (await git.need(folder, ['rev-parse', flag])).replace(/\n$/, '');
}

/** Branch and commit of HEAD: no branch when it is detached, no commit when it is unborn. */
export async function headOf(git: Git, folder: RealPath): Promise<NonNullable<WorkspaceFacts['git']>> {
  const [symbolic, head] = await Promise.all([
    git.ask(folder, ['symbolic-ref', '-q', 'HEAD']),
    commitOf(git, folder, 'HEAD'),
  ]);
  return { branch: symbolic?.replace(/^refs\/heads\//, '') ?? null, head };
}

/** The commit a full ref name or object id stands for, or null. */
export async function commitOf(git: Git, folder: RealPath, name: string): Promise<string | null> {
  return await git.ask(folder, ['rev-parse', '-q', '--verify', `${name}^{commit}`]);
}
