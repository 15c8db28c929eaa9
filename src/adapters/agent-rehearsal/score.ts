import { dirname, resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { nearest } from '../../engine/nearest.ts';
import { SCORE_FIELDS, Score, type ScoreAttempt, type ScoreEntry } from './score-schema.ts';

/** One thing wrong with a score: where, which field (`roles.critic[0].delay`), and what is allowed there. */
interface ScoreError {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly message: string;
}

export type ParsedScore =
  | { readonly ok: true; readonly score: Score }
  | { readonly ok: false; readonly errors: readonly ScoreError[] };

/** Where a score was found, and how files beside it are read (throws when there is none). */
export interface ScoreSource {
  readonly file: string;
  readonly readFile: (path: string) => string;
}

type Path = readonly PropertyKey[];
interface Place {
  readonly path: Path;
  /** A key of the map at `path` that is the trouble itself. */
  readonly key?: string;
}
interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

const LONGEST_TEXT = 16 * 1024 * 1024;

/**
 * Reads a score and puts every `content_file` into it, so that the parsed score needs no other file. Never throws:
 * whatever the text is, the answer is a score or a list of errors, each with its line.
 */
export function parseScore(text: string, { file, readFile }: ScoreSource): ParsedScore {
  if (text.length > LONGEST_TEXT) return refuse('the score is longer than 16 MB');
  const lines = new LineCounter();
  let document: Document;
  let value: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    value = plain(document);
  } catch (error) {
    return refuse(`not readable: ${(error as Error).message}`);
  }
  const source = { document, lines };
  if (document.errors.length > 0)
    return { ok: false, errors: document.errors.map((e) => syntaxError(e, lines)) };
  const parsed = Score.safeParse(value);
  if (!parsed.success) {
    const issues = firstOfEachPath(parsed.error.issues);
    return { ok: false, errors: issues.flatMap((issue) => explain(issue, source)) };
  }
  const errors: ScoreError[] = [];
  const score = embedFiles(parsed.data, (path, name) => {
    try {
      return readFile(resolve(dirname(file), name));
    } catch (error) {
      errors.push(at(source, { path }, `cannot read ${name}: ${(error as Error).message}`));
      return '';
    }
  });
  return errors.length > 0 ? { ok: false, errors } : { ok: true, score };
}

/** The text a run keeps: the same score, whole in itself, the same bytes for the same score. */
export function freezeScore(score: Score): string {
  return `${JSON.stringify(score)}\n`;
}

/** Reads what `freezeScore` wrote. Throws on anything else. */
export function thawScore(text: string): Score {
  return Score.parse(JSON.parse(text));
}

/** Values as JSON has them: a list that contains itself, or a number without a value, cannot be part of a run. */
function plain(document: Document): unknown {
  if (document.errors.length > 0) return null;
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
}

function refuse(message: string): ParsedScore {
  return { ok: false, errors: [{ line: 1, column: 1, field: 'score', message }] };
}

function syntaxError(error: Document['errors'][number], lines: LineCounter): ScoreError {
  return { ...position(lines, error.pos[0]), field: 'score', message: `not YAML: ${error.message}` };
}

/** A second complaint about one place mostly follows from the first: a misspelt field is also a missing one. */
function firstOfEachPath(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter(({ path }) => seen.size < seen.add(JSON.stringify(path)).size);
}

function explain(issue: z.core.$ZodIssue, source: Source): ScoreError[] {
  if (issue.code === 'unrecognized_keys') {
    const allowed = allowedAt(issue.path);
    return issue.keys.map((key) => {
      const close = nearest(key, allowed);
      const hint = close === null ? '' : ` did you mean "${close}"?`;
      const message = `no such field;${hint} allowed: ${allowed.join(', ')}`;
      return at(source, { path: issue.path, key }, message);
    });
  }
  const missing =
    issue.code === 'invalid_type' && !source.document.hasIn(issue.path) && issue.path.length > 0;
  const message = missing
    ? `missing; expected ${issue.expected}`
    : issue.message.replace(/^Invalid input: /, '');
  return [at(source, { path: issue.path }, message)];
}

function allowedAt(path: Path): readonly string[] {
  if (path.length === 0) return SCORE_FIELDS.score;
  if (path.includes('usage_steps')) return SCORE_FIELDS.usage_step;
  if (path.includes('usage')) return SCORE_FIELDS.usage;
  if (path.includes('edits')) return SCORE_FIELDS.edit;
  return path.includes('attempts') ? SCORE_FIELDS.attempt : SCORE_FIELDS.entry;
}

/** The place in the text of a field, or of the nearest thing above it that exists. */
function at({ document, lines }: Source, place: Place, message: string): ScoreError {
  const whole = place.key === undefined ? place.path : [...place.path, place.key];
  const field = whole.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
  const offset = keyOffset(document, place) ?? nodeOffset(document, place.path);
  return { ...position(lines, offset), field: field === '' ? 'score' : field, message };
}

function keyOffset(document: Document, { path, key }: Place): number | null {
  if (key === undefined) return null;
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(map)) return null;
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  return pair && isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null;
}

function nodeOffset(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

type Read = (path: Path, name: string) => string;

function embedFiles(score: Score, read: Read): Score {
  const roles = Object.entries(score.roles).map(([role, entries]) => {
    const path = ['roles', role];
    const embedded = Array.isArray(entries)
      ? entries.map((entry, n) => embedEntry(entry, [...path, n], read))
      : entries && embedEntry(entries, path, read);
    return [role, embedded];
  });
  return { ...score, roles: Object.fromEntries(roles) as Score['roles'] };
}

function embedEntry(entry: ScoreEntry, path: Path, read: Read): ScoreEntry {
  const attempts = entry.attempts?.map((attempt, n) => embedAttempt(attempt, [...path, 'attempts', n], read));
  return { ...embedAttempt(entry, path, read), ...(attempts ? { attempts } : {}) };
}

function embedAttempt<T extends ScoreAttempt>(attempt: T, path: Path, read: Read): T {
  const edits = attempt.edits?.map((edit, n) => {
    if (edit.content_file === undefined) return edit;
    return { path: edit.path, content: read([...path, 'edits', n, 'content_file'], edit.content_file) };
  });
  return edits ? { ...attempt, edits } : attempt;
}
