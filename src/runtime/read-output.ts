import { cleanText } from '../engine/clean-text.ts';
import { type FileEnds, readEnds } from './check-file.ts';

/** Bytes of an output that are read. A test runner prints its totals at the end. */
const READ = { head: 1024 * 1024, tail: 3 * 1024 * 1024 };
/** Characters that are stored for people. */
const KEPT = { head: 60_000, tail: 140_000 };

/** The cleaned output of a command. `left_out` bytes of its middle were never read. */
export interface Output {
  readonly text: string;
  readonly left_out: number;
}

/** Reads the output of a command of any size. */
export async function readOutput(file: string): Promise<Output> {
  const ends = await readEnds(file, READ);
  return { text: clean(ends), left_out: ends.left_out };
}

/** A line that was redrawn (a progress bar) becomes several lines. */
function clean({ head, tail }: FileEnds): string {
  const text = tail === '' ? head : `${head}\n${tail}`;
  return cleanText(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
}

/** The part that is stored for people: the beginning and the end. */
export function shorten({ text, left_out }: Output): string {
  const more = Math.max(0, text.length - KEPT.head - KEPT.tail);
  if (more === 0) return text;
  const said = `\n\n[… ${more + left_out} characters left out …]\n\n`;
  return `${text.slice(0, KEPT.head)}${said}${text.slice(-KEPT.tail)}`.toWellFormed();
}
