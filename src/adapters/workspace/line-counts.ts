import * as z from 'zod';
import { validatePath } from '../../engine/paths.ts';
import { readOwnBytes } from '../../files/real-files.ts';
import { type RealPath, resolvePath } from '../../files/real-path.ts';

/** Input of the query `lines`. */
export const LinesInput = z.strictObject({ paths: z.array(z.string()).max(1_000) });

/** Number of lines of each file of the tree. Null for a path that is not a plain file in it. */
export async function findLines(
  location: { readonly root: RealPath; readonly namespace: string },
  { paths }: z.infer<typeof LinesInput>,
): Promise<{ readonly lines: Readonly<Record<string, number | null>> }> {
  const found = await Promise.all(paths.map(async (path) => [path, await countIn(location, path)] as const));
  return { lines: Object.fromEntries(found) };
}

async function countIn(
  location: { readonly root: RealPath; readonly namespace: string },
  path: string,
): Promise<number | null> {
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
