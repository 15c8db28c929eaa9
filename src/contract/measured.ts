import * as z from 'zod';

/** What completed runs of one way of working took on average; kept where a person is to choose between them. */
export const Measured = z.strictObject({
  mode: z.string().max(20),
  preset: z.string().max(20),
  runs: z.int().min(1),
  /** Null where no price was told for one of them: unknown money is never counted as none. */
  money_usd: z.number().min(0).nullable(),
  tokens: z.number().min(0),
  seconds: z.number().min(0),
});
export type Measured = z.infer<typeof Measured>;

/** At most as many as there are modes times presets. */
export const MOST_MEASURED = 20;
