import { posix } from 'node:path';
import * as z from 'zod';
import type { OutputBase } from '../../contract/deliver-found.ts';
import { type LexicalPath, validatePath } from '../../engine/paths.ts';
import { failure, guardRefused } from './failure.ts';
import { listFolder, removeFolder } from './files.ts';
import type { Git, GitEnvironment } from './git.ts';
import { guardDocsPath, walkTo } from './guard.ts';
import { child, type RealPath } from './real-path.ts';
import { findRepository, isInWorkTree } from './repository.ts';
import { personalIgnoreFile } from './tree-list.ts';

/** Input of the look `output_base`. */
export const OutputBaseInput = z.strictObject({ docs_path: z.string(), slug: z.string() });

/** Input of the write `wipe_base`: a base as the look named it. */
export const WipeInput = z.strictObject({ base: z.string() });
type WipeInput = z.infer<typeof WipeInput>;

export interface BasePlace {
  readonly git: Git;
  readonly root: RealPath;
  readonly namespace: string;
  readonly environment: GitEnvironment;
}

type Found = z.infer<typeof OutputBase>;

/** What the gate can list; the rest is summed up in its last line. */
const MOST_FOLDERS = 50;

/**
 * What removing the folder above `docs_path` would take away, counted and named. `.` stands for what lies directly in
 * it. Refused where the removal would be.
 */
export async function findOutputBase(
  place: BasePlace,
  input: z.infer<typeof OutputBaseInput>,
): Promise<Found> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const base = guardBase(posix.dirname(docs), place.namespace);
  const at = await reachBase(place, base);
  const entries = at === null ? [] : await entriesOf(at, base);
  const loose = entries.filter((entry) => !entry.folder).length;
  const folders = entries.filter((entry) => entry.folder).map(({ name, files }) => ({ name, files }));
  return {
    base,
    folders: shortened(loose === 0 ? folders : [{ name: '.', files: loose }, ...folders]),
    memory: folders.some(({ name }) => name.toLowerCase() === 'memory'),
    ignored: await isIgnored(place, base, entries),
  };
}

/**
 * Removes the base and nothing else: links in it go, what they lead to stays. The whole guard comes first, so a refusal
 * leaves everything as it was. Safe to repeat.
 */
export async function wipeBase(place: BasePlace, input: WipeInput): Promise<WipeInput> {
  const base = guardBase(input.base, place.namespace);
  const at = await reachBase(place, base);
  if (at === null) return { base };
  await entriesOf(at, base);
  await removeFolder(at);
  return { base };
}

/** The result if the base is gone, else null: then the write is done again. */
export async function lookupWipe(place: BasePlace, input: WipeInput): Promise<WipeInput | null> {
  const base = guardBase(input.base, place.namespace);
  return (await reachBase(place, base)) === null ? { base } : null;
}

function guardBase(base: string, namespace: string): LexicalPath {
  const checked = validatePath(base, 'output_dir', { namespace });
  if (!checked.ok) throw guardRefused(checked.code, JSON.stringify(base));
  if (checked.path !== base) throw guardRefused('level', JSON.stringify(base));
  return checked.path;
}

/** The base itself, strictly inside the tree and behind no link; null when it is not there. */
async function reachBase(place: BasePlace, base: LexicalPath): Promise<RealPath | null> {
  const at = await walkTo(place.root, base, false);
  if (at === null) return null;
  const repository = await findRepository(place.git, place.root);
  const inside = [repository?.gitDir, repository?.commonDir].some((dir) => `${dir}/`.startsWith(`${at}/`));
  if (inside) throw guardRefused('protected', base);
  return at;
}

interface Entry {
  readonly name: string;
  readonly folder: boolean;
  /** Everything below it that is no folder, links as links. */
  readonly files: number;
}

/** What lies directly in a folder, in order. A repository anywhere below is refused: it is never ours to remove. */
async function entriesOf(folder: RealPath, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of await listFolder(folder)) {
    const { name } = entry;
    if (name.toLowerCase() === '.git') throw guardRefused('protected', `${path}/${name}`);
    // A name that is not UTF-8 cannot be gone into by its text; it is counted as one.
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

/** Git ignores the base, or everything in it, and tracks nothing there: no history has a copy. */
async function isIgnored(place: BasePlace, base: LexicalPath, entries: readonly Entry[]): Promise<boolean> {
  const { git, root, environment } = place;
  if (!(await isInWorkTree(git, root))) return false;
  const own = await personalIgnoreFile(git, root, environment);
  const settings = own === null ? [] : ['-c', `core.excludesFile=${own}`];
  const paths = entries.map(({ name }) => `./${base}/${name}`);
  const input = [`./${base}`, ...paths].map((path) => `${path}\0`).join('');
  // This command knows no literal paths; with `./` in front none of them can be read as anything else.
  const args = ['--no-literal-pathspecs', ...settings, 'check-ignore', '-z', '--stdin'];
  const done = await git.run(root, args, { input });
  if (done === null || done.code > 1) throw failure('git_failed', 'git check-ignore', { retry: 'transient' });
  const ignored = new Set(done.stdout.split('\0'));
  return ignored.has(`./${base}`) || (paths.length > 0 && paths.every((path) => ignored.has(path)));
}
