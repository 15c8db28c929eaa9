import { randomBytes } from 'node:crypto';
import { cleanText } from '../../../engine/clean-text.ts';
import { AdapterError } from '../../../engine/errors.ts';
import { removeFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyIndex, moveTo } from '../../../files/state-files.ts';
import type { Git } from '../../git/git.ts';
import { type ByteName, decodeName, zeroList, zeroText } from '../../git/names.ts';
import { largestOf, type Survey, survey } from './survey.ts';

/**
 * A tree seen through a git directory of our own. No other index, settings, attributes, hooks or filters are used, and
 * every byte is stored as it is.
 */
export interface StoredTree {
  readonly git: Git;
  readonly root: RealPath;
  readonly gitDir: RealPath;
  /** Commit whose objects a ref in the person's repository protects, or null. */
  readonly pinned: string | null;
  /** Names that belong to the tree even if they are ignored, and names that only other git directories know. */
  tracked(): Promise<readonly ByteName[]>;
  /** Submodules that git knows of: links to a commit elsewhere, whose folders contain nothing of this tree. */
  links(): Promise<readonly ByteName[]>;
  /** Control files of the tree's own git directory with their hashes, if a worker may change them. */
  controls(): Promise<Readonly<Record<string, string>>>;
  /** Makes an unreadable tree readable again. Does nothing if Baton may not change the tree. */
  repair(): Promise<void>;
}

/** The present state of a tree, written as objects of our git directory. */
export interface PresentTree {
  readonly tree: string;
  readonly odd: readonly ByteName[];
}

/** Runs git over the tree with a separate index. Names go in and out as bytes. */
export type TreeGit = (args: readonly string[], input?: string) => Promise<string>;

/**
 * Works with a copy of the last index, which then becomes the last one. Git's data about unchanged files makes the next
 * query cheap. A process that dies in between does not leave a lock.
 */
export async function withIndex<T>(kept: StoredTree, use: (git: TreeGit) => Promise<T>): Promise<T> {
  return await inIndex(kept, async (git, own) => {
    await copyIndex(lastIndex(kept), own);
    const result = await use(git);
    // A call that only reads does not create an index.
    if ((await statOf(own)) !== null) await moveTo(own, lastIndex(kept));
    return result;
  });
}

function lastIndex(kept: StoredTree): RealPath {
  return child(kept.gitDir, 'index');
}

/** Works with an index that is empty at first and removed afterwards. */
export async function inIndex<T>(
  kept: StoredTree,
  use: (git: TreeGit, own: RealPath) => Promise<T>,
): Promise<T> {
  const own = child(kept.gitDir, `index.${randomBytes(6).toString('hex')}`);
  const env = { GIT_DIR: kept.gitDir, GIT_WORK_TREE: kept.root, GIT_INDEX_FILE: own };
  const git: TreeGit = (args, input) =>
    kept.git.need(kept.gitDir, ['-c', 'core.fsyncMethod=batch', ...args], {
      env,
      binary: true,
      ...(input === undefined ? {} : { input }),
    });
  try {
    return await use(git, own);
  } finally {
    await removeFile(own);
    await removeFile(child(kept.gitDir, `${own.slice(kept.gitDir.length + 1)}.lock`));
  }
}

/** Writes the tree as it is now. Untracked files are part of it, ignored ones are not. */
export function writePresent(kept: StoredTree): Promise<PresentTree> {
  return orAnew(kept, () => withIndex(kept, (git) => update(kept, git)));
}

/**
 * The last index may name objects that were pruned from the person's repository since. If git fails, the same is done
 * once more with every file read again.
 */
export async function orAnew<T>(kept: StoredTree, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    await kept.repair();
    await removeFile(lastIndex(kept));
    return await work();
  }
}

/** Brings the index of this call to the present tree. */
async function update(kept: StoredTree, git: TreeGit): Promise<PresentTree> {
  const listed = zeroList(await git(['ls-files', '-z', '-t', '--cached', '--others', '--exclude-standard']));
  const cached = listed.filter((line) => !line.startsWith('? ')).map((line) => line.slice(2));
  const names = new Set([...listed.map((line) => line.slice(2)), ...(await kept.tracked())]);
  const found: Survey = await survey(kept.root, names);
  const present = new Set(found.files);
  const gone = cached.filter((name) => !present.has(name));
  if (gone.length > 0) await git(['update-index', '-z', '--force-remove', '--stdin'], zeroText(gone));
  const add = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  await git(add, zeroText(found.files)).catch(async (error) => {
    throw await namingLargest(error, kept.root, found.files);
  });
  return { tree: (await git(['write-tree'])).trim(), odd: found.odd };
}

/** If git cannot process the files, usually one is too large. The error names it for the person who is asked. */
async function namingLargest(error: unknown, root: RealPath, names: readonly ByteName[]): Promise<unknown> {
  if (!(error instanceof AdapterError)) return error;
  const { size, name } = await largestOf(root, names);
  if (size < LARGE) return error;
  const said = `${cleanText(decodeName(name).path)}, ${Math.round(size / 1e6)} MB`;
  const detail = `${error.failure.detail}; the largest file: ${said}`;
  return new AdapterError({ ...error.failure, detail }, { cause: error });
}

const LARGE = 100e6;
