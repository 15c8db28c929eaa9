import * as z from 'zod';

/** As long as a result file may be. */
const LONGEST = 4_000_000;

const usage = z
  .strictObject({ money_usd: z.number().min(0).nullable(), tokens: z.int().min(0).nullable() })
  .optional();
const result = z.json().refine((value) => JSON.stringify(value).length <= LONGEST);

/** What an outside worker gives for its work order: a value, or words that hold one. */
export const HandIn = z.union([
  z.strictObject({ result, usage }),
  z.strictObject({ text: z.string().max(LONGEST), usage }),
]);
export type HandIn = z.infer<typeof HandIn>;
