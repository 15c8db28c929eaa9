import { randomBytes } from 'node:crypto';
import { failure, withIo } from './failure.ts';
import { createFile, moveAside, readOwn, removeFile, sha256 } from './files.ts';
import { createGit, type GitEnvironment } from './git.ts';
import { child, type RealPath, realFolder } from './real-path.ts';
import { findRepository } from './repository.ts';

export interface RepositoryId {
  readonly id: string;
  /** Top level of the work tree, or the plain folder; a real path. */
  readonly root: string;
  readonly git: boolean;
}

export interface RepositoryQuestion {
  /** False asks only: a repository without an id file stays without one, and the answer is null. */
  readonly create: boolean;
  readonly environment?: GitEnvironment;
}

/**
 * Which repository a folder belongs to. With git the id lies in the directory all its work trees share, next to that
 * directory's real path: a copy is another repository and gets an id of its own. A plain folder's id is the hash of
 * its real path, and nothing is written.
 */
export async function repositoryId(
  folder: string,
  question: RepositoryQuestion,
): Promise<RepositoryId | null> {
  const git = createGit(question.environment ?? process.env);
  const root = await realFolder(folder);
  const found = await findRepository(git, root);
  if (found === null) return { id: `dir-${shortHash(root)}`, root, git: false };
  const id = await withIo('repository id', () => storedId(found.commonDir, question.create));
  return id === null ? null : { id, root: found.top, git: true };
}

const NAME = 'baton-id';
const TRIES = 5;

/** The id becomes the name of a folder, so nothing but this shape is taken from the file. */
const ID = /^repo-[0-9a-f]{12}$/;

async function storedId(commonDir: RealPath, create: boolean): Promise<string | null> {
  for (let n = 0; n < TRIES; n += 1) {
    const id = await readId(child(commonDir, NAME), commonDir);
    if (id !== null || !create) return id;
    await takeStaleAway(commonDir);
    const fresh = { id: `repo-${randomBytes(6).toString('hex')}`, path: commonDir };
    const text = `${JSON.stringify(fresh)}\n`;
    if (await createFile(commonDir, NAME, text, fresh.id)) return fresh.id;
  }
  throw failure('repository_id', `${commonDir}: other processes keep writing ${NAME}`, {
    retry: 'transient',
  });
}

async function readId(file: RealPath, commonDir: RealPath): Promise<string | null> {
  const found = parseJson((await readOwn(file)) ?? '') as { id?: unknown; path?: unknown } | null;
  const id = typeof found?.id === 'string' && ID.test(found.id) ? found.id : null;
  return found?.path === commonDir ? id : null;
}

/** Two processes may find the same stale file; the slower one must not take away what the faster one just wrote. */
async function takeStaleAway(commonDir: RealPath): Promise<void> {
  const aside = child(commonDir, `${NAME}.${randomBytes(4).toString('hex')}`);
  if (!(await moveAside(child(commonDir, NAME), aside))) return;
  if ((await readId(aside, commonDir)) !== null) {
    const text = (await readOwn(aside)) ?? '';
    await createFile(commonDir, NAME, text, 'back');
  }
  await removeFile(aside);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function shortHash(text: string): string {
  return sha256(text).slice('sha256:'.length, 'sha256:'.length + 12);
}
