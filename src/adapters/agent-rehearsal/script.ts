import { dirname, resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { nearest } from '../../engine/nearest.ts';
import { SCRIPT_FIELDS, Script, type ScriptAttempt, type ScriptEntry } from './script-schema.ts';

/** One error of a script: its position, its field (`roles.critic[0].delay`), and what is allowed there. */
interface ScriptError {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly message: string;
}

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly errors: readonly ScriptError[] };

/** The location of a script, and how to read files next to it. `readFile` throws if there is no such file. */
export interface ScriptSource {
  readonly file: string;
  readonly readFile: (path: string) => string;
}

type Path = readonly PropertyKey[];
interface Location {
  readonly path: Path;
  /** The wrong key itself, in the map at `path`. */
  readonly key?: string;
}
interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

const LONGEST_TEXT = 16 * 1024 * 1024;

/**
 * Reads a script and inserts the text of every `content_file`, so that the result does not need other files. It never
 * throws. For any text it returns a script or a list of errors, each with its line.
 */
export function parseScript(text: string, { file, readFile }: ScriptSource): ParsedScript {
  if (text.length > LONGEST_TEXT) return refuse('the script is longer than 16 MB');
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
  const parsed = Script.safeParse(value);
  if (!parsed.success) {
    const issues = firstOfEachPath(parsed.error.issues);
    return { ok: false, errors: issues.flatMap((issue) => explain(issue, source)) };
  }
  const errors: ScriptError[] = [];
  const script = embedFiles(parsed.data, (path, name) => {
    try {
      return readFile(resolve(dirname(file), name));
    } catch (error) {
      errors.push(at(source, { path }, `cannot read ${name}: ${(error as Error).message}`));
      return '';
    }
  });
  return errors.length > 0 ? { ok: false, errors } : { ok: true, script };
}

/** The text that a run stores. It is complete in itself, and the same script gives the same bytes. */
export function serialiseScript(script: Script): string {
  return `${JSON.stringify(script)}\n`;
}

/** Reads what `serialiseScript` wrote. Throws on anything else. */
export function parseStoredScript(text: string): Script {
  return Script.parse(JSON.parse(text));
}

/**
 * Converts a document to JSON values. A list that contains itself, or a number without a value, cannot be part of a
 * run.
 */
function plain(document: Document): unknown {
  if (document.errors.length > 0) return null;
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
}

function refuse(message: string): ParsedScript {
  return { ok: false, errors: [{ line: 1, column: 1, field: 'script', message }] };
}

function syntaxError(error: Document['errors'][number], lines: LineCounter): ScriptError {
  return { ...position(lines, error.pos[0]), field: 'script', message: `not YAML: ${error.message}` };
}

/** The first error of each path. A second one mostly follows from it: a misspelt field is also a missing one. */
function firstOfEachPath(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter(({ path }) => seen.size < seen.add(JSON.stringify(path)).size);
}

function explain(issue: z.core.$ZodIssue, source: Source): ScriptError[] {
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
  if (path.length === 0) return SCRIPT_FIELDS.script;
  if (path.includes('usage_steps')) return SCRIPT_FIELDS.usage_step;
  if (path.includes('usage')) return SCRIPT_FIELDS.usage;
  if (path.includes('edits')) return SCRIPT_FIELDS.edit;
  return path.includes('attempts') ? SCRIPT_FIELDS.attempt : SCRIPT_FIELDS.entry;
}

/** An error at the position of a field, or of its nearest parent that exists. */
function at({ document, lines }: Source, location: Location, message: string): ScriptError {
  const whole = location.key === undefined ? location.path : [...location.path, location.key];
  const field = whole.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
  const offset = keyOffset(document, location) ?? nodeOffset(document, location.path);
  return { ...position(lines, offset), field: field === '' ? 'script' : field, message };
}

function keyOffset(document: Document, { path, key }: Location): number | null {
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

function embedFiles(script: Script, read: Read): Script {
  const roles = Object.entries(script.roles).map(([role, entries]) => {
    const path = ['roles', role];
    const embedded = Array.isArray(entries)
      ? entries.map((entry, n) => embedEntry(entry, [...path, n], read))
      : entries && embedEntry(entries, path, read);
    return [role, embedded];
  });
  return { ...script, roles: Object.fromEntries(roles) as Script['roles'] };
}

function embedEntry(entry: ScriptEntry, path: Path, read: Read): ScriptEntry {
  const attempts = entry.attempts?.map((attempt, n) => embedAttempt(attempt, [...path, 'attempts', n], read));
  return { ...embedAttempt(entry, path, read), ...(attempts ? { attempts } : {}) };
}

function embedAttempt<T extends ScriptAttempt>(attempt: T, path: Path, read: Read): T {
  const edits = attempt.edits?.map((edit, n) => {
    if (edit.content_file === undefined) return edit;
    return { path: edit.path, content: read([...path, 'edits', n, 'content_file'], edit.content_file) };
  });
  return edits ? { ...attempt, edits } : attempt;
}
