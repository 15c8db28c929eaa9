import type * as z from 'zod';

/** One line of a JSON stream; null for one that is cut off, or is no object: words outside the stream. */
export function parseLine<T extends object>(text: string): T | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** The same, where its shape is known; null for a line of no interest. */
export function readJsonLine<T>(schema: z.ZodType<T>, line: string): T | null {
  const parsed = parseLine(line);
  return parsed === null ? null : (schema.safeParse(parsed).data ?? null);
}
