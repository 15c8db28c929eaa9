import path from 'node:path';
import { shortText } from '../../engine/cut-text.ts';

const LONGEST = 120;

/** Text of a program as one short line, without characters that control a terminal. */
export function shortLine(text: string, longest = LONGEST): string {
  return shortText(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), longest);
}

/** The last line that names an error, else the last line. */
export function errorLine(last: string): string {
  const lines = last.split('\n').filter((line) => line.trim() !== '');
  return shortLine(lines.findLast((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? '', 200);
}

/** A path as a person reads it: inside the tree it is relative to the tree's root. */
export function pathIn(tree: string, file: string): string {
  const inside = path.relative(tree, file);
  return path.isAbsolute(file) && inside !== '' && !inside.startsWith('..') ? inside : file;
}
