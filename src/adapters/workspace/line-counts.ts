import * as z from 'zod';
import { validatePath } from '../../engine/paths.ts';
import { readOwnBytes } from './files.ts';
import { type RealPath, resolvePath } from './real-path.ts';

/** Input of the look `lines`. */
export const LinesInput = z.strictObject({ paths: z.array(z.string()).max(1_000) });

/** How many lines each file of the tree has; null for what is no plain file in it. */
export async function findLines(
  place: { readonly root: RealPath; readonly namespace: string },
  { paths }: z.infer<typeof LinesInput>,
): Promise<{ readonly lines: Readonly<Record<string, number | null>> }> {
  const found = await Promise.all(paths.map(async (path) => [path, await countIn(place, path)] as const));
  return { lines: Object.fromEntries(found) };
}

async function countIn(
  place: { readonly root: RealPath; readonly namespace: string },
  path: string,
): Promise<number | null> {
  const checked = validatePath(path, 'spec_input', place);
  if (!checked.ok) return null;
  const at = await resolvePath(place.root, checked.path);
  if (!at.ok || at.leaf !== 'file') return null;
  const bytes = await readOwnBytes(at.path);
  if (bytes === null) return null;
  let lines = bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines;
}
