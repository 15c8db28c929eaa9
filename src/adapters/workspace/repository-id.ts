import { dirname, sep } from 'node:path';
import { failure, withIo } from './failure.ts';
import { createFile, readOwn, replaceFile, sha256, statOf } from './files.ts';
import type { GitEnvironment } from './git.ts';
import { repositoryWithoutGit } from './missing-git.ts';
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
 * directory's real path: a copy is another repository and gets an id of its own. It is the same id whether there is a
 * git program or not. A plain folder's id is the hash of its real path, and nothing is written.
 */
export async function repositoryId(
  folder: string,
  question: RepositoryQuestion,
): Promise<RepositoryId | null> {
  const root = await realFolder(folder);
  const known = await knownRepository(root);
  if (known !== null) return known;
  const { createGit } = await import('./git.ts');
  const git = createGit(question.environment ?? process.env);
  const found = (await findRepository(git, root)) ?? (await repositoryWithoutGit(git, root));
  if (found === null) return { id: `dir-${shortHash(root)}`, root, git: false };
  const id = await withIo('repository id', () => storedId(found.commonDir, question.create));
  return id === null ? null : { id, root: found.top, git: true };
}

/**
 * An ordinary repository of our own that already has its id, found without starting git (four processes otherwise).
 * Everything else is git's to judge: another owner, a linked or moved work tree, a place inside a git directory.
 */
async function knownRepository(folder: RealPath): Promise<RepositoryId | null> {
  const root = folder.split(sep).includes('.git') ? null : await withGitFolder(folder);
  if (root === null) return null;
  const commonDir = child(root, '.git');
  if (STRANGE.test((await readOwn(child(commonDir, 'config'))) ?? '')) return null;
  const id = await readId(child(commonDir, NAME), commonDir);
  return id === null ? null : { id, root, git: true };
}

/** The nearest folder upwards with something called `.git`, if that is a folder of our own. */
async function withGitFolder(folder: RealPath): Promise<RealPath | null> {
  for (let at = folder; ; at = dirname(at) as RealPath) {
    const git = await statOf(child(at, '.git'));
    if (git !== null) return git.isDirectory() && git.uid === BigInt(process.getuid?.() ?? -1) ? at : null;
    if (at === dirname(at)) return null;
  }
}

/** Settings by which the work tree may be another folder, or none. */
const STRANGE = /worktree|include|bare\s*=\s*[^f\s]/i;

const NAME = 'baton-id';
const TRIES = 5;

/** The id becomes the name of a folder, so nothing but this shape is taken from the file. */
const ID = /^repo-[0-9a-f]{12}$/;

async function storedId(commonDir: RealPath, create: boolean): Promise<string | null> {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const textOf = (id: string) => `${JSON.stringify({ id, path: commonDir })}\n`;
  for (let n = 0; n < TRIES; n += 1) {
    const id = await readId(child(commonDir, NAME), commonDir);
    if (id !== null || !create) return id;
    const tag = randomBytes(6).toString('hex');
    const stale = await staleAs(commonDir);
    if (stale === null && (await createFile(commonDir, NAME, textOf(`repo-${tag}`), tag)))
      return `repo-${tag}`;
    if (stale !== null) await replaceFile(commonDir, NAME, textOf(stale), tag);
  }
  throw failure('repository_id', `${commonDir}: other processes keep writing ${NAME}`, {
    retry: 'transient',
  });
}

/**
 * The id that follows a file of another repository, or of no sense: made from that very file, so that all who find it
 * write the same, and nobody replaces what another has just been given. Null where there is no such file.
 */
async function staleAs(commonDir: RealPath): Promise<string | null> {
  const file = child(commonDir, NAME);
  const text = await readOwn(file);
  const found = await statOf(file);
  const isSame = (await readOwn(file)) === text && (await readId(file, commonDir)) === null;
  if (found === null || !isSame) return null;
  return `repo-${shortHash([commonDir, text ?? '', found.ino, found.ctimeNs].join('\n'))}`;
}

async function readId(file: RealPath, commonDir: RealPath): Promise<string | null> {
  const found = parseJson((await readOwn(file)) ?? '') as { id?: unknown; path?: unknown } | null;
  const id = typeof found?.id === 'string' && ID.test(found.id) ? found.id : null;
  return found?.path === commonDir ? id : null;
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
