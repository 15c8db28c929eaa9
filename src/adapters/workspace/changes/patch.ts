/** One block of a file's change. Lines have no line ends. The sign says what each line is. */
export interface Hunk {
  /** First line of the old text that the block covers, counted from 1. It is 0 for a file that did not exist. */
  readonly start: number;
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  /** The old text (or the new text) ends in this block without a line end. */
  readonly oldOpen: boolean;
  readonly newOpen: boolean;
}

/** What a patch does to one file. `before` is null if the file is created, `after` if it is removed. */
export interface FilePatch {
  readonly before: string | null;
  readonly after: string | null;
  readonly hunks: readonly Hunk[];
}

export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[] }
  | {
      readonly ok: false;
      readonly reason: 'empty_patch' | 'refused_kind' | 'failed_hunk';
      readonly detail: string;
    };

/** Header lines of changes that are refused as a whole (WF-58). */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^(?:rename|copy) (?:from|to) /, 'rename'],
  [/^(?:similarity|dissimilarity) index /, 'rename'],
  [/^(?:old|new) mode /, 'mode change'],
  [/^(?:new|deleted) file mode (?!100644$)/, 'mode change or link'],
  [/^GIT binary patch/, 'binary content'],
  [/^Binary files /, 'binary content'],
];

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

class Refusal extends Error {
  readonly reason: 'refused_kind' | 'failed_hunk';
  constructor(reason: 'refused_kind' | 'failed_hunk', detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/**
 * Reads a unified diff. Only what this reader understood is ever applied, so no header can be read differently later.
 * It refuses every change other than changed text. Pure.
 */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.split('\n');
  // Only a patch in which every line ends in CR was itself written with CRLF. Otherwise the CR belongs to the content.
  const isCrlf = lines.slice(0, -1).every((line) => line.endsWith('\r'));
  const reader: Reader = { lines: isCrlf ? lines.map((line) => line.replace(/\r$/, '')) : lines, at: 0 };
  const files: FilePatch[] = [];
  try {
    while (skipToFile(reader)) files.push(readFile(reader));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, reason: error.reason, detail: error.message };
  }
  if (files.length === 0) return { ok: false, reason: 'empty_patch', detail: 'no file with a changed block' };
  return { ok: true, files };
}

/** Moves to the next `---` line. A line before it that announces another kind of change is refused. */
function skipToFile(reader: Reader): boolean {
  let opened: string | null = null;
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = (reader.lines[reader.at] ?? '').replace(/\r$/, '');
    if (line.startsWith('--- ') && (reader.lines[reader.at + 1] ?? '').startsWith('+++ ')) return true;
    refuseKind(line);
    if (!line.startsWith('diff --git ')) continue;
    if (opened !== null) break;
    opened = line;
  }
  if (opened !== null) throw new Refusal('refused_kind', `no changed text: ${opened}`);
  return false;
}

function refuseKind(line: string): void {
  const refused = REFUSED.find(([pattern]) => pattern.test(line));
  if (refused) throw new Refusal('refused_kind', `${refused[1]}: ${line}`);
  if (line.startsWith('@@ ')) throw new Refusal('failed_hunk', `a block without a file: ${line}`);
}

function readFile(reader: Reader): FilePatch {
  const names = [reader.lines[reader.at] ?? '', reader.lines[reader.at + 1] ?? ''];
  const [before, after] = stripPrefixes(names.map((line) => headerName(line.slice(4))));
  reader.at += 2;
  const hunks: Hunk[] = [];
  while ((reader.lines[reader.at] ?? '').startsWith('@@ ')) hunks.push(readHunk(reader));
  if (hunks.length === 0) throw new Refusal('refused_kind', `no changed text: ${before ?? after}`);
  if (before === null && after === null) throw new Refusal('refused_kind', 'a file from nothing to nothing');
  if (before !== null && after !== null && before !== after)
    throw new Refusal('refused_kind', `rename: ${before} to ${after}`);
  return { before: before ?? null, after: after ?? null, hunks };
}

