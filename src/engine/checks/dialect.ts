import type { ProblemCounts, TestCounts } from '../../contract/outcome.ts';

/** A failing test or a problem while its lines are being read. */
export interface DraftItem {
  readonly kind: 'test' | 'problem';
  readonly level: 'error' | 'warning';
  file: string | null;
  line: number | null;
  /** What names it: the test, or the rule and its message. */
  name: string;
  /** The first words about it; null where the tool says nothing more. */
  message: string | null;
}

/** What one dialect has understood so far. Lives for one reading only. */
export interface Draft {
  /** Line at which the tool last gave itself away; -1 while it has not. */
  seen: number;
  tests: Mutable<TestCounts> | null;
  problems: Mutable<ProblemCounts> | null;
  readonly items: DraftItem[];
  /** The item that the next lines are about. */
  open: DraftItem | null;
  /** File the next lines are about. */
  file: string | null;
  /** Whatever else a dialect has to remember, by name. */
  readonly memory: Map<string, string>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One kind of line. The first rule that matches a line gets it; patterns are anchored and linear. */
export type LineRule = readonly [pattern: RegExp, take: (draft: Draft, match: Match, at: number) => void];

/** Groups of a match; a group that took no part is empty. */
type Match = readonly string[];

/** How the output of one tool is read. A tool that never shows a sign (`seen`) has not written it. */
export interface Dialect {
  readonly name: string;
  readonly rules: readonly LineRule[];
  /** Puts right what only the end shows. */
  readonly finish?: (draft: Draft) => void;
}

/** Reads all lines with the rules of one dialect; null when the tool did not write them. */
export function readDialect(dialect: Dialect, lines: readonly string[]): Draft | null {
  const draft: Draft = {
    seen: -1,
    tests: null,
    problems: null,
    items: [],
    open: null,
    file: null,
    memory: new Map(),
  };
  for (const [at, line] of lines.entries()) readLine(dialect, draft, line, at);
  dialect.finish?.(draft);
  return draft.seen === -1 ? null : draft;
}

function readLine(dialect: Dialect, draft: Draft, line: string, at: number): void {
  for (const [pattern, take] of dialect.rules) {
    const match = pattern.exec(line);
    if (!match) continue;
    take(
      draft,
      match.map((group) => group ?? ''),
      at,
    );
    return;
  }
  // "Expected values to be strictly equal:" says nothing without what follows.
  const said = draft.open?.message;
  if (draft.open && (said === '' || said?.endsWith(':')))
    draft.open.message = `${said} ${line.trim()}`.trim();
}

/** Adds a failing test that the next lines are about; its message is the first line no rule takes. */
export function openTest(draft: Draft, name: string, file: string | null = null): void {
  draft.open = { kind: 'test', level: 'error', file, line: null, name, message: '' };
  draft.items.push(draft.open);
}

/** Adds a problem that stands on one line. */
export function addProblem(
  draft: Draft,
  level: DraftItem['level'],
  place: { readonly file: string | null; readonly line: string },
  name: string,
): void {
  const line = place.line === '' ? null : Number(place.line);
  draft.items.push({ kind: 'problem', level, file: place.file, line, name, message: null });
}

/** Gives the open item its line, once, and only in the file it is in; an item without a file takes this one. */
export function locate(draft: Draft, file: string, line: string): void {
  const { open } = draft;
  if (!open || open.line !== null || isForeign(file)) return;
  if (open.file !== null && !isSameFile(open.file, file)) return;
  open.file ??= file;
  open.line = Number(line);
}

const FOREIGN = ['node_modules/', 'node:', 'site-packages/', '/rustc/', '<', 'internal/'];

/** Code that is not the project's own: a line in it says nothing about where to look. */
export function isForeign(file: string): boolean {
  return FOREIGN.some((part) => file.startsWith(part) || file.includes(`/${part}`));
}

function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/** Adds to the test counts; a second summary of the same tool (a workspace, a module) counts on. */
export function addTests(draft: Draft, counts: Partial<Omit<TestCounts, 'total'>>, at: number): void {
  draft.seen = at;
  const { passed = 0, failed = 0, skipped = 0 } = counts;
  draft.tests ??= { total: 0, passed: 0, failed: 0, skipped: 0 };
  draft.tests.passed += passed;
  draft.tests.failed += failed;
  draft.tests.skipped += skipped;
  draft.tests.total += passed + failed + skipped;
}

/** Reads `2 failed, 1 passed` by a table of words; words it does not know are no tests. */
export function tally(
  text: string,
  words: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>,
): Partial<Omit<TestCounts, 'total'>> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, number = '0', word = ''] of text.matchAll(/(\d{1,9}) ([a-z]{1,20})/g)) {
    const key = Object.hasOwn(words, word) ? words[word] : undefined;
    if (key) counts[key] += Number(number);
  }
  return counts;
}
