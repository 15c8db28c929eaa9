import * as z from 'zod';
import { failure, InvariantError } from './errors.ts';

/** The entry of a table. Throws the code if the table does not have that name. */
export function tableEntry<T>(table: Readonly<Record<string, T>>, name: string, code: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw failure(code, `the workspace has no ${JSON.stringify(name)}`);
  return found;
}

/** The input comes from a workflow of ours: a wrong shape is our bug, not a failure outside. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new InvariantError(z.prettifyError(parsed.error));
  return parsed.data;
}
