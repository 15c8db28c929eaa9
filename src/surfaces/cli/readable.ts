import { parseJson } from '../../engine/parse-json.ts';
import { visibleProse, visibleText } from '../../engine/visible-text.ts';
import type { ShownArtefact } from '../../runtime/views.ts';

/** A document as people read it. JSON from a worker is shown as YAML, except in a `.json` file. */
export async function readable({ file, text }: Pick<ShownArtefact, 'file' | 'text'>): Promise<string> {
  if (file.endsWith('.json') || !/^\s*[{[]/.test(text)) return text;
  const value = parseJson(text);
  if (value === undefined) return text;
  const { stringify } = await import('yaml');
  return stringify(value);
}

/**
 * The filter for a document on a terminal. In Markdown, emoji
 * stay whole. In other files every invisible character is shown.
 */
export function visibleAs({ file }: Pick<ShownArtefact, 'file'>): (text: string) => string {
  return file.endsWith('.md') ? visibleProse : visibleText;
}
