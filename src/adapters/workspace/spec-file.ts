import * as z from 'zod';
import type { Hash } from '../../contract/ids.ts';
import { criterionIds } from '../../engine/criterion-ids.ts';
import { failure } from '../../engine/errors.ts';
import { validatePath } from '../../engine/paths.ts';
import type { RealPath } from '../../files/real-path.ts';
import type { StoreText } from '../../ports/workspace.ts';
import { readText } from './read-text.ts';

/** Input of the query `spec_file`. */
export const SpecFileInput = z.strictObject({ path: z.string() });

/** A specification written by hand: its text as an artefact with plain line ends, and its criterion ids. */
export async function findSpecFile(
  location: { readonly root: RealPath; readonly namespace: string },
  { path }: z.infer<typeof SpecFileInput>,
  keep: StoreText,
): Promise<{ readonly hash: Hash; readonly criteria: readonly string[] }> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const read = await readText(location.root, checked.path);
  if (!read.ok) throw failure('spec_unreadable', `${path}: ${read.rule}`);
  const text = read.text.replaceAll('\r\n', '\n');
  return { hash: await keep(text), criteria: criterionIds(text) };
}
