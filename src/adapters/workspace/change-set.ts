import { posix } from 'node:path';
import * as z from 'zod';
import { cleanText } from '../../engine/clean-text.ts';
import { type PathCode, validatePath } from '../../engine/paths.ts';
import { altersChecks, namedFiles } from './alters-checks-table.ts';
import { sha256 } from './files.ts';
import type { IgnoredNotes } from './ignored-notes.ts';
import { isOwnFile, type Ledger } from './ledger.ts';
import { readText } from './read-text.ts';
import { leavesTree, type RealPath } from './real-path.ts';
import type { Difference, Snapshots, TreeChange, TreeDiff } from './snapshots/snapshots.ts';

/** Input of the look `change_set`. A scope of null is no limit (WF-83); nobody but us writes below `docs_path`. */
export const ChangeSetInput = z.object({
  since: z.string(),
  scope: z.array(z.string()).nullable(),
  max_files: z.int().nullable(),
  docs_path: z.string().optional(),
  /** Paths that are looked at alone; every one unless given. */
  only: z.array(z.string()).optional(),
  /** The commands the change is checked with: a file one of them names is part of how it is checked. */
  commands: z.array(z.string()).default([]),
  /** Whose workers are meant. */
  run: z.string().optional(),
});
export type ChangeSetInput = z.input<typeof ChangeSetInput>;

export interface ChangeSet {
  readonly modified: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly tree: string;
  /** One hash over every changed path and what it holds now. */
  readonly content: string;
  readonly outside: readonly { readonly path: string; readonly code: PathCode }[];
  readonly too_many: boolean;
  readonly alters_checks: readonly string[];
  readonly todo: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  /** Control files of the run's own git directory a worker changed. They have no effect on us; they are shown. */
  readonly git: readonly string[];
  /** What workers of the run wrote where git does not look. */
  readonly ignored: readonly string[];
  readonly ignored_total: number;
}

export interface ChangePlace {
  readonly root: RealPath;
  readonly namespace: string;
  readonly ledger: Ledger;
  readonly ignored: IgnoredNotes;
  snapshots(): Promise<Snapshots>;
}

/** Names of ignored files that are told; all are counted. */
const MOST_IGNORED = 200;

/**
 * What differs from a snapshot, found by us and not told by a worker (WF-46). Documents we wrote ourselves are no
 * part of it; a document a worker touched is, and lies outside.
 */
export async function findChangeSet(place: ChangePlace, input: ChangeSetInput): Promise<ChangeSet> {
  const found = await (await place.snapshots()).since(input.since);
  const only = input.only && new Set(input.only);
  const difference = only ? { ...found, changes: found.changes.filter(({ path }) => only.has(path)) } : found;
  const changes = await foreignChanges(place, difference.changes);
  const paths = (change: TreeChange['change']) =>
    changes.filter((one) => one.change === change).map((one) => one.path);
  const files = changes.filter((one) => one.change !== 'deleted' && one.exact && !one.link);
  const ignored = input.run === undefined ? [] : await place.ignored.read(input.run);
  return {
    modified: paths('modified'),
    created: paths('created'),
    deleted: paths('deleted'),
    tree: difference.tree,
    content: contentOf(changes),
    outside: await findOutside(place, changes, difference, input),
    too_many: input.max_files !== null && changes.length > input.max_files,
    alters_checks: await findAltering(place, changes, input),
    todo: await findMarkers(place, files),
    git: difference.git,
    ignored: ignored.slice(0, MOST_IGNORED),
    ignored_total: ignored.length,
  };
}

/** A change set as people read it; cut where nobody would read on. Null where there is no git to make one. */
export async function findDiff(
  place: ChangePlace,
  since: string,
  changes: Pick<ChangeSet, 'modified' | 'created' | 'deleted'>,
): Promise<TreeDiff | null> {
  const paths = [...changes.modified, ...changes.created, ...changes.deleted].sort();
  if (paths.length === 0) return { text: '', lines: {} };
  const diff = await (await place.snapshots()).diff(since, paths.slice(0, DIFF_LIMIT.files));
  if (diff === null || diff.text.length <= DIFF_LIMIT.characters) return diff;
  const text = `${diff.text.slice(0, DIFF_LIMIT.characters)}\n[cut: ${diff.text.length} characters]\n`;
  return { ...diff, text };
}

const DIFF_LIMIT = { files: 500, characters: 1_000_000 } as const;

/** Input of the look `content`. */
export const ContentInput = z.strictObject({ since: z.string(), paths: z.array(z.string()) });

