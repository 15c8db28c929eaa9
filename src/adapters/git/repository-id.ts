import { dirname, resolve, sep } from 'node:path';
import { failure } from '../../engine/errors.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { orElse } from '../../engine/system-error.ts';
import { createFile, readSmallFile, replaceFile, sha256, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import { withIo } from '../../files/with-io.ts';
import type { Git, GitEnvironment } from './git.ts';
import { findRepository, type Repository } from './repository.ts';
import { claimOwner, readOwner } from './repository-owner.ts';

export interface RepositoryId {
  readonly id: string;
  /** Top level of the work tree, or the plain folder, as a real path. */
  readonly root: string;
  /** The git directory that all work trees share. Null for a plain folder. */
  readonly commonDir: RealPath | null;
}

export interface RepositoryQuestion {
  /** The person's state directory. It contains one folder per id, which names the repository it belongs to. */
  readonly states: string;
  /** If false, no id is created: for a repository without an id file the result is null. */
  readonly create: boolean;
  readonly environment?: GitEnvironment;
}

/**
 * Finds the repository a folder belongs to. With git the id is stored in the directory that all its work trees share,
 * next to that directory's real path. A moved repository keeps its id, and a copy gets its own. Without a git program
 * an id is still read, but not created. The id of a plain folder is the hash of its real path, and nothing is written.
 */
export async function repositoryId(
  folder: string,
  question: RepositoryQuestion,
): Promise<RepositoryId | null> {
  const root = await realFolder(folder);
  const known = await knownRepository(root, question);
  if (known !== null) return known;
  const { createGit } = await import('./git.ts');
  const git = createGit(question.environment ?? process.env);
  const byHand = question.create ? null : await repositoryWithoutGit(git, root);
  const found = byHand ?? (await findRepository(git, root));
  if (found === null) return { id: `dir-${shortHash(root)}`, root, commonDir: null };
  const { commonDir, top } = found;
  const id = await withIo('repository id', () => storedId(commonDir, question));
  return id === null ? null : { id, root: top, commonDir };
}

/** Writes the path of a repository into its new state folder. */
export async function recordOwner(home: string, commonDir: RealPath): Promise<void> {
  await withIo('repository id', async () => {
    const owner = await readOwner(home as RealPath);
    if (owner.path === null) await claimOwner(home as RealPath, owner, commonDir);
  });
}

/**
 * An ordinary repository of this user that already has its id, found without starting git (four processes otherwise).
 * Git decides every other case: another owner, a linked or moved work tree, a folder inside a git directory.
 */
async function knownRepository(folder: RealPath, question: RepositoryQuestion): Promise<RepositoryId | null> {
  const root = folder.split(sep).includes('.git') ? null : await withGitFolder(folder);
  if (root === null) return null;
  const commonDir = child(root, '.git');
  if (STRANGE.test((await readSmallFile(child(commonDir, 'config'))) ?? '')) return null;
  const id = await withIo('repository id', () => ownId(commonDir, question.states));
  return id === null ? null : { id, root, commonDir };
}

/** The nearest folder upwards that contains an entry `.git`. Null if that entry is not a folder of this user. */
async function withGitFolder(folder: RealPath): Promise<RealPath | null> {
  for (let at = folder; ; at = dirname(at) as RealPath) {
    const git = await statOf(child(at, '.git'));
    if (git !== null) return git.isDirectory() && git.uid === BigInt(process.getuid?.() ?? -1) ? at : null;
    if (at === dirname(at)) return null;
  }
}

/** Settings that can move or remove the work tree. */
const STRANGE = /worktree|include|bare\s*=\s*[^f\s]/i;

const NAME = 'baton-id';
const TRIES = 5;

/** The id becomes the name of a folder, so only this shape is accepted from the file. */
const ID = /^repo-[0-9a-f]{12}$/;

async function storedId(commonDir: RealPath, question: RepositoryQuestion): Promise<string | null> {
  const { states, create } = question;
  for (let n = 0; n < TRIES; n += 1) {
    const id = await ownId(commonDir, states);
    if (id !== null || !create) return id;
    const tag = newTag();
    const stale = await staleAs(commonDir, states);
    if (stale === null && (await createFile(commonDir, NAME, textOf(`repo-${tag}`, commonDir), tag)))
      return `repo-${tag}`;
    if (stale !== null) await replaceFile(commonDir, NAME, textOf(stale, commonDir), tag);
  }
  throw busy(commonDir);
}

/**
 * The id of a repository, taken over if the repository was moved here. Null if it has none or is a copy. It is a copy
 * if the path in its file, or the path in the state folder, has a repository with this id. The claim is the new owner
 * file in the state folder. `baton-id` is updated after it.
 */
async function ownId(commonDir: RealPath, states: string): Promise<string | null> {
  for (let n = 0; n < TRIES; n += 1) {
    const found = await readId(child(commonDir, NAME));
    if (found === null) return null;
    const home = resolve(states, found.id) as RealPath;
    const owner = await readOwner(home);
    if ((owner.path ?? found.path) === commonDir) return await followOwner(commonDir, found);
    if (await isTaken(home, { ...found, owner: owner.path }, commonDir)) return null;
    // If the folder cannot be written, the id is used without a claim.
    if ((await ifWritable(() => claimOwner(home, owner, commonDir))) === undefined) return found.id;
  }
  throw busy(commonDir);
}

/** Whether the id has no state to take over, or belongs to a repository at one of its known paths. */
async function isTaken(
  home: RealPath,
  { id, path, owner }: { id: string; path: string; owner: string | null },
  commonDir: RealPath,
): Promise<boolean> {
  if ((await statOf(home)) === null || (await holds(path, id, commonDir))) return true;
  return owner !== null && holds(owner, id, commonDir);
}

/** Whether another git directory than this one has the id. */
async function holds(path: string, id: string, commonDir: RealPath): Promise<boolean> {
  const real = await realFolder(path).catch(() => null);
  return real !== null && real !== commonDir && (await readId(child(real, NAME)))?.id === id;
}

/** Updates the path in the id file of the git directory. */
async function followOwner(commonDir: RealPath, { id, path }: { id: string; path: string }): Promise<string> {
  const follow = () => replaceFile(commonDir, NAME, textOf(id, commonDir), newTag());
  if (path !== commonDir) await ifWritable(follow);
  return id;
}

/** Undefined if the disk or the permissions forbid it. */
async function ifWritable<T>(write: () => Promise<T>): Promise<T | undefined> {
  return await write().catch(orElse(undefined, 'EROFS', 'EACCES', 'EPERM'));
}

function busy(commonDir: RealPath): Error {
  return failure('repository_id', `${commonDir}: other processes keep writing ${NAME}`, {
    retry: 'transient',
  });
}

function newTag(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex');
}

function textOf(id: string, commonDir: RealPath): string {
  return `${JSON.stringify({ id, path: commonDir })}\n`;
}

/**
 * The new id for a repository whose id file is invalid or belongs to another repository. It is derived from that file,
 * so all processes that find the file write the same id. No process replaces an id that another has just received. Null
 * if there is no such file.
 */
async function staleAs(commonDir: RealPath, states: string): Promise<string | null> {
  const file = child(commonDir, NAME);
  const text = await readSmallFile(file);
  const found = await statOf(file);
  const isSame = (await readSmallFile(file)) === text && (await ownId(commonDir, states)) === null;
  if (found === null || !isSame) return null;
  return `repo-${shortHash([commonDir, text ?? '', found.ino, found.ctimeNs].join('\n'))}`;
}

async function readId(file: RealPath): Promise<{ id: string; path: string } | null> {
  const found = parseJson((await readSmallFile(file)) ?? '') as { id?: unknown; path?: unknown } | null;
  if (typeof found?.id !== 'string' || !ID.test(found.id) || typeof found.path !== 'string') return null;
  return { id: found.id, path: found.path };
}

function shortHash(text: string): string {
  return sha256(text).slice('sha256:'.length, 'sha256:'.length + 12);
}

/**
 * The repository of a folder if there is no git program to ask. Null if there is one, or if there is no repository. The
 * files are read directly: the id of a repository must not depend on the current PATH.
 */
async function repositoryWithoutGit(git: Git, folder: RealPath): Promise<Repository | null> {
  const found = folder.split(sep).includes('.git') ? null : await byHand(folder);
  if (found === null || (await git.run(folder, ['--version'])) !== null) return null;
  return found;
}

/** Finds what git itself accepts as a repository, here or above: a `.git` file, or a folder with its three parts. */
async function byHand(top: RealPath): Promise<Repository | null> {
  const at = child(top, '.git');
  const gitDir = (await isGitFolder(at)) ? at : await linkedFolder(top, at, /^gitdir: (.+)\n*$/);
  if (gitDir !== null)
    return { top, gitDir, commonDir: (await linkedFolder(gitDir, child(gitDir, 'commondir'))) ?? gitDir };
  const above = dirname(top) as RealPath;
  return above === top ? null : byHand(above);
}

async function isGitFolder(folder: RealPath): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((part) => statOf(child(folder, part))));
  return !parts.includes(null);
}

/** The folder that a file of git names, relative to `from`. Null if the file or the folder does not exist. */
async function linkedFolder(from: RealPath, file: RealPath, form = /^(.+)\n*$/): Promise<RealPath | null> {
  const named = form.exec((await readSmallFile(file)) ?? '')?.[1];
  if (named === undefined) return null;
  const folder = resolve(from, named) as RealPath;
  return (await statOf(folder))?.isDirectory() ? realFolder(folder) : null;
}
