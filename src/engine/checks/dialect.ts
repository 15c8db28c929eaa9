import type { ProblemCounts, TestCounts } from '../../contract/outcome.ts';
import { emptyTests, type TestList } from './test-names.ts';

/** A failing test or a problem while its lines are parsed. */
export interface DraftItem {
  readonly kind: 'test' | 'problem';
  readonly level: 'error' | 'warning';
  file: string | null;
  line: number | null;
  /** The name of the test, or the rule and its message. */
  name: string;
  /** The first words of the message. Null if the tool prints no message. */
  message: string | null;
}

/** The parse state of one dialect. It exists for one reading only. */
export interface Draft {
  /** Last line that identified the tool. -1: not identified yet. */
  seen: number;
  tests: Mutable<TestCounts> | null;
  problems: Mutable<ProblemCounts> | null;
  readonly items: DraftItem[];
  /** The tests that the output names, passed or not. */
  readonly list: TestList;
  /** The item that the following lines describe. */
  open: DraftItem | null;
  /** The file that the following lines describe. */
  file: string | null;
  /** Other values that a dialect must remember, by name. */
  readonly memory: Map<string, string>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * One kind of line. The first matching rule consumes a line, unless it returns `PASS_ON`. Patterns are anchored and
 * linear.
 */
export type LineRule = readonly [pattern: RegExp, take: (draft: Draft, match: Match, at: number) => unknown];

/** Returned by a rule that does not consume the line. */
export const PASS_ON = 'pass_on';

/** Groups of a match. A group that did not participate is empty. */
type Match = readonly string[];

/** How to parse the output of one tool. Without a sign (`seen`), the output is not from this tool. */
export interface Dialect {
  readonly name: string;
  readonly rules: readonly LineRule[];
  /** Corrections that are only possible at the end. */
  readonly finish?: (draft: Draft) => void;
}

/** Parses all lines with the rules of one dialect. Null if the output is not from this tool. */
export function readDialect(dialect: Dialect, lines: readonly string[]): Draft | null {
  const draft: Draft = {
    seen: -1,
    tests: null,
    problems: null,
    items: [],
    list: emptyTests(),
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
    const groups = match.map((group) => group ?? '');
    if (take(draft, groups, at) !== PASS_ON) return;
  }
  // A message such as "Expected values to be strictly equal:" needs its next line.
  const said = draft.open?.message;
  if (draft.open && (said === '' || said?.endsWith(':')))
    draft.open.message = `${said} ${line.trim()}`.trim();
}

/** Adds a failing test that the following lines describe. Its message is the first line that no rule consumes. */
export function openTest(draft: Draft, name: string, file: string | null = null): void {
  draft.open = { kind: 'test', level: 'error', file, line: null, name, message: '' };
  draft.items.push(draft.open);
}

/** Adds a problem that fits on one line. */
export function addProblem(
  draft: Draft,
  level: DraftItem['level'],
  location: { readonly file: string | null; readonly line: string },
  name: string,
): void {
  const line = location.line === '' ? null : Number(location.line);
  draft.items.push({ kind: 'problem', level, file: location.file, line, name, message: null });
}

/** Sets the line of the open item, only once and only for the item's own file. An item without a file gets this one. */
export function locate(draft: Draft, file: string, line: string): void {
  const { open } = draft;
  if (!open || open.line !== null || isForeign(file)) return;
  if (open.file !== null && !isSameFile(open.file, file)) return;
  open.file ??= file;
  open.line = Number(line);
}

const FOREIGN = ['node_modules/', 'node:', 'site-packages/', '/rustc/', '<', 'internal/'];

/** Code outside the project. Its lines do not show where to look. */
export function isForeign(file: string): boolean {
  return FOREIGN.some((part) => file.startsWith(part) || file.includes(`/${part}`));
}

function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/** Adds to the test counts. A second summary of the same tool (a workspace, a module) is added. */
export function addTests(draft: Draft, counts: Partial<Omit<TestCounts, 'total'>>, at: number): void {
  draft.seen = at;
  const { passed = 0, failed = 0, skipped = 0 } = counts;
  draft.tests ??= { total: 0, passed: 0, failed: 0, skipped: 0 };
  draft.tests.passed += passed;
  draft.tests.failed += failed;
  draft.tests.skipped += skipped;
  draft.tests.total += passed + failed + skipped;
}

/** Parses `2 failed, 1 passed` with a table of words. Unknown words do not count as tests. */
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
