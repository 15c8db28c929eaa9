import { listFolder, statOf } from '../../../files/real-files.ts';
import { child, listedPath, type RealPath } from '../../../files/real-path.ts';
import type { Git, GitEnvironment } from '../../git/git.ts';
import { splitLinks, zeroList } from '../../git/names.ts';
import { personalIgnoreFile } from '../../git/person.ts';
import { FOREIGN_FOLDERS } from '../texts/conventions.ts';

/**
 * `git`: what git tracks or would track. `walk`: every entry. `top`: the two upper levels of a folder that has too many
 * entries to be walked.
 */
type TreeScope = 'git' | 'walk' | 'top';

export interface TreeList {
  readonly scope: TreeScope;
  /** Path from the root, with forward slashes, to its real path. */
  readonly entries: ReadonlyMap<string, RealPath>;
}

/** Above this many entries a folder without git is compared only in its two upper levels. */
const MOST_ENTRIES = 50_000;
const TOP_LEVELS = 2;

/**
 * Tracked and untracked files without the ignored ones. A submodule or nested repository is listed file by file. For a
 * name that is not UTF-8, only its creation and removal are noticed.
 */
export async function listByGit(git: Git, root: RealPath, environment: GitEnvironment): Promise<TreeList> {
  const file = await personalIgnoreFile(git, root, environment);
  const ignore = file === null ? [] : ['-c', `core.excludesFile=${file}`];
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const [listed, staged] = await Promise.all([
    git.need(root, [...ignore, ...args]),
    git.need(root, ['ls-files', '-z', '--stage']),
  ]);
  const submodules = new Set(splitLinks(zeroList(staged)).links);
  const entries = new Map<string, RealPath>();
  for (const path of new Set(zeroList(listed))) {
    const at = listedPath(root, path);
    const name = path.replace(/\/$/, '');
    const nested = path !== name || submodules.has(path);
    if (nested && (await statOf(at))?.isDirectory()) await walk({ entries, most: Infinity }, at, name);
    else entries.set(name, at);
  }
  return { scope: 'git', entries };
}

/** All entries of a folder without git, folders of tools left out. */
export async function listByWalk(root: RealPath, most = MOST_ENTRIES): Promise<TreeList> {
  const all = { entries: new Map<string, RealPath>(), most };
  if (await walk(all, root, '')) return { scope: 'walk', entries: all.entries };
  const top = { entries: new Map<string, RealPath>(), most };
  await walk(top, root, '', TOP_LEVELS);
  return { scope: 'top', entries: top.entries };
}

/**
 * Folders of tools that a walk leaves out, each with a slash at its end. They are found at any depth within the limit
 * of a walk.
 */
export async function listForeign(root: RealPath): Promise<string[]> {
  const found: string[] = [];
  const folders: { readonly at: RealPath; readonly path: string }[] = [{ at: root, path: '' }];
  for (let n = 0; n < folders.length && folders.length < MOST_ENTRIES; n++) {
    const { at, path } = folders[n] as (typeof folders)[number];
    for (const entry of await listFolder(at)) {
      if (!entry.isDirectory() || entry.name === '.git') continue;
      const name = `${path}${entry.name}/`;
      if (FOREIGN_FOLDERS.has(entry.name)) found.push(name);
      else folders.push({ at: child(at, entry.name), path: name });
    }
  }
  return found;
}

interface Walked {
  readonly entries: Map<string, RealPath>;
  readonly most: number;
}

/** False if there are more entries than allowed. The list is then not complete. */
async function walk(walked: Walked, folder: RealPath, path: string, levels = Infinity): Promise<boolean> {
  const found = await listFolder(folder);
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (FOREIGN_FOLDERS.has(entry.name) && (entry.isDirectory() || entry.name === '.git')) continue;
    if (walked.entries.size >= walked.most) return false;
    const at = child(folder, entry.name);
    const name = path === '' ? entry.name : `${path}/${entry.name}`;
    walked.entries.set(name, at);
    if (entry.isDirectory() && levels > 1 && !(await walk(walked, at, name, levels - 1))) return false;
  }
  return true;
}
