import picomatch from 'picomatch';
import type { EngineMessageId } from './messages.ts';

/**
 * The purpose of a path. `output_dir`: target of documents · `file_reference`: a file read for a run · `diff_target`: a
 * file that a worker changes · `spec_input`: a specification to start from, possibly under `docs/<namespace>/`.
 */
export type PathKind = 'output_dir' | 'file_reference' | 'diff_target' | 'spec_input';

/** Code to message id: one rule, one code, one text. The adapter reports `leaves_repository` after following links. */
export const PATH_RULES = {
  empty: 'engine.path.empty',
  control_character: 'engine.path.control_character',
  unc: 'engine.path.unc',
  absolute: 'engine.path.absolute',
  parent_segment: 'engine.path.parent_segment',
  reserved_name: 'engine.path.reserved_name',
  docs_not_namespace: 'engine.path.docs_not_namespace',
  protected: 'engine.path.protected',
  outside_scope: 'engine.path.outside_scope',
  leaves_repository: 'engine.path.leaves_repository',
} as const satisfies Record<string, EngineMessageId>;

export type PathCode = keyof typeof PATH_RULES;

const STEPS = {
  empty: 0,
  control_character: 0,
  unc: 1,
  absolute: 2,
  parent_segment: 3,
  reserved_name: 4,
  docs_not_namespace: 4,
  protected: 4,
  outside_scope: 4,
  leaves_repository: 5,
} as const satisfies Record<PathCode, number>;

declare const lexical: unique symbol;

/**
 * A path that passed every rule that its text can decide: relative, forward slashes, no drive, no empty, `.` or `..`
 * segments, no trailing slash. Links are not followed. An adapter resolves the real path before it accesses a file.
 */
export type LexicalPath = string & { readonly [lexical]: true };

/** A refusal with the original path. `rule` is the message id, which takes the arguments `path` and `source`. */
interface PathRefusal {
  readonly ok: false;
  readonly code: PathCode;
  readonly step: number;
  readonly path: string;
  readonly rule: EngineMessageId;
}

export type PathResult = { readonly ok: true; readonly path: LexicalPath } | PathRefusal;

/** Without `scope` there is no limit (WF-83). An empty list excludes every path. */
export interface PathContext {
  readonly namespace: string;
  readonly scope?: readonly string[] | undefined;
}

/**
 * Validates a path by its text alone (WF-75, WF-76). Total and pure. Steps run in the order of the requirement, and the
 * first failure is reported. An accepted path, validated again, is accepted unchanged.
 */
export function validatePath(raw: string, kind: PathKind, context: PathContext): PathResult {
  const slashed = raw.replaceAll('\\', '/');
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  const code = shapeFault(slashed, segments) ?? kindFault(segments, kind, context);
  if (code !== null) return refusePath(raw, code);
  return { ok: true, path: segments.join('/') as LexicalPath };
}

/** Builds the refusal for a code. */
function refusePath(path: string, code: PathCode): PathRefusal {
  return { ok: false, code, step: STEPS[code], path, rule: PATH_RULES[code] };
}

const CONTROL = /\p{Cc}/u;
const DRIVE = /^[a-z]:/i;

function shapeFault(slashed: string, segments: readonly string[]): PathCode | null {
  if (slashed.trim() === '') return 'empty';
  // A lone surrogate has no UTF-8 form, so two such names would become one file.
  if (CONTROL.test(slashed) || !slashed.isWellFormed()) return 'control_character';
  if (slashed.startsWith('//')) return 'unc';
  // Checks the first segment again, because `./C:/x` has a drive once the dot is dropped.
  if (slashed.startsWith('/') || DRIVE.test(slashed) || DRIVE.test(segments[0] ?? '')) return 'absolute';
  if (segments.includes('..')) return 'parent_segment';
  return segments.every((segment) => segment.trim() === '') ? 'empty' : null;
}

function kindFault(segments: readonly string[], kind: PathKind, context: PathContext): PathCode | null {
  if (kind === 'output_dir') return outputDirFault(segments, context.namespace);
  if (isProtected(segments, kind, context.namespace)) return 'protected';
  const outside = kind === 'diff_target' && context.scope && !isInScope(segments.join('/'), context.scope);
  return outside ? 'outside_scope' : null;
}

const RESERVED = [
  'memory',
  'spec',
  'planner',
  'generator',
  'evaluator',
  'verify',
  'harness',
  '.harness',
  '.git',
];

function outputDirFault(segments: readonly string[], namespace: string): PathCode | null {
  const first = nameKey(segments[0] ?? '');
  const own = nameKey(namespace);
  if ([...RESERVED, own, `.${own}`].includes(first) || isGitName(first)) return 'reserved_name';
  if (segments.some((segment) => isGitName(nameKey(segment)))) return 'protected';
  if (first !== 'docs') return null;
  // Accepting is stricter than refusing: `docs/baton:x` is not `docs/baton`.
  const written = segments.slice(0, 2).join('/').toLowerCase();
  return written === `docs/${namespace.toLowerCase()}` ? null : 'docs_not_namespace';
}

function isProtected(segments: readonly string[], kind: PathKind, namespace: string): boolean {
  const [first = '', second = ''] = segments.map(nameKey);
  const own = nameKey(namespace);
  if (['memory', '.harness', `.${own}`].includes(first)) return true;
  if (segments.some((segment) => isGitName(nameKey(segment)))) return true;
  return kind !== 'spec_input' && first === 'docs' && (second === 'harness' || second === own);
}

/** At any depth, as in git. `git~1` is the short name of `.git` on FAT and NTFS. */
function isGitName(key: string): boolean {
  return key === '.git' || key === 'git~1';
}

/**
 * The name a file system may see: letter case, compatibility forms and invisible characters folded, stream suffix and
 * trailing dots or spaces removed. Used only to refuse names, so folding too much is safe.
 */
function nameKey(segment: string): string {
  const folded = segment
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  const colon = folded.indexOf(':');
  let end = colon === -1 ? folded.length : colon;
  while (end > 0 && (folded[end - 1] === '.' || folded[end - 1] === ' ')) end -= 1;
  return folded.slice(0, end);
}

/** In scope: some glob covers the path and no `!glob` does. With only exclusions, all other paths are in scope. */
function isInScope(path: string, scope: readonly string[]): boolean {
  const excluded = scope.filter(isExclusion);
  if (excluded.some((glob) => isCovered(path, glob.slice(1)))) return false;
  if (excluded.length > 0 && excluded.length === scope.length) return true;
  return scope.some((glob) => !isExclusion(glob) && isCovered(path, glob));
}

function isExclusion(glob: string): boolean {
  return glob.startsWith('!') && !glob.startsWith('!(');
}

/**
 * A glob covers the paths it matches. As a plain name it also covers that file or everything in that folder
 * (`app/[id]`).
 */
function isCovered(path: string, glob: string): boolean {
  const bare = glob.trim().replace(/\/$/, '').replace(/^\.\//, '');
  if (bare === '') return false;
  if (bare === '.' || path === bare || path.startsWith(`${bare}/`)) return true;
  return picomatch(bare, { dot: true, windows: false })(path);
}
