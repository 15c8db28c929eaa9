import path from 'node:path';
import type * as z from 'zod';
import { shortText } from '../../engine/cut-text.ts';
import { parseJson } from '../../engine/parse-json.ts';

/**
 * Parses one line of a JSON stream. Null if the line is cut off or is not an object, such as text outside the stream.
 */
export function parseLine<T extends object>(text: string): T | null {
  return text.startsWith('{') ? ((parseJson(text) as T | undefined) ?? null) : null;
}

/** The same with a schema; null if the line does not match it. */
export function readJsonLine<T>(schema: z.ZodType<T>, line: string): T | null {
  const parsed = parseLine(line);
  return parsed === null ? null : (schema.safeParse(parsed).data ?? null);
}

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

/**
 * A program's tools: the verb for each, and the input field that names its object. A tool without a field is described
 * by the verb alone.
 */
export type ToolWords = Readonly<Record<string, readonly [does: string, field?: string]>>;

/** Describes what a worker is doing, in plain words: `edits src/a.ts`, `runs npm test`. */
export function reportTool(words: ToolWords, tool: string, input: unknown, tree: string): string {
  const [does, field] = (Object.hasOwn(words, tool) && words[tool]) || ['uses', ''];
  if (field === undefined) return does;
  const what = (input as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  return shortLine(`${does} ${typeof what === 'string' && what !== '' ? pathIn(tree, what) : tool}`);
}
