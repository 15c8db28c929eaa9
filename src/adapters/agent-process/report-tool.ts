import { pathIn, shortLine } from './lines.ts';

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
