import { failure, guardRefused } from './failure.ts';
import { readOwn, statOf } from './files.ts';
import type { Git } from './git.ts';
import { child, type RealPath } from './real-path.ts';
import { commitOf, type HeadFound } from './repository.ts';
import { together } from './together.ts';

/** The branches of a repository as Baton sees them: it makes and moves only those of its namespace. */
export interface BranchPlace {
  readonly git: Git;
  readonly root: RealPath;
  readonly namespace: string;
}

/** Full ref of a branch; every git call names branches in this form, so a name is never taken for an option. */
export function branchRef(name: string): string {
  return `refs/heads/${name}`;
}

/** A branch name for certain; any other is shown to git. */
const PLAIN = /^[a-z0-9]+(?:[-/][a-z0-9]+)*$/;

/** Refuses a name that is no branch name or not one of ours. */
export async function guardBranch(place: BranchPlace, name: string): Promise<void> {
  const own = name.startsWith(`${place.namespace}/`);
  const isName = async () =>
    PLAIN.test(name) || (await place.git.ask(place.root, ['check-ref-format', branchRef(name)])) !== null;
  if (!own || !(await isName())) throw guardRefused('branch', name);
}

const MOST_TRIES = 1000;

/**
 * The name to use (WF-22): the wanted one if it is absent or has no commits beyond the base, else with the first
 * suffix `-2`, `-3`, ... of which that is true. A branch that is checked out somewhere is never used.
 */
export async function chooseBranch(
  place: BranchPlace,
  wanted: string,
  { refs, busy }: BranchesFound,
  base: string | null,
): Promise<string> {
  if (!busy.has(wanted) && (await isFree(place, wanted, refs, base))) return wanted;
  for (let n = 2; n <= MOST_TRIES; n += 1) {
    const name = `${wanted}-${n}`;
    if (!busy.has(name) && (await isFree(place, name, await refsAt(place, name), base))) return name;
  }
  throw failure('branch_blocked', `${wanted}: no free suffix up to ${MOST_TRIES}`);
}

/** What stands at a wanted name: its branch and those below it, and the branches that are checked out. */
export interface BranchesFound {
  readonly refs: readonly string[];
  readonly busy: ReadonlySet<string>;
}

/**
 * Looks around a wanted name. Refuses one that git could not make or that is not ours. `asked` tells HEAD and the
 * first of the names above it.
 */
export async function findBranches(
  place: BranchPlace,
  wanted: string,
  asked: Promise<HeadFound>,
): Promise<BranchesFound> {
  const [, , busy, refs] = await together([
    guardBranch(place, wanted),
    refuseBlocked(place, wanted, asked),
    checkedOutBranches(place),
    refsAt(place, wanted),
  ]);
  return { busy, refs };
}

/** Branches some work tree of the repository stands on, unborn ones included. */
export async function checkedOutBranches(place: BranchPlace): Promise<Set<string>> {
  const only = await onlyBranch(place.root);
  if (only !== null) return new Set([only]);
  const listed = await place.git.need(place.root, ['worktree', 'list', '--porcelain']);
  const prefix = `branch ${branchRef('')}`;
  const lines = listed.split('\n').filter((line) => line.startsWith(prefix));
  return new Set(lines.map((line) => line.slice(prefix.length)));
}

/** HEAD of a repository without linked trees stands on one branch, read without a process; null: git is to be asked. */
async function onlyBranch(root: RealPath): Promise<string | null> {
  const dir = child(root, '.git');
  if (!(await statOf(dir))?.isDirectory() || (await statOf(child(dir, 'worktrees'))) !== null) return null;
  const branch = /^ref: refs\/heads\/(\S+)\n$/.exec((await readOwn(child(dir, 'HEAD'))) ?? '')?.[1] ?? null;
  // What stands there when refs are kept in another form.
  return branch === '.invalid' ? null : branch;
}

/** True when everything reachable from `older` is reachable from `newer` too. */
export async function isAncestor(place: BranchPlace, older: string, newer: string): Promise<boolean> {
  return (await place.git.ask(place.root, ['merge-base', '--is-ancestor', older, newer])) !== null;
}

async function refsAt(place: BranchPlace, name: string): Promise<string[]> {
  const listed = await place.git.need(place.root, ['for-each-ref', '--format=%(refname)', branchRef(name)]);
  return listed.split('\n').filter((line) => line !== '');
}

async function isFree(
  place: BranchPlace,
  name: string,
  refs: readonly string[],
  base: string | null,
): Promise<boolean> {
  if (refs.length === 0) return true;
  // A branch below this name (`name/x`) keeps git from making it.
  const only = refs.length === 1 && refs[0] === branchRef(name);
  return only && base !== null && (await isAncestor(place, branchRef(name), base));
}

/** Names a wanted name lies below, the shortest first: a branch of such a name keeps git from making it. */
export function namesAbove(wanted: string): string[] {
  const parts = wanted.split('/');
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'));
}

/** A branch named like a folder of the wanted name stands in its way; no suffix helps. */
async function refuseBlocked(place: BranchPlace, wanted: string, asked: Promise<HeadFound>): Promise<void> {
  const { head, other } = await asked;
  for (const [n, above] of namesAbove(wanted).entries()) {
    const isKnown = n === 0 && head !== null;
    if ((isKnown ? other : await commitOf(place.git, place.root, branchRef(above))) !== null)
      throw failure('branch_blocked', `branch ${above} stands in the way of ${wanted}`);
  }
}
