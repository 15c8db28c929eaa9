import * as z from 'zod';

/** Average cost of completed runs of one mode and preset. Stored where a person chooses between them. */
export const Measured = z.strictObject({
  mode: z.string().max(20),
  preset: z.string().max(20),
  runs: z.int().min(1),
  /** Null if one of the runs reported no price. Unknown cost never counts as zero. */
  money_usd: z.number().min(0).nullable(),
  tokens: z.number().min(0),
  seconds: z.number().min(0),
});
export type Measured = z.infer<typeof Measured>;

/** Upper bound: the number of modes times presets. */
export const MOST_MEASURED = 20;
