import { posix } from 'node:path';
import * as z from 'zod';
import { InvariantError } from '../../../engine/errors.ts';
import { readOwnBytes } from '../../../files/real-files.ts';
import { listedPath } from '../../../files/real-path.ts';
import { copyObjects } from '../../git/git-dir.ts';
import { type ByteName, decodeName, rawChanges, treeEntry, zeroList, zeroText } from '../../git/names.ts';
import { changedKeys } from './git-state.ts';
import {
  type Difference,
  noSnapshot,
  type Snapshots,
  snapshotKey,
  type TreeChange,
  type TreeDiff,
} from './snapshots.ts';
import {
  inIndex,
  orAnew,
  type PresentTree,
  type StoredTree,
  withIndex,
  writePresent,
} from './stored-tree.ts';

/** What a snapshot stores besides the files, as the message of its commit. */
const Meta = z.strictObject({
  odd: z.array(z.string()),
  git: z.record(z.string(), z.string()),
  by: z.string().nullable(),
});
type Meta = z.infer<typeof Meta>;

/** A snapshot read back. */
export interface StoredSnapshot extends Meta {
  readonly tree: string;
}

/** Snapshots as commits under refs of our own git directory. A single ref update stores one. */
export function createGitSnapshots(kept: StoredTree): Snapshots {
  const take = async (name: string, again: string | null): Promise<string> => {
    const old = await readSnapshot(kept, snapshotRef(name));
    if (old !== null && (again === null || old.by === again)) return old.tree;
    const present = await writePresent(kept);
    await keepUnder(kept, snapshotRef(name), present, again);
    return present.tree;
  };
  const read = async (name: string, path: string): Promise<Buffer | null> => {
    const { tree } = await needSnapshot(kept, name);
    const listed = await ask(kept, ['ls-tree', '-z', tree, '--', path]);
    const { mode, type, id } = treeEntry(listed);
    if (type !== 'blob' || mode === '120000' || id === '') return null;
    return Buffer.from(await ask(kept, ['cat-file', 'blob', id]), 'latin1');
  };
  return {
    take: (name) => take(name, null),
    retake: take,
    takeExcept: async (name, since, paths) => {
      const done = await readSnapshot(kept, snapshotRef(name));
      if (done !== null) return done.tree;
      const { tree: old, odd } = await needSnapshot(kept, since);
      const present = await writePresent(kept);
      const tree = await mixTrees(kept, present.tree, old, new Set(paths));
      await keepUnder(kept, snapshotRef(name), { tree, odd });
      return tree;
    },
    takenBy: async (name) => (await readSnapshot(kept, snapshotRef(name)))?.by ?? null,
    since: async (name) => {
      const old = await needSnapshot(kept, name);
      return await differenceFrom(kept, old, await writePresent(kept));
    },
    diff: async (name, paths) => {
      const { tree } = await needSnapshot(kept, name);
      const args = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
      const [text, counts] = await orAnew(kept, async () => {
        const present = await writePresent(kept);
        const of = [tree, present.tree, '--', ...paths];
        return [
          await ask(kept, [...args, '-p', ...of]),
          await ask(kept, [...args, '--numstat', '-z', ...of]),
        ];
      });
      return { text: Buffer.from(text, 'latin1').toString('utf8'), lines: parseCounts(counts) };
    },
    ignored: async () => {
      const names = await orAnew(kept, () => ignoredNames(kept));
      return names.map((name) => decodeName(name).path);
    },
    newlyIgnored: (name, changed) => newlyIgnored(kept, (path) => read(name, path), changed),
    read,
  };
}

/** The first tree, with these paths as in the second one. */
async function mixTrees(
  kept: StoredTree,
  tree: string,
  other: string,
  paths: ReadonlySet<string>,
): Promise<string> {
  const raw = await ask(kept, ['diff-tree', '-r', '-z', '--no-renames', '--raw', tree, other]);
  const wanted = rawChanges(raw).filter(({ name }) => paths.has(decodeName(name).path));
  const lines = wanted.map(({ mode, id, name }) => `${mode} ${id}\t${name}`);
  return await inIndex(kept, async (git) => {
    await git(['read-tree', tree]);
    await git(['update-index', '-z', '--replace', '--index-info'], zeroText(lines));
    return (await git(['write-tree'])).trim();
  });
}

