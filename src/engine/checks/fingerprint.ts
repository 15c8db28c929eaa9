import { canonicalJson } from '../canonical-json.ts';
import type { OutputItem } from '../check-output.ts';

/** Parts that differ between two runs of the same command: times, addresses, ids, temporary files. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b0x[0-9a-f]{1,32}\b/gi, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{12,64}\b/gi, '<id>'],
  [/(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`():,;<>]{1,500}/g, '<temp>'],
];

const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.])\d{1,15}(?:\.\d{1,15})? ?(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?)\b/g, '<n>'],
  // Only standalone numbers. A rule name such as TS2322 or E501 keeps its digits.
  [/(?<![A-Za-z_\d])\d{1,300}/g, '<n>'],
];

function replaceAll(text: string, table: readonly (readonly [RegExp, string])[]): string {
  return table
    .reduce((found, [pattern, put]) => found.replace(pattern, put), text)
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * One text per item, equal for the same failure in another run: file and test name, or file and message without
 * numbers. Items with the same text get a counter, so that an additional one is noticed. Line numbers are left out,
 * because they move with every edit.
 */
export function itemKeys(items: readonly OutputItem[]): string[] {
  const times = new Map<string, number>();
  return items.map(({ kind, file, name }) => {
    const words = replaceAll(name, PASSING);
    const text = `${file ?? ''}\n${kind === 'test' ? words : replaceAll(words, NUMBERS)}`;
    const nth = (times.get(text) ?? 0) + 1;
    times.set(text, nth);
    return `${text}\n${nth}`;
  });
}

/** The result of a failing command. */
export interface FailedOutput {
  readonly items: readonly OutputItem[];
  readonly output: string;
  readonly exit: number | null;
  readonly timed_out: boolean;
}

const LOUD =
  /\b(?:error|errors|fail|failed|failure|fatal|panic|exception|cannot|denied|refused|not found|killed)\b/i;
const LOUD_LINES = 200;
const LAST_LINES = 20;

/**
 * A text for hashing that is equal for the same failures. It ignores numbers, durations, addresses, times, temporary
 * paths and the order. Without items it uses the lines that mention a failure, otherwise the last lines.
 */
export function fingerprintText({ items, output, exit, timed_out }: FailedOutput): string {
  const named = items.map(({ file, text }) => normal(`${file ?? ''} ${text}`));
  if (named.length > 0 || timed_out) return canonicalJson({ items: named.sort(), timed_out });
  return canonicalJson({ exit, lines: [...new Set(relevantLines(output).map(normal))].sort() });
}

function normal(text: string): string {
  return replaceAll(replaceAll(text, PASSING), NUMBERS);
}

function relevantLines(output: string): string[] {
  const lines = output
    .split('\n', 200_000)
    .map((line) => line.slice(0, 400).trim())
    .filter((line) => line !== '');
  const loud = lines.filter((line) => LOUD.test(line));
  return loud.length > 0 ? loud.slice(0, LOUD_LINES) : lines.slice(-LAST_LINES);
}
