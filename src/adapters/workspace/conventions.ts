import type { ConventionsFound } from '../../contract/conventions.ts';
import type { Hash } from '../../contract/ids.ts';
import { validatePath } from '../../engine/paths.ts';
import { sha256 } from '../../files/real-files.ts';
import type { RealPath } from '../../files/real-path.ts';
import type { StoreText } from '../../ports/workspace.ts';
import { findCandidates, MIN_LINES } from './candidates.ts';
import type { Git } from './git.ts';
import { readText } from './read-text.ts';
import { checkReference, replacedReference } from './reference.ts';
import { isInWorkTree } from './repository.ts';

export interface ConventionsQuestion {
  readonly reference: string | null;
  /** Hash of the reference at the start of the run. If the text differs now, it is refused (SP-18). */
  readonly reference_hash: Hash | null;
  /** CLAUDE.md is read even without git, and candidates are never used (SP-63: `deliver`). */
  readonly claude_md: boolean;
}

/**
 * Finds the project's conventions. They are in the reference, if there is one. Otherwise they are in the root's
 * CLAUDE.md (with git) or in the candidates (without git) (SP-20, SP-63). Only reads. A found text is stored as an
 * artefact.
 */
export async function findConventions(
  location: { readonly root: RealPath; readonly namespace: string; readonly git: Git },
  question: ConventionsQuestion,
  keep: StoreText,
): Promise<ConventionsFound> {
  if (question.reference !== null) return await fromReference(location, question.reference, question, keep);
  if (question.claude_md || (await isInWorkTree(location.git, location.root)))
    return await fromClaudeMd(location, keep);
  return await findCandidates(location.root, location.namespace, keep);
}

async function fromReference(
  location: { readonly root: RealPath; readonly namespace: string },
  path: string,
  question: ConventionsQuestion,
  keep: StoreText,
): Promise<ConventionsFound> {
  const checked = await checkReference(location, path);
  if (!checked.ok) return { source: 'refused', msg: checked.msg, args: checked.args };
  const swapped = question.reference_hash !== null && sha256(checked.text) !== question.reference_hash;
  if (!swapped) return { source: 'reference', artefact: await keep(checked.text) };
  const { msg, args } = replacedReference(checked.path);
  return { source: 'refused', msg, args };
}

async function fromClaudeMd(
  location: { readonly root: RealPath; readonly namespace: string },
  keep: StoreText,
): Promise<ConventionsFound> {
  const path = validatePath('CLAUDE.md', 'file_reference', location);
  const read = path.ok ? await readText(location.root, path.path) : path;
  if (!read.ok || read.lines < MIN_LINES) return { source: 'none' };
  return { source: 'claude_md', artefact: await keep(read.text), lines: read.lines };
}
