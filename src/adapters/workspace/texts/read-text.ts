import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { errno, orElse } from '../../../engine/system-error.ts';
import { type OpenFile, openFile, statOf } from '../../../files/real-files.ts';
import { isStillReal, type RealPath, resolvePath } from '../../../files/real-path.ts';

/** Limits of a text read from the work tree: reference, CLAUDE.md, candidates. */
const MAX_BYTES = 200 * 1024;
export const MAX_LINES = 5000;

export type ReadRule =
  | 'link'
  | 'linked_parent'
  | 'missing'
  | 'unreadable'
  | 'not_a_file'
  | 'too_large'
  | 'not_text'
  | 'replaced';

interface ReadRefusal {
  readonly ok: false;
  readonly rule: ReadRule;
  /** Only for `too_large`: the size that was found and its limit. */
  readonly size?: { readonly unit: 'bytes' | 'lines'; readonly found: number; readonly limit: number };
}

export type TextRead = { readonly ok: true; readonly text: string; readonly lines: number } | ReadRefusal;

/**
 * Reads a text of limited size. The bytes come from the handle that was checked. The file seen before, the open one and
 * the one at that path afterwards must be the same and unchanged. No link may be on the path (SP-15).
 */
export async function readText(
  root: RealPath,
  path: LexicalPath,
  openWith: OpenFile = openFile,
): Promise<TextRead> {
  try {
    const found = await resolvePath(root, path);
    if (!found.ok) return found;
    if (found.leaf === 'missing') return refusal('missing');
    if (found.leaf !== 'file') return refusal('not_a_file');
    return await readSeen(found.path, openWith);
  } catch (error) {
    if (errno(error) === null) throw error;
    return refusal('unreadable');
  }
}

/** A tree and the namespace that the rules about its paths need. */
export interface TextLocation {
  readonly root: RealPath;
  readonly namespace: string;
}

/** Reads a text by a path that is not validated yet. Null if the path or the file is refused. */
export async function textAt(
  location: TextLocation,
  path: string,
  kind: 'file_reference' | 'spec_input' = 'file_reference',
): Promise<Extract<TextRead, { ok: true }> | null> {
  const checked = validatePath(path, kind, location);
  const read = checked.ok ? await readText(location.root, checked.path) : checked;
  return read.ok ? read : null;
}

/** Line ends, plus one for a last line without one. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

async function readSeen(path: RealPath, openWith: OpenFile): Promise<TextRead> {
  const before = await statOf(path);
  const handle = before?.isFile() ? await openSeen(path, openWith) : null;
  if (before === null || handle === null) return refusal('replaced');
  try {
    const opened = await handle.stat({ bigint: true });
    if (!isSame(before, opened)) return refusal('replaced');
    if (opened.size > MAX_BYTES) return tooLarge('bytes', Number(opened.size), MAX_BYTES);
    const bytes = await readLimited(handle);
    const after = await statOf(path);
    const unchanged = isSame(opened, await handle.stat({ bigint: true })) && after && isSame(opened, after);
    if (!unchanged || !(await isStillReal(path))) return refusal('replaced');
    return asText(bytes);
  } finally {
    await handle.close();
  }
}

/** Null if the file seen a moment ago is gone or has become a link. */
async function openSeen(path: RealPath, openWith: OpenFile): Promise<FileHandle | null> {
  return await openWith(path).catch(orElse(null, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'));
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  const keys = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const;
  return a.isFile() && b.isFile() && keys.every((key) => a[key] === b[key]);
}

/** Reads one byte more than allowed: a file that grows meanwhile is then noticed and not cut. */
async function readLimited(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function asText(bytes: Buffer): TextRead {
  const text = decode(bytes);
  if (text === null || text.includes('\0')) return refusal('not_text');
  const lines = countLines(text);
  return lines > MAX_LINES ? tooLarge('lines', lines, MAX_LINES) : { ok: true, text, lines };
}

/** The byte order mark stays: the text has the same bytes as the file, and therefore the same hash. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function refusal(rule: ReadRule): ReadRefusal {
  return { ok: false, rule };
}

function tooLarge(unit: 'bytes' | 'lines', found: number, limit: number): ReadRefusal {
  return { ok: false, rule: 'too_large', size: { unit, found, limit } };
}
