import type { ShownArtefact } from '../../runtime/api.ts';

/** A document as people read it: the result of a worker is kept as JSON and shown as an outline. */
export async function readable({ file, text }: Pick<ShownArtefact, 'file' | 'text'>): Promise<string> {
  if (file.endsWith('.json') || !/^\s*[{[]/.test(text)) return text;
  const value = parsed(text);
  if (value === undefined) return text;
  const { stringify } = await import('yaml');
  return stringify(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a text that only looks like JSON is shown as it is
  }
}
