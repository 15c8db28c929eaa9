import { pathIn, shortLine } from './short-line.ts';

/** A program's tools: what one does, and the field of its input that says to what. */
export type ToolWords = Readonly<Record<string, readonly [does: string, field: string]>>;

/** What a worker does just now, in plain words: `edits src/a.ts`, `runs npm test`. */
export function tellTool(words: ToolWords, tool: string, input: unknown, tree: string): string {
  const [does, field] = (Object.hasOwn(words, tool) && words[tool]) || ['uses', ''];
  const what = (input as Readonly<Record<string, unknown>> | null)?.[field];
  return shortLine(`${does} ${typeof what === 'string' && what !== '' ? pathIn(tree, what) : tool}`);
}
