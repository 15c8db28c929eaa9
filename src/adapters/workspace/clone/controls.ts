import type { BigIntStats } from 'node:fs';
import { hashOf, listFolder, statOf } from '../files.ts';
import { child, type RealPath } from '../real-path.ts';

/** Parts of a git directory that decide what it means: where HEAD is, branches, settings, hooks, exclusions. */
const FILES = [
  ...['HEAD', 'config', 'config.worktree', 'packed-refs', 'commondir', 'gitdir', 'shallow'],
  // A git program that was killed leaves its lock, and no other one gets past it.
  ...['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock'],
];
const FOLDERS = ['hooks', 'info', 'refs', 'objects/info', 'worktrees', 'modules'];

/** Entries of one git directory that are looked at; more than that is one change. */
const MOST = 2000;

/**
 * The control files of a git directory, read as files: no git program looks at a directory a worker can write. Keys
 * read as `.git/...`; a git directory that is gone, or is a file or link, shows as `.git`.
 */
export async function readControls(gitDir: RealPath): Promise<Record<string, string>> {
  const top = await statOf(gitDir);
  if (!top?.isDirectory()) return { '.git': top === null ? 'missing' : await describe(gitDir, top) };
  const found: Record<string, string> = {};
  for (const name of FILES) await add(found, child(gitDir, name), `.git/${name}`);
  for (const name of FOLDERS) {
    const at = name.split('/').reduce(child, gitDir);
    await walk(found, at, `.git/${name}`);
  }
  return found;
}

async function walk(found: Record<string, string>, at: RealPath, name: string): Promise<void> {
  const stat = await statOf(at);
  if (stat === null) return;
  if (!stat.isDirectory()) return await add(found, at, name);
  for (const entry of await listFolder(at)) {
    if (Object.keys(found).length >= MOST) return;
    await walk(found, child(at, entry.name), `${name}/${entry.name}`);
  }
}

async function add(found: Record<string, string>, at: RealPath, name: string): Promise<void> {
  const stat = await statOf(at);
  if (stat !== null) found[name] = await describe(at, stat);
}

async function describe(at: RealPath, stat: BigIntStats): Promise<string> {
  return `${(stat.mode & 0o170111n).toString(8)} ${(await hashOf(at)) ?? ''}`;
}
