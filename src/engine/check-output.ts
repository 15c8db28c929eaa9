import type { ProblemCounts, TestCounts } from '../contract/outcome.ts';
import { type Dialect, type Draft, type DraftItem, isForeign, readDialect } from './checks/dialect.ts';
import { ava, jest, mocha, nodeSpec, tap, vitest } from './checks/js-dialects.ts';
import {
  biome,
  eslint,
  eslintPretty,
  golangci,
  javac,
  msbuild,
  mypy,
  pylint,
  pyright,
  ruff,
  rustc,
  tsc,
} from './checks/problem-dialects.ts';
import { cargoTest, dotnetTest, go, gradle, pytest, surefire, unittest } from './checks/test-dialects.ts';
import { type TestNames, wholeNames } from './checks/test-names.ts';
import { shortText } from './cut-text.ts';

/** One failing test or problem as the output names it. */
export interface OutputItem {
  readonly kind: 'test' | 'problem';
  readonly level: 'error' | 'warning';
  readonly file: string | null;
  readonly line: number | null;
  /** For people: the name and its message. */
  readonly text: string;
  /** The part that stays the same while the failure stays: a test's name, a problem's rule and message. */
  readonly name: string;
}

export interface ParsedOutput {
  /** The program that wrote the last summary. Null: unknown. */
  readonly tool: string | null;
  readonly counts: TestCounts | null;
  /** Every test by name. Null if the output does not name all tests that it counts. */
  readonly tests: TestNames | null;
  readonly problems: ProblemCounts | null;
  readonly items: readonly OutputItem[];
  /** False if the output was too long, or had too many items to list them all. */
  readonly complete: boolean;
}

const HEAD_LINES = 10_000;
const TAIL_LINES = 40_000;
const MAX_ITEMS = 5_000;
const LINE_LIMIT = 1_000;
const TEXT_LIMIT = 160;

/** If two dialects saw their last sign on the same line, the later one in this list wins. */
const DIALECTS: readonly Dialect[] = [
  ...[tap, nodeSpec, mocha, jest, vitest, ava, pytest, unittest, go, cargoTest, surefire, gradle, dotnetTest],
  ...[eslint, eslintPretty, biome, ruff, rustc, pylint, golangci, tsc, msbuild, mypy, pyright, javac],
];

/**
 * Parses the output of a build, test, lint or type check line by line with the dialects of known tools. If no dialect
 * matches, it lists every file location named in a line. Total and linear: any text gives a result. The result is never
 * evidence of success. Only an exit code is.
 */
export function parseCheckOutput(output: string, root: string): ParsedOutput {
  const { lines, complete } = toLines(output, root);
  const readings = DIALECTS.flatMap((dialect) => {
    const draft = readDialect(dialect, lines);
    return draft ? [{ name: dialect.name, draft }] : [];
  });
  const known = uniqueItems(readings.flatMap(({ draft }) => draft.items));
  const items = known.length > 0 ? known : uniqueItems(locationsIn(lines));
  const last = lastOf(readings, () => true);
  const problems = lastOf(readings, (draft) => draft.problems !== null)?.draft.problems;
  const counted = lastOf(readings, (draft) => draft.tests !== null)?.draft ?? null;
  return {
    tool: last?.name ?? null,
    counts: counted?.tests ?? null,
    tests: counted && complete ? wholeNames(counted.list, counted.tests) : null,
    problems: problems ?? countProblems(known),
    items: items.slice(0, MAX_ITEMS).map(toOutputItem),
    complete: complete && items.length <= MAX_ITEMS,
  };
}

/**
 * The non-blank lines, each cut, with the root removed from paths. If there are too many, the first and last ones.
 * Line terminators that `.` does not match are replaced, so that a rule ending in `.*` matches without backtracking.
 */
function toLines(output: string, root: string): { lines: string[]; complete: boolean } {
  const flat = output.replace(/[\r\u2028\u2029]/g, ' ');
  const text = root === '' ? flat : flat.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');
  const head: string[] = [];
  let from = 0;
  for (; from < text.length && head.length < HEAD_LINES; ) {
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    keepLine(head, text, from, to);
    from = to + 1;
  }
  const tail: string[] = [];
  let to = text.length;
  for (; to > from && tail.length < TAIL_LINES; ) {
    const start = Math.max(from, text.lastIndexOf('\n', to - 1) + 1);
    keepLine(tail, text, start, to);
    to = start - 1;
  }
  return { lines: [...head, ...tail.reverse()], complete: to <= from };
}

function keepLine(lines: string[], text: string, from: number, to: number): void {
  const line = text.slice(from, Math.min(to, from + LINE_LIMIT)).trimEnd();
  if (line !== '') lines.push(line);
}

type Reading = { readonly name: string; readonly draft: Draft };

function lastOf(readings: readonly Reading[], holds: (draft: Draft) => boolean): Reading | null {
  let last: Reading | null = null;
  for (const reading of readings) {
    if (holds(reading.draft) && reading.draft.seen >= (last?.draft.seen ?? -1)) last = reading;
  }
  return last;
}

/** Removes duplicates: a tool with a final summary, or two dialects for the same line, name an item twice. */
function uniqueItems(items: readonly DraftItem[]): DraftItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const { kind, file, line, name } = item;
    const key = kind === 'test' ? `${file}\n${name}` : `${file}\n${line}\n${name}`;
    if (name === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function countProblems(items: readonly DraftItem[]): ProblemCounts | null {
  const problems = items.filter((item) => item.kind === 'problem');
  if (problems.length === 0) return null;
  const errors = problems.filter((item) => item.level === 'error').length;
  return { errors, warnings: problems.length - errors };
}

function toOutputItem({ kind, level, file, line, name, message }: DraftItem): OutputItem {
  const words = message === null || message === '' ? name : `${name}: ${message}`;
  const path = file === null ? null : file.replace(/^(?:file:\/\/|\.\/)/, '').slice(0, LINE_LIMIT);
  return {
    kind,
    level,
    file: path,
    line,
    text: shortText(words.replace(/\s+/g, ' ').trim(), TEXT_LIMIT),
    name,
  };
}

/** `path/name.ext:12`, `path/name.ext(12` or `path/name.ext", line 12`, at the start of a word. */
const LOCATION =
  /(?:^|[\s('"[<=])([^\s:()'"<>[\],=]{1,300}\.[A-Za-z][A-Za-z0-9]{0,7})(?:[:(]|", line )(\d{1,7})\b/;
const WARNING = /\bwarn(?:ing)?\b/i;
const ADDRESS = /^[a-z]+:\/\/|^\d+\.\d+/i;

function locationsIn(lines: readonly string[]): DraftItem[] {
  return lines.flatMap((text): DraftItem[] => {
    const [, file, line] = LOCATION.exec(text) ?? [];
    if (file === undefined || isForeign(file) || ADDRESS.test(file)) return [];
    const level = WARNING.test(text) ? 'warning' : 'error';
    return [{ kind: 'problem', level, file, line: Number(line), name: text.trim(), message: null }];
  });
}
