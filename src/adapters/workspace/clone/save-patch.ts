import * as z from 'zod';
import { failure, InvariantError } from '../../../engine/errors.ts';
import type { StoreText } from '../../../ports/workspace.ts';
import { emptyTree } from '../../git/repository.ts';
import { findChangeSet } from '../changes/change-set.ts';
import { stageOnly } from '../commit/commit.ts';
import { BINARY_ATTRIBUTES } from './open-tree.ts';
import type { RunTree } from './run-tree.ts';
import type { CloneSite } from './site.ts';

/** Input of the write `save_patch`. */
export const SavePatchInput = z.object({ since: z.string() });

/** Result of the write `save_patch`. */
export interface SavedPatch {
  readonly patch: string;
  readonly files: readonly string[];
}

/**
 * Stores the change set as a patch against the run's base (WF-92): applied there it gives the run's tree. The artefact
 * is stored outside the clone, so collecting the clone never removes it. Nothing else is written. Safe to repeat.
 */
export async function savePatch(
  site: CloneSite,
  effect: string,
  since: string,
  keep: StoreText | undefined,
): Promise<SavedPatch> {
  if (keep === undefined) throw new InvariantError('save_patch needs a place to keep the patch');
  const { tree } = site;
  const changes = await findChangeSet(site, { since, scope: null, max_files: null });
  const files = [...changes.modified, ...changes.created, ...changes.deleted].sort();
  const text = await stageOnly(site, { effect, in: tree.at.dir }, { paths: files, since }, (staged) =>
    patchText(tree, tree.file.base, staged),
  );
  return { patch: await keep(text), files };
}

async function patchText(tree: RunTree, from: string | null, to: string): Promise<string> {
  const base = from ?? (await emptyTree(tree.git, tree.at.dir));
  const args = ['diff-tree', '-p', '-r', '--binary', '--full-index', '--no-renames', '--no-ext-diff'];
  const more = ['--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', base, to];
  const diff = [...args, ...more];
  const text = exactText(await tree.git.need(tree.at.dir, diff, { binary: true }));
  if (text !== null) return text;
  // Some content is text to git but not UTF-8. The whole patch then uses binary blocks.
  const attributes = ['-c', `core.attributesFile=${tree.at.view}/${BINARY_ATTRIBUTES}`];
  const binary = exactText(await tree.git.need(tree.at.dir, [...attributes, ...diff], { binary: true }));
  if (binary === null) throw failure('patch_not_text', 'the change set cannot be written as a text');
  return binary;
}

function exactText(latin1: string): string | null {
  const bytes = Buffer.from(latin1, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