/** A name as a header contains it: quoted by git, or plain up to a tab before a time. */
function headerName(raw: string): string | null {
  const line = raw.replace(/\r$/, '');
  const name = line.startsWith('"') ? unquote(line) : (line.split('\t')[0] ?? '').trimEnd();
  return name === '/dev/null' ? null : name;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

function unquote(line: string): string {
  const end = line.lastIndexOf('"');
  const bytes: number[] = [];
  for (const [part] of line.slice(1, end).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gu)) {
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 0xff);
    else bytes.push(...Buffer.from(part.startsWith('\\') ? (ESCAPES[part.slice(1)] ?? '\0') : part));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Removes `a/` and `b/` if both sides have them. A diff without them is taken as it is written. */
function stripPrefixes(names: readonly (string | null)[]): (string | null)[] {
  const prefixes = ['a/', 'b/'];
  const prefixed = names.every((name, n) => name === null || name.startsWith(prefixes[n] ?? ''));
  return prefixed ? names.map((name) => name?.slice(2) ?? null) : [...names];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

type Line = Hunk['lines'][number];

function readHunk(reader: Reader): Hunk {
  const header = reader.lines[reader.at] ?? '';
  const found = HUNK.exec(header);
  if (!found) throw new Refusal('failed_hunk', `cannot be read: ${header}`);
  reader.at += 1;
  const left = { old: Number(found[2] ?? 1), fresh: Number(found[3] ?? 1) };
  const open = { old: false, fresh: false };
  const lines: Line[] = [];
  while (goesOn(left, reader)) {
    const line = reader.lines[reader.at];
    if (line === undefined) throw new Refusal('failed_hunk', `ends too early: ${header}`);
    reader.at += 1;
    if (line.startsWith('\\')) markOpen(open, lines.at(-1)?.sign);
    else lines.push(countDown(left, readLine(line)));
  }
  if (left.old < 0 || left.fresh < 0) throw new Refusal('failed_hunk', `more lines than it says: ${header}`);
  return { start: Number(found[1]), lines, oldOpen: open.old, newOpen: open.fresh };
}

/** The line that reports a missing line end comes after the last counted one. */
function goesOn(left: { old: number; fresh: number }, { lines, at }: Reader): boolean {
  return left.old > 0 || left.fresh > 0 || (lines[at] ?? '').startsWith('\\');
}

function readLine(line: string): Line {
  // Editors and models drop the single space of an empty context line.
  const sign = line === '' || line === '\r' ? ' ' : line[0];
  if (sign !== ' ' && sign !== '-' && sign !== '+')
    throw new Refusal('failed_hunk', `a line without a sign: ${line.slice(0, 80)}`);
  return { sign, text: line.slice(1) };
}

function countDown(left: { old: number; fresh: number }, line: Line): Line {
  if (line.sign !== '+') left.old -= 1;
  if (line.sign !== '-') left.fresh -= 1;
  return line;
}

function markOpen(open: { old: boolean; fresh: boolean }, sign: string | undefined): void {
  if (sign !== '+') open.old = true;
  if (sign !== '-') open.fresh = true;
}

export type Applied =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly hunk: number };

interface Text {
  readonly lines: readonly string[];
  /** The last line has no line end. */
  readonly open: boolean;
}

/**
 * Applies the blocks of one file exactly. The old lines of a block must be at their position, or at the nearest other
 * position after the block before it. Applies all blocks or none. A file whose line ends are all CRLF keeps them. Pure.
 */
export function applyHunks(old: string, hunks: readonly Hunk[]): Applied {
  const ends = old.includes('\r\n') && !/(?<!\r)\n/.test(old) ? '\r\n' : '\n';
  const source = split(old, ends);
  const out: string[] = [];
  let taken = 0;
  let open = source.open;
  for (const [n, hunk] of hunks.entries()) {
    const before = side(hunk, '+', ends);
    const at = location(source, hunk, before, taken);
    if (at === null) return { ok: false, hunk: n + 1 };
    out.push(...source.lines.slice(taken, at), ...side(hunk, '-', ends));
    taken = at + before.length;
    if (taken === source.lines.length && reachesEnd(hunk, source)) open = hunk.newOpen;
  }
  out.push(...source.lines.slice(taken));
  return { ok: true, text: join(out, ends, open) };
}

function split(text: string, ends: string): Text {
  if (text === '') return { lines: [], open: false };
  const lines = text.split(ends);
  const open = lines.at(-1) !== '';
  return { lines: open ? lines : lines.slice(0, -1), open };
}

function join(lines: readonly string[], ends: string, open: boolean): string {
  return lines.length === 0 ? '' : lines.join(ends) + (open ? '' : ends);
}

/** The lines of one side of a block: all lines except those with the sign of the other side. */
function side(hunk: Hunk, without: '+' | '-', ends: string): string[] {
  const lines = hunk.lines.filter(({ sign }) => sign !== without).map(({ text }) => text);
  return ends === '\n' ? lines : lines.map((line) => line.replace(/\r$/, ''));
}

/** A block that touches the end of the old text decides whether the new text ends with a line end. */
function reachesEnd(hunk: Hunk, source: Text): boolean {
  return hunk.oldOpen || hunk.newOpen || hunk.lines.at(-1)?.sign !== ' ' || !source.open;
}

function location(source: Text, hunk: Hunk, before: readonly string[], from: number): number | null {
  const wanted = before.length === 0 ? hunk.start : hunk.start - 1;
  const last = source.lines.length - before.length;
  const fits = (at: number) =>
    at >= from &&
    at <= last &&
    before.every((line, n) => source.lines[at + n] === line) &&
    (!hunk.oldOpen || (at === last && source.open));
  if (before.length === 0) return fits(wanted) ? wanted : null;
  for (let off = 0; off <= Math.max(source.lines.length, wanted); off += 1) {
    if (fits(wanted - off)) return wanted - off;
    if (fits(wanted + off)) return wanted + off;
  }
  return null;
}