/** Full ref of a snapshot. */
function snapshotRef(name: string): string {
  return `refs/baton/snapshots/${snapshotKey(name)}`;
}

/** Stores a present tree under a ref, so that it survives pruning elsewhere. */
export async function keepUnder(
  kept: StoredTree,
  ref: string,
  present: PresentTree,
  by: string | null = null,
): Promise<void> {
  const meta: Meta = { odd: [...present.odd], git: { ...(await kept.controls()) }, by };
  const message = JSON.stringify(meta);
  await ownObjects(kept, present.tree);
  const commit = await ask(kept, ['commit-tree', '--no-gpg-sign', present.tree], message);
  await ask(kept, ['update-ref', '--no-deref', ref, commit.trim()]);
}

/** Objects of a pinned commit and of earlier snapshots are safe already. */
async function ownObjects(kept: StoredTree, tree: string): Promise<void> {
  const safe = await ask(kept, ['for-each-ref', '--format=^%(tree)', 'refs/baton/']);
  const pinned = kept.pinned === null ? '' : `^${kept.pinned}^{tree}\n`;
  await copyObjects(kept, `${tree}\n${safe}${pinned}`);
}

/** The snapshot of that name. Throws `no_such_snapshot`. */
export async function needSnapshot(kept: StoredTree, name: string): Promise<StoredSnapshot> {
  const found = await readSnapshot(kept, snapshotRef(name));
  if (found === null) throw noSnapshot(name);
  return found;
}

async function readSnapshot(kept: StoredTree, ref: string): Promise<StoredSnapshot | null> {
  const listed = await ask(kept, ['for-each-ref', '--format=%(tree)%00%(contents)', ref]);
  if (listed === '') return null;
  const [tree = '', message = ''] = listed.split('\0');
  const text = Buffer.from(message, 'latin1').toString('utf8');
  return { tree, ...Meta.parse(JSON.parse(text)) };
}

/** How a present tree differs from a snapshot. */
export async function differenceFrom(
  kept: StoredTree,
  old: Omit<StoredSnapshot, 'by'>,
  present: PresentTree,
): Promise<Difference> {
  const raw = await ask(kept, ['diff-tree', '-r', '-z', '--no-renames', '--raw', old.tree, present.tree]);
  const before = new Set(old.odd);
  const controls = await kept.controls();
  return {
    tree: present.tree,
    changes: parseRaw(raw),
    odd: present.odd.filter((name) => !before.has(name)).map((name) => decodeName(name).path),
    links: (await kept.links()).map((name) => decodeName(name).path),
    git: isRecorded(old) ? changedKeys(old.git, controls).sort() : [],
  };
}

/** A git directory always has a `config`. A snapshot without any control file was taken before they were stored. */
function isRecorded({ git }: Pick<StoredSnapshot, 'git'>): boolean {
  return Object.keys(git).length > 0;
}

const CHANGES: Readonly<Record<string, TreeChange['change']>> = {
  A: 'created',
  M: 'modified',
  T: 'modified',
  D: 'deleted',
};

function parseRaw(raw: string): TreeChange[] {
  return rawChanges(raw).map(({ oldMode, mode, id, kind, name }) => {
    const change = CHANGES[kind];
    if (change === undefined) throw new InvariantError(`git compared two trees and said ${kind}`);
    const content = change === 'deleted' ? '' : `${mode} ${id}`;
    const rights = rightsOf(oldMode, mode);
    return { ...decodeName(name), change, link: mode === '120000', rights, content };
  });
}

/** Added and removed lines. Git prints dashes for files that are not text. */
function parseCounts(numstat: string): TreeDiff['lines'] {
  const rows = zeroList(numstat).map((row) => /^(\d+)\t(\d+)\t(.*)$/s.exec(row));
  return Object.fromEntries(
    rows.flatMap((row) =>
      row ? [[decodeName(row[3] ?? '').path, { added: Number(row[1]), removed: Number(row[2]) }]] : [],
    ),
  );
}

