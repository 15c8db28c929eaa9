import path from 'node:path';

const LONGEST = 120;

/** Words of a program as one short line, without anything a terminal would act on. */
export function shortLine(text: string, longest = LONGEST): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1).toWellFormed()}…` : line;
}

/** The line of a program's last words that names the error, else the very last one. */
export function tellingLine(last: string): string {
  const lines = last.split('\n').filter((line) => line.trim() !== '');
  return shortLine(lines.findLast((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? '', 200);
}

/** A path as a person reads it: inside the tree from its root. */
export function pathIn(tree: string, file: string): string {
  const inside = path.relative(tree, file);
  return path.isAbsolute(file) && inside !== '' && !inside.startsWith('..') ? inside : file;
}
