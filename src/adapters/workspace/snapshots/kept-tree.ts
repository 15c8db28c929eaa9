import { randomBytes } from 'node:crypto';
import { cleanText } from '../../../engine/clean-text.ts';
import { AdapterError } from '../../../engine/errors.ts';
import { removeFile, statOf } from '../files.ts';
import type { Git } from '../git.ts';
import { child, type RealPath } from '../real-path.ts';
import { copyIndex, moveTo } from '../state-files.ts';
import { largestOf } from './byte-files.ts';
import { type ByteName, decodeName, zeroList } from './names.ts';
import { type Survey, survey } from './survey.ts';

/**
 * A tree seen through a git directory of our own: nobody else's index, settings, attributes, hooks or filters take
 * part, and every byte is kept as it is.
 */
export interface KeptTree {
  readonly git: Git;
  readonly root: RealPath;
  readonly gitDir: RealPath;
  /** Commit whose objects a ref in the person's repository keeps for us; null where there is none. */
  readonly pinned: string | null;
  /** Names that belong to the tree even where they are ignored, and those only other git directories know. */
  tracked(): Promise<readonly ByteName[]>;
  /** Submodules git knows of: links to a commit elsewhere, whose folders hold nothing of this tree. */
  links(): Promise<readonly ByteName[]>;
  /** Control files of the tree's own git directory with their hashes, where a worker may change them. */
  controls(): Promise<Readonly<Record<string, string>>>;
  /** Makes an unreadable tree readable again; does nothing where the tree is not ours to change. */
  repair(): Promise<void>;
}

/** The present state of a tree, written as objects of our git directory. */
export interface PresentTree {
  readonly tree: string;
  readonly odd: readonly ByteName[];
}

/** Runs git over the tree with an index of its own. Names go in and out as bytes. */
export type TreeGit = (args: readonly string[], input?: string) => Promise<string>;

/**
 * Works with a copy of the last index, which then becomes the last one: what git remembers of unchanged files makes
 * the next look cheap, and a process that dies in between leaves no lock behind.
 */
export async function withIndex<T>(kept: KeptTree, use: (git: TreeGit) => Promise<T>): Promise<T> {
  return await inIndex(kept, async (git, own) => {
    await copyIndex(lastIndex(kept), own);
    const result = await use(git);
    // A call that only reads leaves none where there was none.
    if ((await statOf(own)) !== null) await moveTo(own, lastIndex(kept));
    return result;
  });
}

function lastIndex(kept: KeptTree): RealPath {
  return child(kept.gitDir, 'index');
}

/** Works with an index that is empty at first and gone afterwards. */
export async function inIndex<T>(
  kept: KeptTree,
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
export function writePresent(kept: KeptTree): Promise<PresentTree> {
  return orAnew(kept, () => withIndex(kept, (git) => update(kept, git)));
}

/**
 * The last index may name objects that were pruned from the person's repository since: where git fails, the same is
 * done once more with every file read anew.
 */
export async function orAnew<T>(kept: KeptTree, work: () => Promise<T>): Promise<T> {
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
async function update(kept: KeptTree, git: TreeGit): Promise<PresentTree> {
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

/** Git that does not get through the files most often has one too large: who is asked has to know which. */
async function namingLargest(error: unknown, root: RealPath, names: readonly ByteName[]): Promise<unknown> {
  if (!(error instanceof AdapterError)) return error;
  const { size, name } = await largestOf(root, names);
  if (size < LARGE) return error;
  const said = `${cleanText(decodeName(name).path)}, ${Math.round(size / 1e6)} MB`;
  const detail = `${error.failure.detail}; the largest file: ${said}`;
  return new AdapterError({ ...error.failure, detail }, { cause: error });
}

const LARGE = 100e6;

function zeroText(names: readonly ByteName[]): string {
  return names.map((name) => `${name}\0`).join('');
}
