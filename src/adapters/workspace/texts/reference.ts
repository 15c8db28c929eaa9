import { posix } from 'node:path';
import { validatePath } from '../../../engine/paths.ts';
import type { OpenFile } from '../../../files/real-files.ts';
import type { RealPath } from '../../../files/real-path.ts';
import type { ReferenceCheck } from '../../../ports/workspace.ts';
import { type ReadRule, readText } from './read-text.ts';

const EXTENSIONS = ['.md', '.txt', '.markdown'];

/** Number of the check of SP-15 that a rule belongs to. It is 0 for refusals outside its numbered chain. */
const CHECKS: Record<ReadRule, number> = {
  link: 3,
  linked_parent: 4,
  too_large: 5,
  missing: 0,
  unreadable: 0,
  not_a_file: 0,
  not_text: 0,
  replaced: 0,
};

/** Where a reference is searched. `open` replaces the function that opens its file. */
export interface ReferenceContext {
  readonly root: RealPath;
  readonly namespace: string;
  readonly open?: OpenFile;
}

/**
 * The whole check chain of a reference file. The first failure is the result. An accepted path is relative to the root
 * with forward slashes (SP-17). Only reads.
 */
export async function checkReference(location: ReferenceContext, raw: string): Promise<ReferenceCheck> {
  const path = validatePath(raw, 'file_reference', location);
  if (!path.ok) return refuse(1, 'path', { path: raw, rule: path.code });
  const extension = posix.extname(path.path);
  if (!EXTENSIONS.includes(extension.toLowerCase()))
    return refuse(2, 'extension', { path: path.path, extension, allowed: EXTENSIONS.join(', ') });
  const read = await readText(location.root, path.path, location.open);
  return read.ok
    ? { ok: true, path: path.path, text: read.text }
    : refuse(CHECKS[read.rule], read.rule, { path: path.path, ...read.size });
}

/** The refusal of a file that is no longer the one that existed when the run started. */
export function replacedReference(path: string): Extract<ReferenceCheck, { ok: false }> {
  return refuse(CHECKS.replaced, 'replaced', { path });
}

function refuse(
  check: number,
  rule: string,
  args: Record<string, string | number>,
): Extract<ReferenceCheck, { ok: false }> {
  return { ok: false, check, msg: `spec.reference.${rule}`, args };
}
