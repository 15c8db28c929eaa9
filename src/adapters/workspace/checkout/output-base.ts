import { posix } from 'node:path';
import * as z from 'zod';
import type { OutputBase } from '../../../contract/deliver-found.ts';
import { failure, guardRefused } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { listFolder, removeFolder } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import type { Git, GitEnvironment } from '../../git/git.ts';
import { personalIgnoreFile } from '../../git/person.ts';
import { findRepository, isInWorkTree } from '../../git/repository.ts';
import { guardDocsPath, walkTo } from '../documents/guard.ts';

/** Input of the query `output_base`. */
export const OutputBaseInput = z.strictObject({ docs_path: z.string(), slug: z.string() });

/** Input of the write `wipe_base`: a base as the query returned it. */
export const WipeInput = z.strictObject({ base: z.string() });
type WipeInput = z.infer<typeof WipeInput>;

export interface BaseContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly namespace: string;
  readonly environment: GitEnvironment;
}

type Found = z.infer<typeof OutputBase>;

/** Most folders that the gate lists. Its last line sums up the rest. */
const MOST_FOLDERS = 50;

/**
 * What removing the folder above `docs_path` would delete, counted and named. `.` means the files directly in it.
 * Refused if the removal would be refused.
 */
export async function findOutputBase(
  location: BaseContext,
  input: z.infer<typeof OutputBaseInput>,
): Promise<Found> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  const base = guardBase(posix.dirname(docs), location.namespace);
  const at = await reachBase(location, base);
  const entries = at === null ? [] : await entriesOf(at, base);
  const loose = entries.filter((entry) => !entry.folder).length;
  const folders = entries.filter((entry) => entry.folder).map(({ name, files }) => ({ name, files }));
  return {
    base,
    folders: shortened(loose === 0 ? folders : [{ name: '.', files: loose }, ...folders]),
    memory: folders.some(({ name }) => name.toLowerCase() === 'memory'),
    ignored: await isIgnored(location, base, entries),
  };
}

/**
 * Removes only the base: links in it are removed, their targets stay. The whole guard comes first, so a refusal does
 * not change anything. Safe to repeat.
 */
export async function wipeBase(location: BaseContext, _: string, input: WipeInput): Promise<WipeInput> {
  const base = guardBase(input.base, location.namespace);
  const at = await reachBase(location, base);
  if (at === null) return { base };
  await entriesOf(at, base);
  await removeFolder(at);
  return { base };
}

/** The result if the base is gone. Otherwise null, and the write is repeated. */
export async function lookupWipe(
  location: BaseContext,
  _: string,
  input: WipeInput,
): Promise<WipeInput | null> {
  const base = guardBase(input.base, location.namespace);
  return (await reachBase(location, base)) === null ? { base } : null;
}

function guardBase(base: string, namespace: string): LexicalPath {
  const checked = validatePath(base, 'output_dir', { namespace });
  if (!checked.ok) throw guardRefused(checked.code, JSON.stringify(base));
  if (checked.path !== base) throw guardRefused('level', JSON.stringify(base));
  return checked.path;
}

/** The base itself, strictly inside the tree and not behind a link. Null if it does not exist. */
async function reachBase(location: BaseContext, base: LexicalPath): Promise<RealPath | null> {
  const at = await walkTo(location.root, base, false);
  if (at === null) return null;
  const repository = await findRepository(location.git, location.root);
  const inside = [repository?.gitDir, repository?.commonDir].some((dir) => `${dir}/`.startsWith(`${at}/`));
  if (inside) throw guardRefused('protected', base);
  return at;
}

interface Entry {
  readonly name: string;
  readonly folder: boolean;
  /** Everything below it that is not a folder. Links count as links. */
  readonly files: number;
}

/** The direct entries of a folder, in order. A repository anywhere below is refused: Baton must never remove one. */
async function entriesOf(folder: RealPath, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of await listFolder(folder)) {
    const { name } = entry;
    if (name.toLowerCase() === '.git') throw guardRefused('protected', `${path}/${name}`);
    // A folder whose name is not UTF-8 cannot be opened by that text. It counts as one file.
    const opens = entry.isDirectory() && !name.includes('\uFFFD');
    const below = opens ? await entriesOf(child(folder, name), `${path}/${name}`) : [];
    const files = opens ? below.reduce((sum, one) => sum + one.files, 0) : 1;
    entries.push({ name, folder: entry.isDirectory(), files });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function shortened(folders: Found['folders']): Found['folders'] {
  if (folders.length <= MOST_FOLDERS) return folders;
  const rest = folders.slice(MOST_FOLDERS - 1);
  const files = rest.reduce((sum, folder) => sum + folder.files, 0);
  return [...folders.slice(0, MOST_FOLDERS - 1), { name: `… (+${rest.length})`, files }];
}

/** True if git ignores the base, or everything in it, and does not track it: no history has a copy. */
async function isIgnored(
  location: BaseContext,
  base: LexicalPath,
  entries: readonly Entry[],
): Promise<boolean> {
  const { git, root, environment } = location;
  if (!(await isInWorkTree(git, root))) return false;
  const own = await personalIgnoreFile(git, root, environment);
  const settings = own === null ? [] : ['-c', `core.excludesFile=${own}`];
  const paths = entries.map(({ name }) => `./${base}/${name}`);
  const input = [`./${base}`, ...paths].map((path) => `${path}\0`).join('');
  // This command does not support literal paths. With `..` in front, none of them can be read as anything else.
  const args = ['--no-literal-pathspecs', ...settings, 'check-ignore', '-z', '--stdin'];
  const done = await git.run(root, args, { input });
  if (done === null || done.code > 1) throw failure('git_failed', 'git check-ignore', { retry: 'transient' });
  const ignored = new Set(done.stdout.split('\0'));
  return ignored.has(`./${base}`) || (paths.length > 0 && paths.every((path) => ignored.has(path)));
}