/** What the named paths hold now, to be compared with the change set that was judged. */
export async function findContent(
  place: ChangePlace,
  { since, paths }: z.infer<typeof ContentInput>,
): Promise<Pick<ChangeSet, 'content'>> {
  return { content: contentOf(await changesOf(place, since, paths)) };
}

/** What became of the named paths since a snapshot. */
export async function changesOf(
  place: Pick<ChangePlace, 'snapshots'>,
  since: string,
  paths: readonly string[],
): Promise<TreeChange[]> {
  const { changes } = await (await place.snapshots()).since(since);
  const wanted = new Set(paths);
  return changes.filter(({ path }) => wanted.has(path));
}

function contentOf(changes: readonly TreeChange[]): string {
  const lines = changes.map(({ path, content }) => `${content} ${path}\0`);
  return sha256(lines.sort().join(''));
}

async function foreignChanges(place: ChangePlace, changes: readonly TreeChange[]): Promise<TreeChange[]> {
  const kept: TreeChange[] = [];
  for (const one of changes) if (!(await isOwnDocument(place, one))) kept.push(one);
  return kept.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function isOwnDocument(place: ChangePlace, change: TreeChange): Promise<boolean> {
  const checked = validatePath(change.path, 'spec_input', place);
  if (!checked.ok || change.change === 'deleted' || change.link) return false;
  return await isOwnFile(place, checked.path);
}

/**
 * Changed files that decide how the change is checked, by their name or because a check command runs them, and files a
 * changed ignore file hides: no commit has those, and a check may rest on one.
 */
async function findAltering(
  place: ChangePlace,
  changes: readonly TreeChange[],
  { since, commands = [] }: ChangeSetInput,
): Promise<string[]> {
  const manifest = validatePath('package.json', 'file_reference', place);
  const read = manifest.ok ? await readText(place.root, manifest.path) : manifest;
  const named = namedFiles(commands, read.ok ? read.text : null);
  const paths = changes.map((one) => one.path);
  const ignores = paths.filter((path) => posix.basename(path) === '.gitignore');
  const hidden = await (await place.snapshots()).newlyIgnored(since, ignores);
  return [...paths.filter((path) => altersChecks(path) || named.has(path)), ...hidden];
}

async function findOutside(
  place: ChangePlace,
  changes: readonly TreeChange[],
  difference: Difference,
  input: ChangeSetInput,
): Promise<ChangeSet['outside']> {
  const outside: { path: string; code: PathCode }[] = [];
  for (const change of changes) {
    const inLink = difference.links.some((link) => `${change.path}/`.startsWith(`${link}/`));
    const code = inLink ? 'protected' : await outsideCode(place, change, input);
    if (code !== null) outside.push({ path: change.path, code });
  }
  for (const path of difference.odd) outside.push({ path, code: 'protected' });
  return outside;
}

async function outsideCode(
  place: ChangePlace,
  change: TreeChange,
  { scope, docs_path }: ChangeSetInput,
): Promise<PathCode | null> {
  // A name with marks that no stored text keeps could be neither shown nor cited.
  if (!change.exact || cleanText(change.path) !== change.path) return 'control_character';
  if (docs_path !== undefined && change.path.startsWith(`${docs_path.replace(/\/$/, '')}/`))
    return 'protected';
  const context = { namespace: place.namespace, ...(scope === null ? {} : { scope }) };
  const checked = validatePath(change.path, 'diff_target', context);
  if (!checked.ok) return checked.code;
  // A backslash in a name stands for a folder in the rules and for itself on disk.
  if (checked.path !== change.path) return 'control_character';
  return change.link && (await leavesTree(place.root, change.path)) ? 'leaves_repository' : null;
}

const MARKER = /\b(?:TODO|FIXME|HACK)\b/;
const MOST_MARKERS = 200;
const LONGEST = 200;

/** Lines of changed files that say something is left to do (WF-48). Files too large or not text are passed over. */
async function findMarkers(place: ChangePlace, files: readonly TreeChange[]): Promise<ChangeSet['todo']> {
  const found: { path: string; line: number; text: string }[] = [];
  for (const { path } of files) {
    const checked = validatePath(path, 'spec_input', place);
    const read = checked.ok ? await readText(place.root, checked.path) : checked;
    if (read.ok) found.push(...markersIn(read.text).map((marker) => ({ path, ...marker })));
    if (found.length >= MOST_MARKERS) return found.slice(0, MOST_MARKERS);
  }
  return found;
}

function markersIn(text: string): { line: number; text: string }[] {
  const lines = text.split('\n').map((line, n) => ({ line: n + 1, text: line.trim().slice(0, LONGEST) }));
  return lines.filter((one) => MARKER.test(one.text));
}
