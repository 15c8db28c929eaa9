import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { hashOf, readOwnBytes, readSmallFile, sha256, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { copyContent, makePrivate, moveTo, writeState } from '../../../files/state-files.ts';
import { noSnapshot, type Snapshots, snapshotKey, type TreeChange } from './snapshots.ts';
import { listByWalk, listForeign } from './tree-list.ts';

const Entry = z.strictObject({
  mode: z.enum(['file', 'program', 'link']),
  hash: z.string(),
  stat: z.string(),
});
type Entry = z.infer<typeof Entry>;
const Stored = z.strictObject({ by: z.string().nullable(), files: z.array(z.tuple([z.string(), Entry])) });

type Files = ReadonlyMap<string, Entry>;
interface Manifest {
  readonly by: string | null;
  readonly files: Files;
}

/** A folder without git and the part of the state directory that contains its snapshots. */
export interface PlainFolder {
  readonly root: RealPath;
  readonly state: RealPath;
}

/** Snapshots as a manifest of hashes and one copy of each content. They do not use git (WF-70). */
export function createFileSnapshots(folder: PlainFolder): Snapshots {
  const keep = async (name: string, by: string | null, from: (present: Files) => Files): Promise<string> => {
    const files = await presentFiles(folder, await readManifest(folder, LATEST));
    await storeContents(folder, files);
    await writeManifest(folder, LATEST, { by, files });
    const manifest = { by, files: from(files) };
    await writeManifest(folder, name, manifest);
    return treeHash(manifest);
  };
  const take = async (name: string, again: string | null): Promise<string> => {
    const old = await readManifest(folder, name);
    if (old !== null && (again === null || old.by === again)) return treeHash(old);
    return await keep(name, again, (present) => present);
  };
  return {
    take: (name) => take(name, null),
    retake: take,
    takeExcept: async (name, since, paths) => {
      const [done, old] = [await readManifest(folder, name), await readManifest(folder, since)];
      if (done !== null) return treeHash(done);
      if (old === null) throw noSnapshot(since);
      return await keep(name, null, (present) => mixed(present, old.files, paths));
    },
    takenBy: async (name) => (await readManifest(folder, name))?.by ?? null,
    since: async (name) => {
      const old = await readManifest(folder, name);
      if (old === null) throw noSnapshot(name);
      const files = await presentFiles(folder, old);
      return { tree: treeHash({ files }), changes: compare(old.files, files), odd: [], links: [], git: [] };
    },
    ignored: () => listForeign(folder.root),
    newlyIgnored: () => Promise.resolve([]),
    diff: () => Promise.resolve(null),
    read: async (name, path) => {
      const manifest = await readManifest(folder, name);
      if (manifest === null) throw noSnapshot(name);
      const entry = manifest.files.get(path);
      if (!entry || entry.mode === 'link') return null;
      return await readOwnBytes(contentPath(await contents(folder), entry.hash));
    },
  };
}

/** The present files, with these paths as they were. */
function mixed(present: Files, old: Files, paths: readonly string[]): Files {
  const files = new Map(present);
  for (const path of paths) {
    const entry = old.get(path);
    if (entry) files.set(path, entry);
    else files.delete(path);
  }
  return files;
}

/** The newest manifest. Hashes of files that have not changed since are reused. */
const LATEST = 'latest-of-all';

async function readManifest(folder: PlainFolder, name: string): Promise<Manifest | null> {
  const text = await readSmallFile(child(folder.state, `${snapshotKey(name)}.json`));
  if (text === null) return null;
  const { by, files } = Stored.parse(JSON.parse(text));
  return { by, files: new Map(files) };
}

async function writeManifest(folder: PlainFolder, name: string, manifest: Manifest): Promise<void> {
  await writeState(
    folder.state,
    `${snapshotKey(name)}.json`,
    JSON.stringify({ ...manifest, files: [...manifest.files] }),
  );
}

async function presentFiles(folder: PlainFolder, known: Manifest | null): Promise<Files> {
  const list = await listByWalk(folder.root);
  if (list.scope === 'top')
    throw failure('tree_too_large', `${folder.root} has too many entries to be kept without git`);
  const files = new Map<string, Entry>();
  for (const [path, at] of list.entries) {
    const entry = await entryAt(at, known?.files.get(path));
    if (entry !== null) files.set(path, entry);
  }
  return files;
}

/** A time this young may stay the same although the file is written again. */
const YOUNG_MS = 3000;

async function entryAt(at: RealPath, known: Entry | undefined): Promise<Entry | null> {
  const found = await statOf(at);
  if (!found || !(found.isFile() || found.isSymbolicLink())) return null;
  const stat = [found.mode, found.size, found.mtimeNs, found.ctimeNs, found.ino].join('.');
  if (known?.stat === stat) return known;
  const hash = await hashOf(at);
  if (hash === null) throw failure('tree_unreadable', `${at} cannot be read`);
  const young = Number(found.ctimeNs / 1_000_000n) > Date.now() - YOUNG_MS;
  const mode = found.isSymbolicLink() ? 'link' : (Number(found.mode) & 0o100) !== 0 ? 'program' : 'file';
  return { mode, hash, stat: young ? '' : stat };
}

async function storeContents(folder: PlainFolder, files: Files): Promise<void> {
  const store = await contents(folder);
  for (const [path, { hash, mode }] of files) {
    const to = contentPath(store, hash);
    if ((await statOf(to)) !== null) continue;
    const from = path.split('/').reduce(child, folder.root);
    const part = child(store, `${hash.slice('sha256:'.length)}.part`);
    await copyContent(from, part, mode === 'link');
    if ((await hashOf(part)) !== hash)
      throw failure('tree_changing', `${path} changed while it was kept`, { retry: 'transient' });
    await moveTo(part, to);
  }
}

async function contents(folder: PlainFolder): Promise<RealPath> {
  const store = child(folder.state, 'contents');
  await makePrivate(store);
  return store;
}

function contentPath(store: RealPath, hash: string): RealPath {
  return child(store, hash.slice('sha256:'.length));
}

function treeHash({ files }: Pick<Manifest, 'files'>): string {
  const lines = [...files].map(([path, { mode, hash }]) => `${mode} ${hash} ${path}\0`);
  return sha256(lines.sort().join(''));
}

function compare(then: Files, now: Files): TreeChange[] {
  const changes: TreeChange[] = [];
  for (const path of [...new Set([...then.keys(), ...now.keys()])].sort()) {
    const [old, entry] = [then.get(path), now.get(path)];
    if (old?.hash === entry?.hash && old?.mode === entry?.mode) continue;
    const change = old === undefined ? 'created' : entry === undefined ? 'deleted' : 'modified';
    const content = entry ? `${entry.mode} ${entry.hash}` : '';
    changes.push({ path, exact: true, change, link: entry?.mode === 'link', rights: null, content });
  }
  return changes;
}
