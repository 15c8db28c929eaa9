import { posix } from 'node:path';
import * as z from 'zod';
import { type AddedLine, addedLines } from '../../../engine/added-lines.ts';
import { cleanText } from '../../../engine/clean-text.ts';
import { type PathCode, validatePath } from '../../../engine/paths.ts';
import { sha256 } from '../../../files/real-files.ts';
import { leavesTree, type RealPath } from '../../../files/real-path.ts';
import { isOwnFile, type Ledger } from '../documents/ledger.ts';
import type { IgnoredNotes } from '../snapshots/ignored-notes.ts';
import type { Difference, Snapshots, TreeChange, TreeDiff } from '../snapshots/snapshots.ts';
import { textAt } from '../texts/read-text.ts';
import { altersChecks, namesFile } from './alters-checks-table.ts';

/**
 * Input of the query `change_set`. A null scope does not limit the change (WF-83). Only Baton writes below `docs_path`.
 */
export const ChangeSetInput = z.object({
  since: z.string(),
  scope: z.array(z.string()).nullable(),
  max_files: z.int().nullable(),
  docs_path: z.string().optional(),
  /** Limits the change set to these paths. Default: every path. */
  only: z.array(z.string()).optional(),
  /** The commands that check the change. A file that one of them names is part of how it is checked. */
  commands: z.array(z.string()).default([]),
  /** The run whose ignored files are listed. */
  run: z.string().optional(),
});
export type ChangeSetInput = z.input<typeof ChangeSetInput>;

export interface ChangeSet {
  readonly modified: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly tree: string;
  /** One hash over every changed path and its current content. */
  readonly content: string;
  readonly outside: readonly { readonly path: string; readonly code: PathCode }[];
  readonly too_many: boolean;
  readonly alters_checks: readonly string[];
  readonly todo: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  /**
   * Control files of the run's own git directory that a worker changed. They do not affect Baton, but they are shown.
   */
  readonly git: readonly string[];
  /** What workers of the run wrote to ignored paths. */
  readonly ignored: readonly string[];
  readonly ignored_total: number;
}

export interface ChangeContext {
  readonly root: RealPath;
  readonly namespace: string;
  readonly ledger: Ledger;
  readonly ignored: IgnoredNotes;
  snapshots(): Promise<Snapshots>;
}

/** Most ignored files that are listed by name. All are counted. */
const MOST_IGNORED = 200;

/**
 * What differs from a snapshot. Baton finds it and does not rely on a worker's report (WF-46). Documents that Baton
 * wrote do not belong to it. A document that a worker changed does, and it is outside the scope.
 */
export async function findChangeSet(location: ChangeContext, input: ChangeSetInput): Promise<ChangeSet> {
  const found = await (await location.snapshots()).since(input.since);
  const only = input.only && new Set(input.only);
  const difference = only ? { ...found, changes: found.changes.filter(({ path }) => only.has(path)) } : found;
  const changes = await foreignChanges(location, difference.changes);
  const paths = (change: TreeChange['change']) =>
    changes.filter((one) => one.change === change).map((one) => one.path);
  const files = changes.filter((one) => one.change !== 'deleted' && one.exact && !one.link);
  const ignored = input.run === undefined ? [] : await location.ignored.read(input.run);
  return {
    modified: paths('modified'),
    created: paths('created'),
    deleted: paths('deleted'),
    tree: difference.tree,
    content: contentOf(changes),
    outside: await findOutside(location, changes, difference, input),
    too_many: input.max_files !== null && changes.length > input.max_files,
    alters_checks: await findAltering(location, changes, input),
    todo: await findMarkers(location, files),
    git: difference.git,
    ignored: ignored.slice(0, MOST_IGNORED),
    ignored_total: ignored.length,
  };
}

/** A change set as a diff. Null if there is no git to make one. */
export async function findDiff(
  location: ChangeContext,
  since: string,
  changes: Pick<ChangeSet, 'modified' | 'created' | 'deleted'>,
): Promise<TreeDiff | null> {
  const paths = [...changes.modified, ...changes.created, ...changes.deleted].sort();
  if (paths.length === 0) return { text: '', lines: {} };
  return await (await location.snapshots()).diff(since, paths.slice(0, DIFF_LIMIT.files));
}

/** A diff for people, cut at a length that people can read. */
export function readableDiff({ text }: TreeDiff): string {
  if (text.length <= DIFF_LIMIT.characters) return text;
  return `${text.slice(0, DIFF_LIMIT.characters)}\n[cut: ${text.length} characters]\n`;
}

/** Every line the change adds. Without git, every line of the changed files that can be read as text. */
export async function findAdded(
  location: ChangeContext,
  { modified, created }: Pick<ChangeSet, 'modified' | 'created'>,
  diff: TreeDiff | null,
): Promise<AddedLine[]> {
  if (diff) return addedLines(diff.text);
  const added: AddedLine[] = [];
  for (const path of [...modified, ...created]) {
    const read = await textAt(location, path, 'spec_input');
    if (read) added.push(...read.text.split('\n').map((text, n) => ({ path, line: n + 1, text })));
  }
  return added;
}

