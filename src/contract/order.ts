import * as z from 'zod';

/** Maximum length of a result file, in characters. */
const LONGEST = 4_000_000;

const usage = z
  .strictObject({ money_usd: z.number().min(0).nullable(), tokens: z.int().min(0).nullable() })
  .optional();
const result = z.json().refine((value) => JSON.stringify(value).length <= LONGEST);

/** The result that an outside worker hands in for its work order: a value, or text that contains one. */
export const HandIn = z.union([
  z.strictObject({ result, usage }),
  z.strictObject({ text: z.string().max(LONGEST), usage }),
]);
export type HandIn = z.infer<typeof HandIn>;
