import { posix } from 'node:path';
import * as z from 'zod';
import { AdapterError, failure } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { readOwnBytes, removeFile, replaceBytes, sha256 } from '../../../files/real-files.ts';
import { type RealPath, resolvePath, sight } from '../../../files/real-path.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { ChangeContext } from './change-set.ts';
import { applyHunks, type FilePatch, parsePatch } from './patch.ts';

/** Input of the write `apply_patch`. `patch` is the text of the patch. */
export const PatchInput = z.object({ patch: z.string(), scope: z.array(z.string()).nullable() });
export type PatchInput = z.infer<typeof PatchInput>;

export type PatchResult =
  | { readonly applied: true; readonly files: readonly string[] }
  | { readonly applied: false; readonly reason: PatchRefusal; readonly detail: string };

type PatchRefusal = 'empty_patch' | 'path_violation' | 'failed_hunk' | 'refused_kind';

/** One file of the patch: its bytes in the snapshot and after the patch. Null means that there is no file. */
interface Target {
  readonly path: LexicalPath;
  readonly at: RealPath;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

type Plan =
  | { readonly ok: true; readonly targets: readonly Target[] }
  | Extract<PatchResult, { applied: false }>;

/**
 * Applies a patch in the order of WF-58: snapshot, the path of every header, all blocks in memory, then the files. A
 * refusal does not write any file. An error while writing restores the bytes. A repeat after a crash starts from the
 * snapshot.
 */
export async function performPatch(
  location: ChangeContext,
  effect: string,
  input: PatchInput,
): Promise<PatchResult> {
  const snapshots = await location.snapshots();
  await snapshots.take(snapshotName(effect));
  const plan = await planPatch(location, snapshots, effect, input);
  if (!('targets' in plan)) return plan;
  for (const target of plan.targets) await needKnown(target);
  await writeAll(plan.targets, effect);
  return result(plan.targets);
}

/** The result if every file is already as the patch leaves it, or if the patch is refused. Null otherwise. */
export async function lookupPatch(
  location: ChangeContext,
  effect: string,
  input: PatchInput,
): Promise<PatchResult | null> {
  const snapshots = await location.snapshots();
  try {
    const plan = await planPatch(location, snapshots, effect, input);
    if (!('targets' in plan)) return plan;
    for (const { at, after } of plan.targets) if (!same(await readOwnBytes(at), after)) return null;
    return result(plan.targets);
  } catch (error) {
    if (error instanceof AdapterError && error.failure.code === 'no_such_snapshot') return null;
    throw error;
  }
}

function snapshotName(effect: string): string {
  return `patch/${effect}`;
}

function result(targets: readonly Target[]): PatchResult {
  return { applied: true, files: targets.map(({ path }) => path) };
}

async function planPatch(
  location: ChangeContext,
  snapshots: Snapshots,
  effect: string,
  input: PatchInput,
): Promise<Plan> {
  const parsed = parsePatch(input.patch);
  if (!parsed.ok) return { applied: false, reason: parsed.reason, detail: parsed.detail };
  const locations: { file: FilePatch; path: LexicalPath; at: RealPath }[] = [];
  for (const file of parsed.files) {
    const found = await targetPath(location, file, input.scope);
    if ('applied' in found) return found;
    if (locations.some(({ path }) => path === found.path))
      return refuse('refused_kind', `${found.path} is changed twice`);
    if (locations.some(({ path }) => isBelow(path, found.path) || isBelow(found.path, path)))
      return refuse('path_violation', `${found.path}: below a file`);
    locations.push({ file, ...found });
  }
  const targets: Target[] = [];
  for (const { file, path, at } of locations) {
    const before = await snapshots.read(snapshotName(effect), path);
    const after = newBytes(file, before);
    if (typeof after === 'string') return refuse('failed_hunk', `${path}: ${after}`);
    targets.push({ path, at, before, after: after.bytes });
  }
  return { ok: true, targets };
}

function refuse(reason: PatchRefusal, detail: string): Extract<PatchResult, { applied: false }> {
  return { applied: false, reason, detail };
}

/** Both names of a header must lead to one plain file inside the tree and the scope. */
async function targetPath(
  location: ChangeContext,
  file: FilePatch,
  scope: readonly string[] | null,
): Promise<{ path: LexicalPath; at: RealPath } | Extract<PatchResult, { applied: false }>> {
  const raw = file.after ?? file.before ?? '';
  const context = { namespace: location.namespace, ...(scope === null ? {} : { scope }) };
  const checked = validatePath(raw, 'diff_target', context);
  if (!checked.ok) return refuse('path_violation', `${raw}: ${checked.code}`);
  const found = await resolvePath(location.root, checked.path);
  if (!found.ok) return refuse('path_violation', `${raw}: leaves_repository`);
  if (found.leaf !== 'file' && found.leaf !== 'missing')
    return refuse('path_violation', `${raw}: not a file`);
  if (found.leaf === 'missing' && (await isBelowFile(location.root, checked.path)))
    return refuse('path_violation', `${raw}: below a file`);
  return { path: checked.path, at: found.path };
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(`${above}/`);
}

/** If a folder of the path is a file, every attempt to write would fail. */
async function isBelowFile(root: RealPath, path: LexicalPath): Promise<boolean> {
  const above = posix.dirname(path) as LexicalPath;
  if (above === '.') return false;
  const { leaf } = await sight(root, above);
  return leaf === 'missing' ? await isBelowFile(root, above) : leaf !== 'folder';
}

/** The bytes after the patch, or why its blocks do not fit. */
function newBytes(file: FilePatch, before: Buffer | null): { bytes: Buffer | null } | string {
  if ((before === null) !== (file.before === null))
    return before === null ? 'there is no such file' : 'the file exists already';
  const text = before === null ? '' : asText(before);
  if (text === null) return 'the file is not text';
  const applied = applyHunks(text, file.hunks);
  if (!applied.ok) return `block ${applied.hunk} does not fit`;
  if (file.after !== null) return { bytes: Buffer.from(applied.text) };
  return applied.text === '' ? { bytes: null } : 'the patch removes the file but not all of its lines';
}

function asText(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) && !text.includes('\0') ? text : null;
}

/** Since the snapshot, only our own interrupted attempt may have changed a file. */
async function needKnown({ path, at, before, after }: Target): Promise<void> {
  const now = await readOwnBytes(at);
  if (!same(now, before) && !same(now, after))
    throw failure('tree_changed', `${path} changed while the patch was applied`);
}

async function writeAll(targets: readonly Target[], effect: string): Promise<void> {
  const tag = sha256(effect).slice('sha256:'.length, 'sha256:'.length + 8);
  try {
    for (const { at, after } of targets) await writeTarget(at, after, tag);
  } catch (error) {
    for (const { at, before } of targets) await writeTarget(at, before, tag);
    throw error;
  }
}

/** Does not write if the bytes are already right. */
async function writeTarget(at: RealPath, content: Buffer | null, tag: string): Promise<void> {
  if (same(await readOwnBytes(at), content)) return;
  if (content === null) await removeFile(at);
  else await replaceBytes(at, content, tag);
}

function same(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
