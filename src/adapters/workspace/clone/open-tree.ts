import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyIndex, makePrivate, moveTo, removeTree, writeState } from '../../../files/state-files.ts';
import { guardBranch } from '../../git/branch.ts';
import { gitFailure } from '../../git/git.ts';
import { makeGitDir, RAW_ATTRIBUTES } from '../../git/git-dir.ts';
import { onOwnRef } from '../../git/locks.ts';
import { splitLinks, zeroList, zeroText } from '../../git/names.ts';
import { basePlan, checkoutParts, type Inheritance, inherit, type Person } from '../../git/person.ts';
import { commitOf } from '../../git/repository.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { createGitSnapshots } from '../snapshots/git-snapshots.ts';
import {
  type RunTree,
  readTreeFile,
  runTree,
  START,
  TREE_FILE,
  type TreeDir,
  type TreeFile,
  treeDir,
} from './run-tree.ts';
import { makeWorkerGit, savedIndex } from './worker-git.ts';

/** Input of the write `open_tree`. A null base means a repository without a commit: the tree starts empty. */
export const OpenTreeInput = z.object({ base: z.string().nullable(), branch: z.string() });
export type OpenTreeInput = z.infer<typeof OpenTreeInput>;

/** Result of the write `open_tree`. */
export interface OpenedTree {
  readonly base: string | null;
  readonly branch: string;
  /** Name of the first snapshot. */
  readonly snapshot: string;
  /** Hash of the tree at the start of the run. */
  readonly tree: string;
  /** Filters that did not run. Files under them contain what the repository stores, such as pointers. */
  readonly filters: readonly string[];
  /** Submodules, which are empty folders in the tree. */
  readonly submodules: readonly string[];
}

/** Attributes in our directory that make every content binary. Used only where a patch could not be text. */
export const BINARY_ATTRIBUTES = 'info/binary-attributes';

/** Where a tree will be. */
export interface Site {
  readonly person: Person;
  readonly run: string;
  readonly dir: RealPath;
}

/**
 * Creates the run's own tree. It pins the base in the person's repository and builds the clone and the first snapshot
 * beside the final location. As the last step it moves them into place. A crash before that leaves a part that is
 * collected later, with the pin.
 */
export async function openRunTree(site: Site, input: OpenTreeInput): Promise<OpenedTree> {
  const done = await findOpened(site, input);
  if (done !== null) return done;
  await guardBranch(site.person, input.branch);
  const { git, root } = site.person;
  if (input.base !== null && (await commitOf(git, root, input.base)) === null)
    throw failure('base_missing', `commit ${input.base} is gone from the repository`);
  const from = await inherit(site.person);
  const parent = dirname(site.dir) as RealPath;
  const part = treeDir(child(parent, `.${basename(site.dir)}.${randomBytes(4).toString('hex')}.part`));
  const file: TreeFile = { v: 1, run: site.run, person: site.person.root, ...input };
  try {
    await makePrivate(part.dir);
    await writeState(part.dir, TREE_FILE, JSON.stringify(file));
    await pin(site, input.base);
    await build(part, site.person, from, file);
    if ((await statOf(site.dir)) !== null) await removeTree(site.dir);
    await moveTo(part.dir, site.dir);
  } finally {
    await removeTree(part.dir);
  }
  return await describe(runTree(treeDir(site.dir), file, site.person));
}

/** The result if a complete tree with this base and branch exists. A tree of another base or branch is an error. */
export async function findOpened(site: Site, input: OpenTreeInput): Promise<OpenedTree | null> {
  const file = await readTreeFile(site.dir);
  if (file === null) return null;
  if (file.base !== input.base || file.branch !== input.branch)
    throw failure('tree_exists', `${site.dir} holds a tree of ${file.branch} from ${file.base}`);
  return await describe(runTree(treeDir(site.dir), file, site.person));
}

/** Ref in the person's repository that protects the base of a run. */
export function pinRef(run: string): string {
  return `refs/baton/trees/${run}`;
}

async function pin({ person, run }: Site, base: string | null): Promise<void> {
  if (base === null) return;
  const env = await commitIdentity(person);
  const args = ['update-ref', '--no-deref', pinRef(run), base];
  const done = await onOwnRef(pinRef(run), () => person.git.run(person.root, args, { env }));
  if (done?.code !== 0) throw gitFailure(done, args);
}

async function build(at: TreeDir, person: Person, from: Inheritance, file: TreeFile): Promise<void> {
  const tip = { branch: file.branch, commit: file.base };
  await makePrivate(at.tree);
  const plan = basePlan(from, tip);
  const parts = checkoutParts(from);
  const raw = { 'core.protectNTFS': 'false', 'core.protectHFS': 'false' };
  const rawFiles = { ...plan.files, 'info/attributes': RAW_ATTRIBUTES };
  await makeGitDir(at.raw, { ...plan, settings: raw, files: rawFiles });
  const viewFiles = { ...plan.files, ...parts.files, [BINARY_ATTRIBUTES]: '* -diff\n' };
  await makeGitDir(at.view, { ...plan, ...parts, files: viewFiles });
  await makeWorkerGit(at, person, from, tip);
  if (file.base !== null) await checkOutBase(at, person, file.base);
  await createGitSnapshots(runTree(at, file, person).kept).take(START);
}

/**
 * Fills the tree through the workers' own directory, which no worker has used yet. That directory then knows the files.
 */
async function checkOutBase(at: TreeDir, person: Person, base: string): Promise<void> {
  const env = { GIT_DIR: at.workerGit, GIT_WORK_TREE: at.tree };
  await person.git.need(at.dir, ['read-tree', '--reset', '-u', base], { env, deadline_ms: CHECKOUT_MS });
  await copyIndex(child(at.workerGit, 'index'), savedIndex(at));
}

const CHECKOUT_MS = 10 * 60_000;

async function describe(tree: RunTree): Promise<OpenedTree> {
  const { base, branch } = tree.file;
  const snapshot = await createGitSnapshots(tree.kept).take(START);
  const args = ['ls-tree', '-r', '-z', '--full-tree', base ?? ''];
  const { files, links } = splitLinks(base === null ? [] : zeroList(await tree.git.need(tree.at.dir, args)));
  return {
    base,
    branch,
    snapshot: START,
    tree: snapshot,
    filters: await filtersOf(tree, files),
    submodules: links,
  };
}

async function filtersOf(tree: RunTree, names: readonly string[]): Promise<string[]> {
  if (names.length === 0 || (await statOf(tree.at.tree)) === null) return [];
  const args = ['check-attr', '-z', '--stdin', 'filter'];
  const fields = (await tree.git.need(tree.at.tree, args, { input: zeroText(names) })).split('\0');
  const values = fields.filter((_, n) => n % 3 === 2);
  return [...new Set(values)].filter((value) => !['unspecified', 'unset', 'set'].includes(value)).sort();
}