/** A new file is compared with a file that is not executable. */
function rightsOf(before: string, now: string): TreeChange['rights'] {
  if (now === '100755') return before === '100755' ? null : '+x';
  return now === '100644' && before === '100755' ? '-x' : null;
}

const NO_ONE = {
  GIT_AUTHOR_NAME: 'Baton',
  GIT_AUTHOR_EMAIL: 'baton@localhost',
  GIT_COMMITTER_NAME: 'Baton',
  GIT_COMMITTER_EMAIL: 'baton@localhost',
};

/** Runs git in our git directory without index and work tree. Bytes in and out. */
export async function ask(kept: StoredTree, args: readonly string[], input?: string): Promise<string> {
  const env = { GIT_DIR: kept.gitDir, ...NO_ONE };
  const text = input === undefined ? {} : { input: Buffer.from(input).toString('latin1') };
  return await kept.git.need(kept.gitDir, args, { env, binary: true, ...text });
}

/** Restores the tree to a snapshot through the index that was just brought to the present tree. */
export async function checkOut(kept: StoredTree, tree: string): Promise<void> {
  await withIndex(kept, (git) => git(['read-tree', '--reset', '-u', tree]));
}

/** How an ignore file has changed. */
interface ChangedRules {
  readonly folder: string;
  readonly before: ReadonlySet<string>;
  /** A rule that showed files (`!`) was removed. The rule that hides them now is then not decisive. */
  readonly opens: boolean;
}

/**
 * Names that git ignores now and did not ignore before these ignore files changed. A name counts if a new rule in one
 * of them hides it. It also counts if one above it lost a rule that showed files. This may list one name too many,
 * never too few.
 */
async function newlyIgnored(
  kept: StoredTree,
  before: (path: string) => Promise<Buffer | null>,
  changed: readonly string[],
): Promise<string[]> {
  if (changed.length === 0) return [];
  const rules = new Map<string, ChangedRules>();
  for (const path of changed) rules.set(path, await changedRules(kept, path, await before(path)));
  const found = (await hidden(kept)).filter(({ path, source, rule }) => {
    const by = rules.get(source);
    return (by && !by.before.has(rule)) || [...rules.values()].some((one) => one.opens && isBelow(path, one));
  });
  return found.map(({ path }) => path).sort();
}

async function changedRules(kept: StoredTree, path: string, old: Buffer | null): Promise<ChangedRules> {
  const now = linesOf(await readOwnBytes(listedPath(kept.root, path)));
  const before = linesOf(old);
  const opens = [...before].some((line) => line.startsWith('!') && !now.has(line));
  return { folder: posix.dirname(path), before, opens };
}

function linesOf(content: Buffer | null): Set<string> {
  return new Set((content?.toString('utf8') ?? '').split(/\r?\n/));
}

function isBelow(path: string, { folder }: ChangedRules): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}

interface Hidden {
  readonly path: string;
  readonly source: string;
  readonly rule: string;
}

/** Every ignored name. A whole folder is one name that ends in a slash. */
async function ignoredNames(kept: StoredTree): Promise<ByteName[]> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return zeroList(await withIndex(kept, (git) => git(list)));
}

/** Every ignored name with the rule that hides it. */
async function hidden(kept: StoredTree): Promise<Hidden[]> {
  const names = await ignoredNames(kept);
  if (names.length === 0) return [];
  // This command does not support literal paths. With `./` in front, none of them can be read as anything else.
  const args = ['--no-literal-pathspecs', 'check-ignore', '-z', '-v', '--no-index', '--stdin'];
  const env = { GIT_DIR: kept.gitDir, GIT_WORK_TREE: kept.root };
  const input = names.map((name) => `./${name}\0`).join('');
  const fields = (await kept.git.need(kept.root, args, { env, binary: true, input })).split('\0');
  return fields.flatMap((path, n) => {
    const [source = '', , rule = ''] = fields.slice(n - 3, n);
    if (n % 4 !== 3) return [];
    return [{ path: decodeName(path.replace(/^\.\//, '')).path, source: decodeName(source).path, rule }];
  });
}
