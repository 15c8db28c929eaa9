import { posix, relative, sep } from 'node:path';
import type { Msg } from '../../../contract/brief.ts';
import type { ConventionsFound } from '../../../contract/conventions.ts';
import type { Hash } from '../../../contract/ids.ts';
import { InvariantError } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { orElse } from '../../../engine/system-error.ts';
import { sha256 } from '../../../files/real-files.ts';
import { namesIn, type RealPath, type Sighting, sight } from '../../../files/real-path.ts';
import type { StoreText } from '../../../ports/workspace.ts';
import type { Git } from '../../git/git.ts';
import { isInWorkTree } from '../../git/repository.ts';
import { MAX_LINES, readText, type TextLocation, textAt } from './read-text.ts';
import { checkReference, replacedReference } from './reference.ts';

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
  location: TextLocation,
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

async function fromClaudeMd(location: TextLocation, keep: StoreText): Promise<ConventionsFound> {
  const read = await textAt(location, 'CLAUDE.md');
  if (read === null || read.lines < MIN_LINES) return { source: 'none' };
  return { source: 'claude_md', artefact: await keep(read.text), lines: read.lines };
}

/** Documents with fewer lines do not count as conventions. */
const MIN_LINES = 50;

/** In the order that breaks ties (SP-21). */
const CANDIDATES = [
  'STYLE_GUIDE.md',
  'CONTRIBUTING.md',
  'conventions.md',
  'guidelines.md',
  'policy.md',
  'docs/style-guide.md',
  'docs/conventions.md',
];

/**
 * Folders of tools and of third-party code. They never contain a project's own rules and are never watched for changes.
 */
export const FOREIGN_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  'vendor',
  'dist',
  'build',
  '.next',
  '__pycache__',
  '.venv',
  'target',
]);

const SHOWN = 3;

type FoundCandidates = Extract<ConventionsFound, { source: 'candidates' }>;

type Tried = { readonly path: string; readonly lines: number; readonly text: string } | Msg;

/**
 * The conventions documents of a folder without git, longest first, at most three. A warning names each skipped file
 * and the rule (SP-21, SP-22).
 */
async function findCandidates(root: RealPath, namespace: string, keep: StoreText): Promise<FoundCandidates> {
  const tried: Tried[] = [];
  for (const path of await candidatePaths(root, namespace)) tried.push(await tryCandidate(root, path));
  const kept = tried
    .filter((one) => 'text' in one)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, SHOWN);
  const candidates: FoundCandidates['candidates'] = [];
  for (const { path, lines, text } of kept) candidates.push({ path, lines, artefact: await keep(text) });
  return { source: 'candidates', candidates, warnings: tried.filter((one) => 'msg' in one) };
}

/** Files with the name of a candidate in any letter case. If there are several, the exact name comes first. */
async function candidatePaths(root: RealPath, namespace: string): Promise<LexicalPath[]> {
  const found: LexicalPath[] = [];
  for (const candidate of CANDIDATES) {
    const folder = posix.dirname(candidate);
    const wanted = posix.basename(candidate);
    const names = await namesIn(root, folder === '.' ? null : lexical(folder, namespace));
    const same = names.filter((name) => name.toLowerCase() === wanted.toLowerCase());
    same.sort((a, b) => Number(b === wanted) - Number(a === wanted) || (a < b ? -1 : 1));
    found.push(...same.map((name) => lexical(posix.join(folder, name), namespace)));
  }
  return found;
}

function lexical(path: string, namespace: string): LexicalPath {
  const checked = validatePath(path, 'spec_input', { namespace });
  if (!checked.ok) throw new InvariantError(`candidate ${path} is refused by ${checked.code}`);
  return checked.path;
}

async function tryCandidate(root: RealPath, path: LexicalPath): Promise<Tried> {
  const seen = await sight(root, path).catch(orElse(null));
  const rule = seen === null ? 'unreadable' : candidateFault(root, seen);
  if (rule !== null) return warning(rule, { path });
  const read = await readText(root, path);
  if (!read.ok) return warning(read.rule, { path, ...read.size });
  if (read.lines < MIN_LINES)
    return warning('too_short', { path, found: read.lines, limit: MIN_LINES, most: MAX_LINES });
  return { path, lines: read.lines, text: read.text };
}

/** The four rules about the location of a candidate, in order. Only parts below the root count. Pure. */
export function candidateFault(root: string, seen: Sighting): string | null {
  if (seen.leaf === 'link') return 'link';
  if (seen.linkedParent) return 'linked_parent';
  const below = relative(root, seen.real).split(sep);
  if (below[0] === '..' || below[0] === '') return 'outside';
  return below.some((part) => FOREIGN_FOLDERS.has(part)) ? 'foreign_folder' : null;
}

function warning(rule: string, args: Record<string, string | number>): Msg {
  return { msg: `spec.candidate.${rule}`, args };
}
