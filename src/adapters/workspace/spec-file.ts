import * as z from 'zod';
import type { Hash } from '../../contract/ids.ts';
import { criterionIds } from '../../engine/criterion-ids.ts';
import { validatePath } from '../../engine/paths.ts';
import type { Keep } from '../../ports/workspace.ts';
import { failure } from './failure.ts';
import { readText } from './read-text.ts';
import type { RealPath } from './real-path.ts';

/** Input of the look `spec_file`. */
export const SpecFileInput = z.strictObject({ path: z.string() });

/** A specification written by hand: its text as an artefact, line ends made plain, and its criterion ids. */
export async function findSpecFile(
  place: { readonly root: RealPath; readonly namespace: string },
  { path }: z.infer<typeof SpecFileInput>,
  keep: Keep,
): Promise<{ readonly hash: Hash; readonly criteria: readonly string[] }> {
  const checked = validatePath(path, 'spec_input', place);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const read = await readText(place.root, checked.path);
  if (!read.ok) throw failure('spec_unreadable', `${path}: ${read.rule}`);
  const text = read.text.replaceAll('\r\n', '\n');
  return { hash: await keep(text), criteria: criterionIds(text) };
}
