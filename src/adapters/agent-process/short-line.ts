import path from 'node:path';

const LONGEST = 120;

/** Words of a program as one short line, without anything a terminal would act on. */
export function shortLine(text: string, longest = LONGEST): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1).toWellFormed()}…` : line;
}

/** A path as a person reads it: inside the tree from its root. */
export function pathIn(tree: string, file: string): string {
  const inside = path.relative(tree, file);
  return path.isAbsolute(file) && inside !== '' && !inside.startsWith('..') ? inside : file;
}
