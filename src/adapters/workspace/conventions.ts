import type { ConventionsFound } from '../../contract/conventions.ts';
import type { Hash } from '../../contract/ids.ts';
import { validatePath } from '../../engine/paths.ts';
import type { Keep } from '../../ports/workspace.ts';
import { findCandidates, MIN_LINES } from './candidates.ts';
import { sha256 } from './files.ts';
import type { Git } from './git.ts';
import { readText } from './read-text.ts';
import type { RealPath } from './real-path.ts';
import { checkReference, replacedReference } from './reference.ts';
import { isInWorkTree } from './repository.ts';

export interface ConventionsQuestion {
  readonly reference: string | null;
  /** Hash of the reference as it was when the run started; another text now is refused (SP-18). */
  readonly reference_hash: Hash | null;
  /** CLAUDE.md is looked at without git too, and candidates never (SP-63: `deliver`). */
  readonly claude_md: boolean;
}

/**
 * Where the project's conventions are: the reference, else with git the root's CLAUDE.md, else without git the
 * candidates (SP-20, SP-63). Reads only; a found text is kept as an artefact.
 */
export async function findConventions(
  place: { readonly root: RealPath; readonly namespace: string; readonly git: Git },
  question: ConventionsQuestion,
  keep: Keep,
): Promise<ConventionsFound> {
  if (question.reference !== null) return await fromReference(place, question.reference, question, keep);
  if (question.claude_md || (await isInWorkTree(place.git, place.root)))
    return await fromClaudeMd(place, keep);
  return await findCandidates(place.root, place.namespace, keep);
}

async function fromReference(
  place: { readonly root: RealPath; readonly namespace: string },
  path: string,
  question: ConventionsQuestion,
  keep: Keep,
): Promise<ConventionsFound> {
  const checked = await checkReference(place, path);
  if (!checked.ok) return { source: 'refused', msg: checked.msg, args: checked.args };
  const swapped = question.reference_hash !== null && sha256(checked.text) !== question.reference_hash;
  if (!swapped) return { source: 'reference', artefact: await keep(checked.text) };
  const { msg, args } = replacedReference(checked.path);
  return { source: 'refused', msg, args };
}

async function fromClaudeMd(
  place: { readonly root: RealPath; readonly namespace: string },
  keep: Keep,
): Promise<ConventionsFound> {
  const path = validatePath('CLAUDE.md', 'file_reference', place);
  const read = path.ok ? await readText(place.root, path.path) : path;
  if (!read.ok || read.lines < MIN_LINES) return { source: 'none' };
  return { source: 'claude_md', artefact: await keep(read.text), lines: read.lines };
}
