import { access, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { repositoryId } from './adapters/workspace/repository-id.ts';
import { toAdapterError } from './runtime/system-failure.ts';

/** Where a folder's runs live: outside the folder, in the person's state directory. */
export interface Place {
  /** Top of the work tree, or the plain folder. */
  readonly root: string;
  readonly home: string;
}

/** The state directory for a folder; null when nothing was started there and nothing may be created. */
export async function findPlace(folder: string, create: boolean): Promise<Place | null> {
  const found = await repositoryId(folder, { create });
  if (!found) return null;
  const home = path.join(stateHome(), found.id);
  const store = path.join(home, 'baton.db');
  if (create) await makeHome(home);
  // A log without its database counts: the store says what is wrong there.
  else if (!(await exists(store)) && !(await exists(`${store}-wal`))) return null;
  return { root: found.root, home };
}

/**
 * A path as it is seen from the top of the repository, where runs know their places. `./` and `../` are meant from the
 * folder the command was given in, and so is what stands there; any other path is from the top already, and one that
 * leads out stays as it was typed, for the rules to refuse.
 */
export async function fromRoot(folder: string, typed: string): Promise<string> {
  const found = await repositoryId(folder, { create: false });
  if (!found || typed === '') return typed;
  const here = path.resolve(await realpath(folder), typed);
  const meant = /^\.\.?(\/|$)/.test(typed) || (await exists(here));
  const inside = path.relative(found.root, here);
  return meant && inside !== '' && !inside.startsWith('..') ? inside : typed;
}

/** One folder at a time: several at once, Node calls a read-only disk a missing folder, and below `/proc` never ends. */
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

/** State directory of the person: all their places lie in it. */
export function stateHome(): string {
  const { BATON_HOME, XDG_STATE_HOME } = process.env;
  if (BATON_HOME) return path.resolve(BATON_HOME);
  const state =
    XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME)
      ? XDG_STATE_HOME
      : path.join(homedir(), '.local', 'state');
  return path.join(state, 'baton');
}

/** Keeps the stack of our own bug beside the runs; null when even that fails. */
export async function keepTrace(error: unknown): Promise<string | null> {
  const dir = path.join(stateHome(), 'traces');
  const file = path.join(dir, `${new Date().toISOString().replaceAll(':', '-')}.txt`);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(file, error instanceof Error ? (error.stack ?? error.message) : String(error));
    return file;
  } catch {
    return null; // the disk is the problem: the message on screen must do
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
