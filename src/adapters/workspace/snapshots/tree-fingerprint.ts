import * as z from 'zod';
import { InvariantError } from '../../../engine/errors.ts';
import { orElse } from '../../../engine/system-error.ts';
import { hashOf, statOf } from '../../../files/real-files.ts';
import type { RealPath } from '../../../files/real-path.ts';
import type { TreeFingerprint } from '../../../ports/workspace.ts';
import type { Git, GitEnvironment } from '../../git/git.ts';
import { findRepository } from '../../git/repository.ts';
import { changedKeys, gitState } from './git-state.ts';
import { listByGit, listByWalk, type TreeList } from './tree-list.ts';

export interface FingerprintContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly namespace: string;
  readonly environment: GitEnvironment;
  /** Most entries of a folder without git that are compared one by one. Tests set it low. */
  readonly most?: number;
}

const FileState = z.strictObject({ stat: z.string(), hash: z.string().optional() });
type FileState = z.infer<typeof FileState>;

const Fingerprint = z.strictObject({
  v: z.literal(1),
  scope: z.enum(['git', 'walk', 'top']),
  files: z.record(z.string(), FileState),
  git: z.record(z.string(), z.string()),
});
type Fingerprint = z.infer<typeof Fingerprint>;

/**
 * A fingerprint of the tree that outlives this process: the system's data about each entry. The content's hash is added
 * only if a write right afterwards could leave the times unchanged.
 */
export async function fingerprintTree(location: FingerprintContext): Promise<TreeFingerprint> {
  const { list, git } = await survey(location);
  const young = BigInt(Date.now() - YOUNG_MS) * 1_000_000n;
  const files = new Map<string, FileState>();
  await each(list, async (path, at) => {
    const seen = await see(at, young);
    if (seen !== null) files.set(path, seen);
  });
  const fingerprint: Fingerprint = { v: 1, scope: list.scope, files: Object.fromEntries(files), git };
  return JSON.stringify(fingerprint);
}

/**
 * Paths that differ from the fingerprint, sorted. A file counts as changed when it was written or replaced, even with
 * the same bytes, unless the fingerprint contains its hash. `.` means that the two lists have different scopes and
 * cannot show every change.
 */
export async function changedSinceFingerprint(
  location: FingerprintContext,
  text: TreeFingerprint,
): Promise<string[]> {
  const then = readFingerprint(Fingerprint, text);
  const { list, git } = await survey(location);
  const changed = new Set(changedKeys(then.git, git));
  const gone = new Set(Object.keys(then.files));
  await each(list, async (path, at) => {
    gone.delete(path);
    if (!(await isUnchanged(then.files[path], at))) changed.add(path);
  });
  if (list.scope !== then.scope) changed.add('.');
  for (const path of gone) if (list.scope !== 'top' || path.split('/').length <= 2) changed.add(path);
  return [...changed].sort();
}

/** Some file systems store times in steps of up to two seconds. */
const YOUNG_MS = 3000;

async function survey(
  location: FingerprintContext,
): Promise<{ list: TreeList; git: Record<string, string> }> {
  const repository = await findRepository(location.git, location.root);
  if (repository === null) return { list: await listByWalk(location.root, location.most), git: {} };
  const list = await listByGit(location.git, location.root, location.environment);
  return { list, git: await gitState(location.git, repository, location.namespace) };
}

async function see(at: RealPath, young: bigint): Promise<FileState | null> {
  const found = await statOf(at);
  if (found === null) return null;
  const fresh = found.mtimeNs >= young || found.ctimeNs >= young;
  const hash = fresh ? await hashOf(at) : null;
  return { stat: statKey(found), ...(hash === null ? {} : { hash }) };
}

async function isUnchanged(then: FileState | undefined, at: RealPath): Promise<boolean> {
  const found = await statOf(at);
  if (!found || !then) return !found && !then;
  const now = statKey(found);
  if (then.hash === undefined) return now === then.stat;
  return kindOf(now) === kindOf(then.stat) && (await hashOf(at)) === then.hash;
}

type Stat = NonNullable<Awaited<ReturnType<typeof statOf>>>;

/** A folder counts only by its kind and permissions: its times change with its entries, which are listed themselves. */
function statKey(found: Stat): string {
  const kind = found.mode.toString(8);
  if (found.isDirectory()) return kind;
  const parts = [found.size, found.mtimeNs, found.ctimeNs, found.ino].map((part) => part.toString(36));
  return [kind, ...parts].join('.');
}

function kindOf(key: string): string {
  return key.split('.')[0] ?? '';
}

const AT_ONCE = 64;

/** Visits every entry, many at once. An entry that may not be read is skipped. */
async function each(list: TreeList, visit: (path: string, at: RealPath) => Promise<void>): Promise<void> {
  const all = [...list.entries];
  for (let n = 0; n < all.length; n += AT_ONCE)
    await Promise.all(
      all.slice(n, n + AT_ONCE).map(([path, at]) => visit(path, at).catch(orElse(undefined))),
    );
}

/** A fingerprint that Baton stored. */
export function readFingerprint<T>(schema: z.ZodType<T>, text: TreeFingerprint): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new InvariantError('a tree fingerprint cannot be read', { cause: error });
  }
}
