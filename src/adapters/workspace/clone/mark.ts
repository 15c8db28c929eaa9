import * as z from 'zod';
import { InvariantError } from '../../../engine/errors.ts';
import type { TreeMark } from '../../../ports/workspace.ts';
import { differenceFrom } from '../snapshots/git-snapshots.ts';
import { writePresent } from '../snapshots/kept-tree.ts';
import { readControls } from './controls.ts';
import { ensureRoot, type RunTree } from './run-tree.ts';

const Mark = z.strictObject({
  v: z.literal(1),
  scope: z.literal('clone'),
  tree: z.string(),
  odd: z.array(z.string()),
  git: z.record(z.string(), z.string()),
});
type Mark = z.infer<typeof Mark>;

/** A fingerprint of the tree: the hash of its contents and what its git directory says. */
export async function markRunTree(tree: RunTree): Promise<TreeMark> {
  await ensureRoot(tree.at);
  const { tree: hash, odd } = await writePresent(tree.kept);
  const git = await readControls(tree.at.workerGit);
  const mark: Mark = { v: 1, scope: 'clone', tree: hash, odd: [...odd], git };
  return JSON.stringify(mark);
}

/** Paths whose content, kind or right to be run differs from the mark, and control files `.git/...` that do. */
export async function changedInRunTree(tree: RunTree, text: TreeMark): Promise<string[]> {
  const then = readMark(text);
  await ensureRoot(tree.at);
  const looking = { ...tree.kept, controls: () => readControls(tree.at.workerGit) };
  const found = await differenceFrom(looking, then, await writePresent(tree.kept));
  return [...found.changes.map(({ path }) => path), ...found.odd, ...found.git].sort();
}

function readMark(text: TreeMark): Mark {
  try {
    return Mark.parse(JSON.parse(text));
  } catch (error) {
    throw new InvariantError('a tree mark cannot be read', { cause: error });
  }
}
