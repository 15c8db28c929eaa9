import * as z from 'zod';
import type { TreeFingerprint } from '../../../ports/workspace.ts';
import { differenceFrom } from '../snapshots/git-snapshots.ts';
import { writePresent } from '../snapshots/stored-tree.ts';
import { readFingerprint } from '../snapshots/tree-fingerprint.ts';
import { readControls } from './controls.ts';
import { ensureRoot, type RunTree } from './run-tree.ts';

const Fingerprint = z.strictObject({
  v: z.literal(1),
  scope: z.literal('clone'),
  tree: z.string(),
  odd: z.array(z.string()),
  git: z.record(z.string(), z.string()),
});
type Fingerprint = z.infer<typeof Fingerprint>;

/** A fingerprint of the tree: the hash of its contents and the control files of its git directory. */
export async function fingerprintRunTree(tree: RunTree): Promise<TreeFingerprint> {
  await ensureRoot(tree.at);
  const { tree: hash, odd } = await writePresent(tree.kept);
  const git = await readControls(tree.at.workerGit);
  const fingerprint: Fingerprint = { v: 1, scope: 'clone', tree: hash, odd: [...odd], git };
  return JSON.stringify(fingerprint);
}

/** Paths whose content, kind or executable bit differs from the fingerprint, and control files `.git/...` that do. */
export async function changedInRunTree(tree: RunTree, text: TreeFingerprint): Promise<string[]> {
  const then = readFingerprint(Fingerprint, text);
  await ensureRoot(tree.at);
  const looking = { ...tree.kept, controls: () => readControls(tree.at.workerGit) };
  const found = await differenceFrom(looking, then, await writePresent(tree.kept));
  return [...found.changes.map(({ path }) => path), ...found.odd, ...found.git].sort();
}
