import * as z from 'zod';
import { type LexicalPath, validatePath } from '../../engine/paths.ts';
import { failure, guardRefused } from './failure.ts';
import { appendText, hashOf, readOwn } from './files.ts';
import { type RealPath, resolvePath } from './real-path.ts';

/** Input of the write `append_file`. */
export const AppendInput = z.strictObject({ path: z.string(), line: z.string() });
export type AppendInput = z.infer<typeof AppendInput>;

interface Place {
  readonly root: RealPath;
  readonly namespace: string;
}

/** Adds the line `<effect> <line>` to a file of the tree; a repeat can be seen by the effect at the line's start. */
export async function performAppend(
  place: Place,
  effect: string,
  input: AppendInput,
): Promise<{ path: string }> {
  if (/[\r\n]/.test(input.line)) throw guardRefused('line', input.path);
  const path = treePath(place, input.path);
  const found = await resolvePath(place.root, path);
  if (!found.ok) throw guardRefused(found.rule, path);
  if (found.leaf !== 'file' && found.leaf !== 'missing') throw guardRefused('not_a_file', path);
  await appendText(found.path, `${effect} ${input.line}\n`);
  return { path };
}

/** The result if some line of the file starts with this effect, else null. */
export async function lookupAppend(
  place: Place,
  effect: string,
  input: AppendInput,
): Promise<{ path: string } | null> {
  const path = treePath(place, input.path);
  const found = await resolvePath(place.root, path);
  const text = found.ok ? await readOwn(found.path) : null;
  return text?.split('\n').some((line) => line.startsWith(`${effect} `)) ? { path } : null;
}

/** Hash of a file of the tree, or null when there is no regular file at that path or a link lies on the way. */
export async function fileHash(place: Place, raw: string): Promise<string | null> {
  const found = await resolvePath(place.root, treePath(place, raw));
  return found.ok && found.leaf === 'file' ? await hashOf(found.path) : null;
}

function treePath(place: Place, raw: string): LexicalPath {
  const checked = validatePath(raw, 'spec_input', place);
  if (!checked.ok) throw failure('path_refused', `${JSON.stringify(raw)}: ${checked.code}`);
  return checked.path;
}
