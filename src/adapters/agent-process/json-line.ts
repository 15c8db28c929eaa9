import type * as z from 'zod';
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
