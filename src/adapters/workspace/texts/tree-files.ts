import * as z from 'zod';
import { failure, guardRefused } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { appendText, hashOf, readOwnBytes, readSmallFile } from '../../../files/real-files.ts';
import { resolvePath } from '../../../files/real-path.ts';
import type { TextLocation } from './read-text.ts';

/** Input of the write `append_file`. */
export const AppendInput = z.strictObject({ path: z.string(), line: z.string() });
export type AppendInput = z.infer<typeof AppendInput>;

/** Adds the line `<effect> <line>` to a file of the tree. The effect at the start of the line identifies a repeat. */
export async function performAppend(
  location: TextLocation,
  effect: string,
  input: AppendInput,
): Promise<{ path: string }> {
  if (/[\r\n]/.test(input.line)) throw guardRefused('line', input.path);
  const path = treePath(location, input.path);
  const found = await resolvePath(location.root, path);
  if (!found.ok) throw guardRefused(found.rule, path);
  if (found.leaf !== 'file' && found.leaf !== 'missing') throw guardRefused('not_a_file', path);
  await appendText(found.path, `${effect} ${input.line}\n`);
  return { path };
}

/** The result if some line of the file starts with this effect, else null. */
export async function lookupAppend(
  location: TextLocation,
  effect: string,
  input: AppendInput,
): Promise<{ path: string } | null> {
  const path = treePath(location, input.path);
  const found = await resolvePath(location.root, path);
  const text = found.ok ? await readSmallFile(found.path) : null;
  return text?.split('\n').some((line) => line.startsWith(`${effect} `)) ? { path } : null;
}

/** Hash of a file of the tree. Null if there is no regular file at that path or the path leads through a link. */
export async function fileHash(location: TextLocation, raw: string): Promise<string | null> {
  const found = await resolvePath(location.root, treePath(location, raw));
  return found.ok && found.leaf === 'file' ? await hashOf(found.path) : null;
}

function treePath(location: TextLocation, raw: string): LexicalPath {
  const checked = validatePath(raw, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${JSON.stringify(raw)}: ${checked.code}`);
  return checked.path;
}

/** Input of the query `lines`. */
export const LinesInput = z.strictObject({ paths: z.array(z.string()).max(1_000) });

/** Number of lines of each file of the tree. Null for a path that is not a plain file in it. */
export async function findLines(
  location: TextLocation,
  { paths }: z.infer<typeof LinesInput>,
): Promise<{ readonly lines: Readonly<Record<string, number | null>> }> {
  const found = await Promise.all(paths.map(async (path) => [path, await countIn(location, path)] as const));
  return { lines: Object.fromEntries(found) };
}

async function countIn(location: TextLocation, path: string): Promise<number | null> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) return null;
  const at = await resolvePath(location.root, checked.path);
  if (!at.ok || at.leaf !== 'file') return null;
  const bytes = await readOwnBytes(at.path);
  if (bytes === null) return null;
  let lines = bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines;
}
