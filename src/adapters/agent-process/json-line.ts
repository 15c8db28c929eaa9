import type * as z from 'zod';

/** One line of a program's stream; null for what is no JSON or of no interest. */
export function readJsonLine<T>(schema: z.ZodType<T>, line: string): T | null {
  if (!line.startsWith('{')) return null;
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // cut off in the middle, or words of the program that are no record
  }
}
