import { existsSync } from 'node:fs';
import { access, mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type RepositoryQuestion, recordOwner, repositoryId } from './adapters/git/repository-id.ts';
import { outsidePath } from './adapters/sandbox/outside-path.ts';
import { toAdapterError } from './runtime/system-failure.ts';

/** Where the runs of a folder are stored: outside the folder, in the person's state directory. */
export interface Location {
  /** Top of the work tree, or the plain folder. */
  readonly root: string;
  readonly home: string;
}

/** Finds the state directory of a folder. Null if no run was started there and `create` is false. */
export async function findLocation(folder: string, create: boolean): Promise<Location | null> {
  const found = await repositoryId(folder, question(folder, create));
  if (!found) return null;
  const home = path.join(stateHome(), found.id);
  if (create) {
    await makeHome(home);
    if (found.commonDir !== null) await recordOwner(home, found.commonDir);
  }
  // A log, a backup or files of runs count even without a database. The store then reports what is wrong.
  else if (!(await hasRuns(home))) return null;
  return { root: found.root, home };
}

/** The environment is computed only if git is actually started. */
function question(folder: string, create: boolean): RepositoryQuestion {
  return {
    ...{ create, states: stateHome() },
    get environment() {
      return outsideEnvironment(folder);
    },
  };
}

/**
 * The person's environment for programs that run outside of every sandbox: git, sudo, ssh-keygen. A worker can write
 * into the checkout (`--in-place`) and into a run's tree, so PATH contains no folder of either.
 */
export function outsideEnvironment(folder: string): NodeJS.ProcessEnv {
  const PATH = outsidePath(process.env.PATH ?? '', [checkoutOf(folder), stateHome()]);
  return { ...process.env, PATH };
}

/** The nearest folder upwards that contains `.git`, or the folder itself if there is none. */
function checkoutOf(folder: string): string {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (at === path.dirname(at)) return folder;
  }
}

async function hasRuns(home: string): Promise<boolean> {
  const names = async (folder: string) => readdir(folder).catch(() => []);
  if ((await names(home)).some((name) => name.startsWith('baton.db'))) return true;
  const folders = await Promise.all(['trees', 'artefacts', 'calls'].map((of) => names(path.join(home, of))));
  return folders.some((found) => found.length > 0);
}

/**
 * Converts a typed path to a path from the top of the repository, as runs use it. `./`, `../` and any existing path are
 * relative to the folder of the command. Every other path is taken as relative to the top already. A path that leads
 * out of the repository stays as typed, so that the rules refuse it.
 */
export async function fromRoot(folder: string, typed: string): Promise<string> {
  const found = await repositoryId(folder, question(folder, false));
  if (!found || typed === '') return typed;
  const here = path.resolve(await realpath(folder), typed);
  const meant = /^\.\.?(\/|$)/.test(typed) || (await exists(here));
  const inside = path.relative(found.root, here);
  return meant && inside !== '' && !inside.startsWith('..') ? inside : typed;
}

/**
 * Creates one folder at a time. With `recursive`, Node reports a read-only disk as a missing folder and never returns
 * below `/proc`.
 */
async function makeHome(home: string): Promise<void> {
  if (await exists(home)) return;
  await makeHome(path.dirname(home));
  try {
    await mkdir(home, { mode: 0o700 });
  } catch (error) {
    const made = await stat(home).catch(() => null);
    if (!made?.isDirectory()) throw toAdapterError(error) ?? error;
  }
}

/** State directory of the person. It holds the state folders of all their repositories. */
export function stateHome(): string {
  const { BATON_HOME, XDG_STATE_HOME } = process.env;
  if (BATON_HOME) return path.resolve(BATON_HOME);
  const state =
    XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME)
      ? XDG_STATE_HOME
      : path.join(homedir(), '.local', 'state');
  return path.join(state, 'baton');
}

/** Stores the stack trace of one of our own bugs next to the runs. Null if even that fails. */
export async function storeTrace(error: unknown): Promise<string | null> {
  const dir = path.join(stateHome(), 'traces');
  const file = path.join(dir, `${new Date().toISOString().replaceAll(':', '-')}.txt`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(file, error instanceof Error ? (error.stack ?? error.message) : String(error));
    return file;
  } catch {
    return null; // the disk is the problem, so the message on screen must be enough
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
