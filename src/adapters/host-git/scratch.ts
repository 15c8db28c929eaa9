import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { orElse } from '../../engine/system-error.ts';
import { listFolder, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import { makePrivate, removeTree } from '../../files/state-files.ts';
import type { GitRun } from '../git/git.ts';
import { makeGitDir } from '../git/git-dir.ts';
import { basePlan, type Inheritance, inherit, type Person } from '../git/person.ts';

/**
 * Our folder for one operation: a git directory that reads the person's objects and receives everything that is fetched
 * or created. The person's repository is only read.
 */
export interface Scratch {
  readonly person: Person;
  readonly from: Inheritance;
  readonly folder: RealPath;
  readonly gitDir: RealPath;
  /** Git in our own directory, without any setting of the person. */
  run(args: readonly string[], options?: CallOptions): Promise<GitRun | null>;
  /** Its standard output. Throws `git_failed`. */
  need(args: readonly string[], options?: CallOptions): Promise<string>;
}

interface CallOptions {
  readonly input?: string;
  /** Bytes as latin1, in and out. */
  readonly binary?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** No command runs longer than a day. An older folder was left by a process that died. */
const LEFT_MS = 2 * 24 * 60 * 60 * 1000;

/** Works in a scratch folder that is removed afterwards. */
export async function inScratch<T>(
  person: Person,
  dir: string,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const parent = resolve(dir) as RealPath;
  await makePrivate(parent);
  const home = await realFolder(parent);
  await removeLeft(home);
  const folder = child(home, randomBytes(8).toString('hex'));
  await makePrivate(folder);
  try {
    return await work(await openScratch(person, folder));
  } finally {
    await removeTree(folder).catch(leftForLater);
  }
}

async function openScratch(person: Person, folder: RealPath): Promise<Scratch> {
  const from = await inherit(person);
  const gitDir = child(folder, 'git');
  await makeGitDir(gitDir, basePlan(from, { branch: 'none', commit: null }));
  const here = (options: CallOptions = {}) => ({ ...options, env: { ...options.env, GIT_DIR: gitDir } });
  return {
    ...{ person, from, folder, gitDir },
    run: (args, options) => person.git.run(folder, args, here(options)),
    need: (args, options) => person.git.need(folder, args, here(options)),
  };
}

async function removeLeft(home: RealPath): Promise<void> {
  for (const { name } of await listFolder(home)) {
    const found = await statOf(child(home, name));
    const isOld = found !== null && Number(found.mtimeMs) < Date.now() - LEFT_MS;
    if (isOld) await removeTree(child(home, name)).catch(leftForLater);
  }
}

/** The operation counts even if its folder cannot be removed. */
const leftForLater = orElse(undefined);

/** True if all these objects exist in our directory or the person's. */
export async function areKnown(scratch: Scratch, ids: readonly string[]): Promise<boolean> {
  const input = ids.map((id) => `${id}\n`).join('');
  return !/ missing$/m.test(await scratch.need(['cat-file', '--batch-check'], { input }));
}

/** True if everything reachable from `older` is also reachable from `newer`. False if one of them does not exist. */
export async function isContained(scratch: Scratch, older: string, newer: string): Promise<boolean> {
  return (await scratch.run(['merge-base', '--is-ancestor', older, newer]))?.code === 0;
}
