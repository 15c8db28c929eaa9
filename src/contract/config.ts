import * as z from 'zod';

const limit = z.number().positive().nullable();

/** `baton.yaml`: strict, so that a misspelt key is an error and not a silent default. */
export const Config = z.strictObject({
  /** Names documents, branches and labels. */
  namespace: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower case letters, digits and hyphens')
    .default('baton'),
  agent: z.enum(['rehearsal']).default('rehearsal'),
  /** Wins over the language of the task. */
  language: z.enum(['en', 'ko', 'ja', 'zh', 'es', 'de']).optional(),
  budget: z
    .strictObject({
      money_usd: limit.default(5),
      tokens: limit.default(null),
      worker_minutes: limit.default(60),
      attempts: limit.default(null),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;
