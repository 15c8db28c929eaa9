import type { TestCounts, TestsCompared } from '../../contract/outcome.ts';

/** How one test ended. Expected failures and todo tests count as skipped, as in the counts. */
export type TestEnd = 'passed' | 'failed' | 'skipped';

/** Every test of one run of a test command, by name and sorted. A name occurs as often as the tool printed it. */
export type TestNames = Readonly<Record<TestEnd, readonly string[]>>;

/** The tests that one dialect has parsed so far. */
export interface TestList {
  readonly ended: { name: string; end: TestEnd }[];
  /** Titles above the current line: suites, and tests that may have subtests. */
  readonly titles: { readonly indent: number; readonly name: string; isGroup: boolean }[];
  /** Number of titles with tests below them. Some tools count these as tests, others do not. */
  groups: number;
}

/** Above this number of tests, only the counts are compared. */
const MOST_NAMES = 20_000;
/** Limit of nesting. No known project nests its suites deeper than this. */
const MOST_TITLES = 50;
const NAME_LIMIT = 300;
/** The number of names that a comparison lists. */
const LISTED = 40;

export function emptyTests(): TestList {
  return { ended: [], titles: [], groups: 0 };
}

/** Opens a suite, or a test that may have subtests. */
export function openTitle(tests: TestList, indent: number, name: string): void {
  closeTitles(tests, indent - 1);
  if (tests.titles.length < MOST_TITLES) tests.titles.push({ indent, name, isGroup: false });
}

/** Records a test below the titles open at its indent. A line that ends a title with subtests is not a test. */
export function endTest(tests: TestList, indent: number, name: string, end: TestEnd): void {
  closeTitles(tests, indent);
  const own = tests.titles.at(-1);
  if (own?.indent === indent) tests.titles.pop();
  if (own?.indent === indent && own.name === name && own.isGroup) {
    tests.groups += 1;
    return;
  }
  for (const title of tests.titles) title.isGroup = true;
  const whole = [...tests.titles.map((title) => title.name), name].join(' > ');
  tests.ended.push({ name: whole.slice(0, NAME_LIMIT).toWellFormed(), end });
}

function closeTitles(tests: TestList, indent: number): void {
  while ((tests.titles.at(-1)?.indent ?? -1) > indent) tests.titles.pop();
}

/** The names. Null unless the output names exactly as many tests as its own summary counts. */
export function wholeNames({ ended, groups }: TestList, counts: TestCounts | null): TestNames | null {
  const missing = (counts?.total ?? 0) - ended.length;
  if (!counts || missing < 0 || missing > groups || ended.length === 0) return null;
  const skipped = ended.filter(({ end }) => end === 'skipped').length;
  if (ended.length > MOST_NAMES || skipped > counts.skipped) return null;
  const of = (wanted: TestEnd) => ended.flatMap(({ name, end }) => (end === wanted ? [name] : [])).sort();
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
}

/** The tests of the first run that are missing or skipped in the second, and the number of new ones. */
export function compareTests(before: TestNames, now: TestNames): TestsCompared {
  const had = [...before.passed, ...before.failed, ...before.skipped];
  const has = [...now.passed, ...now.failed, ...now.skipped];
  const gone = without(had, has);
  const skipped = without(without(now.skipped, before.skipped), without(has, had));
  return {
    gone: gone.slice(0, LISTED),
    gone_total: gone.length,
    skipped: skipped.slice(0, LISTED),
    skipped_total: skipped.length,
    added: without(has, had).length,
  };
}

/** The names that the other list lacks, each as often as it is missing. */
function without(names: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const name of others) left.set(name, (left.get(name) ?? 0) + 1);
  return [...names].sort().filter((name) => {
    const n = left.get(name) ?? 0;
    if (n > 0) left.set(name, n - 1);
    return n === 0;
  });
}
