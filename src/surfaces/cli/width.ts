import { stripVTControlCharacters } from 'node:util';

/** Code points that take two columns on a terminal: Hangul, kana, Han, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
/** Most texts match this. They are measured without the tables, which a command would have to compile. */
const ASCII = /^[ -~]*$/;
const ZERO = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** The columns a text takes. Colour codes take none. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of stripVTControlCharacters(text)) width += charWidth(char);
  return width;
}

/** The text, or as much of it as fits, with an ellipsis. Never wider than `columns`. */
export function cut(text: string, columns: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (widthOf(flat) <= columns) return flat;
  return columns <= 0 ? '' : `${headOf(flat, columns - 1)}…`;
}

/** Fills with spaces up to the column. Longer texts stay unchanged. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/**
 * Wraps a text to lines no wider than `columns`. Lines break at spaces, and inside a word only if it is longer than a
 * line. Existing line breaks stay. A bullet or an indent stays, and further lines are indented below it.
 */
export function wrap(text: string, columns: number, hang = ''): string[] {
  return text.split('\n').flatMap((line, i) => wrapLine(i === 0 ? line : `${hang}${line}`, columns, hang));
}

function wrapLine(line: string, columns: number, hang: string): string[] {
  if (widthOf(line) <= columns) return [line.trimEnd()];
  const lead = /^\s*(?:[-·!] )?/.exec(line)?.[0] ?? '';
  const wanted = ' '.repeat(Math.max(widthOf(lead), widthOf(hang)));
  const indent = wanted.length > columns / 2 ? '' : wanted;
  const lines: string[] = [];
  let current = lead;
  for (const [, gap = '', word = ''] of line
    .slice(lead.length)
    .trimEnd()
    .matchAll(/(\s*)(\S+)/g)) {
    const joined = current + gap + word;
    if (widthOf(joined) <= columns) {
      current = joined;
      continue;
    }
    const fresh = current.trim() === '' || current === lead;
    if (!fresh) lines.push(current);
    const pieces = breakWord((fresh ? current : indent) + word, columns, indent);
    lines.push(...pieces.slice(0, -1));
    current = pieces.at(-1) ?? indent;
  }
  return [...lines, current];
}

function breakWord(text: string, columns: number, indent: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  // Measured once: measuring the rest again for every piece would take quadratic time.
  for (let width = widthOf(text); width > columns; ) {
    const head = headOf(rest, columns);
    pieces.push(head);
    rest = indent + rest.slice(head.length);
    width += indent.length - widthOf(head);
  }
  return [...pieces, rest];
}

function headOf(text: string, columns: number): string {
  let head = '';
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns) break;
    head += char;
  }
  return head;
}

function charWidth(char: string): number {
  if (ASCII.test(char)) return 1;
  if (ZERO.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