const DIFF_LIMIT = { files: 500, characters: 1_000_000 } as const;

/** Input of the query `content`. */
export const ContentInput = z.strictObject({ since: z.string(), paths: z.array(z.string()) });

/** The current content of the named paths, to be compared with the change set that was judged. */
export async function findContent(
  location: ChangeContext,
  { since, paths }: z.infer<typeof ContentInput>,
): Promise<Pick<ChangeSet, 'content'>> {
  return { content: contentOf(await changesOf(location, since, paths)) };
}

/** The changes of the named paths since a snapshot. */
export async function changesOf(
  location: Pick<ChangeContext, 'snapshots'>,
  since: string,
  paths: readonly string[],
): Promise<TreeChange[]> {
  const { changes } = await (await location.snapshots()).since(since);
  const wanted = new Set(paths);
  return changes.filter(({ path }) => wanted.has(path));
}

function contentOf(changes: readonly TreeChange[]): string {
  const lines = changes.map(({ path, content }) => `${content} ${path}\0`);
  return sha256(lines.sort().join(''));
}

async function foreignChanges(
  location: ChangeContext,
  changes: readonly TreeChange[],
): Promise<TreeChange[]> {
  const kept: TreeChange[] = [];
  for (const one of changes) if (!(await isOwnDocument(location, one))) kept.push(one);
  return kept.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function isOwnDocument(location: ChangeContext, change: TreeChange): Promise<boolean> {
  const checked = validatePath(change.path, 'spec_input', location);
  if (!checked.ok || change.change === 'deleted' || change.link) return false;
  return await isOwnFile(location, checked.path);
}

/**
 * Changed files that decide how the change is checked, by their name or because a check command runs them. Also files
 * that a changed ignore file hides: they are in no commit, and a check may depend on one.
 */
async function findAltering(
  location: ChangeContext,
  changes: readonly TreeChange[],
  { since, commands = [] }: ChangeSetInput,
): Promise<string[]> {
  const manifest = await textAt(location, 'package.json');
  const isNamed = namesFile(commands, manifest?.text ?? null);
  const paths = changes.map((one) => one.path);
  const ignores = paths.filter((path) => posix.basename(path) === '.gitignore');
  const hidden = await (await location.snapshots()).newlyIgnored(since, ignores);
  return [...paths.filter((path) => altersChecks(path) || isNamed(path)), ...hidden];
}

async function findOutside(
  location: ChangeContext,
  changes: readonly TreeChange[],
  difference: Difference,
  input: ChangeSetInput,
): Promise<ChangeSet['outside']> {
  const outside: { path: string; code: PathCode }[] = [];
  for (const change of changes) {
    const inLink = difference.links.some((link) => `${change.path}/`.startsWith(`${link}/`));
    const code = inLink ? 'protected' : await outsideCode(location, change, input);
    if (code !== null) outside.push({ path: change.path, code });
  }
  for (const path of difference.odd) outside.push({ path, code: 'protected' });
  return outside;
}

async function outsideCode(
  location: ChangeContext,
  change: TreeChange,
  { scope, docs_path }: ChangeSetInput,
): Promise<PathCode | null> {
  // A name with characters that stored text cannot contain could not be shown or cited.
  if (!change.exact || cleanText(change.path) !== change.path) return 'control_character';
  if (docs_path !== undefined && change.path.startsWith(`${docs_path.replace(/\/$/, '')}/`))
    return 'protected';
  const context = { namespace: location.namespace, ...(scope === null ? {} : { scope }) };
  const checked = validatePath(change.path, 'diff_target', context);
  if (!checked.ok) return checked.code;
  // The rules read a backslash as a folder separator. On disk it is part of the name.
  if (checked.path !== change.path) return 'control_character';
  return change.link && (await leavesTree(location.root, change.path)) ? 'leaves_repository' : null;
}

const MARKER = /\b(?:TODO|FIXME|HACK)\b/;
const MOST_MARKERS = 200;
const LONGEST = 200;

/** Lines of changed files that mark unfinished work (WF-48). Files that are too large or not text are skipped. */
async function findMarkers(
  location: ChangeContext,
  files: readonly TreeChange[],
): Promise<ChangeSet['todo']> {
  const found: { path: string; line: number; text: string }[] = [];
  for (const { path } of files) {
    const read = await textAt(location, path, 'spec_input');
    const lines = read?.text
      .split('\n')
      .map((line, n) => ({ path, line: n + 1, text: line.trim().slice(0, LONGEST) }));
    found.push(...(lines ?? []).filter(({ text }) => MARKER.test(text)));
    if (found.length >= MOST_MARKERS) return found.slice(0, MOST_MARKERS);
  }
  return found;
}
