import { failure, guardRefused } from '../../engine/errors.ts';
import { readSmallFile, statOf } from '../../files/real-files.ts';
import { child, type RealPath } from '../../files/real-path.ts';
import type { Git } from './git.ts';
import { commitOf, type HeadFound } from './repository.ts';

/** The branches of a repository. Baton creates and moves only those of its namespace. */
export interface BranchContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly namespace: string;
}

/** Full ref of a branch. Every git call uses this form, so git never takes a name for an option. */
export function branchRef(name: string): string {
  return `refs/heads/${name}`;
}

/** Names that are certainly valid for a branch. Git checks any other name. */
const PLAIN = /^[a-z0-9]+(?:[-/][a-z0-9]+)*$/;

/** Refuses a name that is not valid for a branch or not in our namespace. */
export async function guardBranch(location: BranchContext, name: string): Promise<void> {
  const own = name.startsWith(`${location.namespace}/`);
  const isName = async () =>
    PLAIN.test(name) ||
    (await location.git.ask(location.root, ['check-ref-format', branchRef(name)])) !== null;
  if (!own || !(await isName())) throw guardRefused('branch', name);
}

const MOST_TRIES = 1000;

/**
 * The name to use (WF-22). It is the wanted name if that is absent or has no commits beyond the base. Otherwise it has
 * the first suffix `-2`, `-3`, ... for which this is true. A branch that is checked out somewhere is never used.
 */
export async function chooseBranch(
  location: BranchContext,
  wanted: string,
  { refs, busy }: BranchesFound,
  base: string | null,
): Promise<string> {
  if (!busy.has(wanted) && (await isFree(location, wanted, refs, base))) return wanted;
  for (let n = 2; n <= MOST_TRIES; n += 1) {
    const name = `${wanted}-${n}`;
    if (!busy.has(name) && (await isFree(location, name, await refsAt(location, name), base))) return name;
  }
  throw failure('branch_blocked', `${wanted}: no free suffix up to ${MOST_TRIES}`);
}

/** The refs at a wanted name (its branch and those below it) and the branches that are checked out. */
export interface BranchesFound {
  readonly refs: readonly string[];
  readonly busy: ReadonlySet<string>;
}

/**
 * Finds the branches around a wanted name. Refuses a name that git could not create or that is not ours. `asked`
 * resolves to HEAD and the first of the names above it.
 */
export async function findBranches(
  location: BranchContext,
  wanted: string,
  asked: Promise<HeadFound>,
): Promise<BranchesFound> {
  const [, , busy, refs] = await together([
    guardBranch(location, wanted),
    refuseBlocked(location, wanted, asked),
    checkedOutBranches(location),
    refsAt(location, wanted),
  ]);
  return { busy, refs };
}

/** Branches that a work tree of the repository has checked out, unborn ones included. */
export async function checkedOutBranches(location: BranchContext): Promise<Set<string>> {
  const only = await onlyBranch(location.root);
  if (only !== null) return new Set([only]);
  const listed = await location.git.need(location.root, ['worktree', 'list', '--porcelain']);
  const prefix = `branch ${branchRef('')}`;
  const lines = listed.split('\n').filter((line) => line.startsWith(prefix));
  return new Set(lines.map((line) => line.slice(prefix.length)));
}

/**
 * A repository without linked trees has one checked-out branch, which is read here without a process. Null means that
 * git must be asked.
 */
async function onlyBranch(root: RealPath): Promise<string | null> {
  const dir = child(root, '.git');
  if (!(await statOf(dir))?.isDirectory() || (await statOf(child(dir, 'worktrees'))) !== null) return null;
  const branch =
    /^ref: refs\/heads\/(\S+)\n$/.exec((await readSmallFile(child(dir, 'HEAD'))) ?? '')?.[1] ?? null;
  // HEAD names this branch when refs are stored in another format.
  return branch === '.invalid' ? null : branch;
}

/** True when everything reachable from `older` is reachable from `newer` too. */
export async function isAncestor(location: BranchContext, older: string, newer: string): Promise<boolean> {
  return (await location.git.ask(location.root, ['merge-base', '--is-ancestor', older, newer])) !== null;
}

async function refsAt(location: BranchContext, name: string): Promise<string[]> {
  const listed = await location.git.need(location.root, [
    'for-each-ref',
    '--format=%(refname)',
    branchRef(name),
  ]);
  return listed.split('\n').filter((line) => line !== '');
}

async function isFree(
  location: BranchContext,
  name: string,
  refs: readonly string[],
  base: string | null,
): Promise<boolean> {
  if (refs.length === 0) return true;
  // A branch below this name (`name/x`) prevents git from creating it.
  const only = refs.length === 1 && refs[0] === branchRef(name);
  return only && base !== null && (await isAncestor(location, branchRef(name), base));
}

/**
 * The names above a wanted name, the shortest first. A branch of such a name prevents git from creating the wanted one.
 */
export function namesAbove(wanted: string): string[] {
  const parts = wanted.split('/');
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'));
}

/** A branch named like a folder of the wanted name blocks it. A suffix does not help. */
async function refuseBlocked(
  location: BranchContext,
  wanted: string,
  asked: Promise<HeadFound>,
): Promise<void> {
  const { head, other } = await asked;
  for (const [n, above] of namesAbove(wanted).entries()) {
    const isKnown = n === 0 && head !== null;
    if ((isKnown ? other : await commitOf(location.git, location.root, branchRef(above))) !== null)
      throw failure('branch_blocked', `branch ${above} stands in the way of ${wanted}`);
  }
}

/** Waits for everything that was started together. If several fail, the first in this order is thrown. */
export async function together<T extends readonly unknown[] | []>(
  started: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(started);
  return await Promise.all(started);
}
