import * as z from 'zod';
import { delayMs } from './delay.ts';

const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;

const delayError = 'expected a time such as "400ms", "2s", "1m", or a number of milliseconds (at most a day)';

const DelayText = z
  .string()
  .regex(/^\d{1,8}(ms|s|m)$/, delayError)
  .refine((text) => delayMs(text) <= LONGEST_DELAY_MS, delayError);

const DelayNumber = z.int(delayError).min(0, delayError).max(LONGEST_DELAY_MS, delayError);

const Delay = z
  .union([DelayNumber, DelayText], { error: delayError })
  .meta({ description: 'Waits before the result: "400ms", "2s", "1m", or a number of milliseconds.' });

const Edit = z
  .strictObject({
    path: z.string().min(1).meta({
      description: 'Seen from the working directory. May be hostile on purpose: it is a worker that writes.',
    }),
    content: z.string().optional(),
    content_file: z.string().min(1).optional().meta({ description: 'Seen from the script file.' }),
    delete: z.literal(true).optional(),
  })
  .superRefine((edit, ctx) => {
    const ways = [edit.content, edit.content_file, edit.delete].filter((way) => way !== undefined);
    if (ways.length !== 1) {
      ctx.addIssue({
        code: 'custom',
        message: 'expected exactly one of content, content_file, delete: true',
      });
    }
  });

const Usage = z.strictObject({
  money_usd: z.number().min(0).nullable().default(null),
  tokens: z.int().min(0).nullable().default(null),
});

const UsageStep = z.strictObject({ ...Usage.shape, delay: Delay.optional() });

const limitedError =
  'expected seconds from now (at most a day), a time such as "2030-01-01T00:00:00.000Z", or true';

const Limited = z.union([z.literal(true), z.number().min(0).max(86_400), z.iso.datetime({ precision: 3 })], {
  error: limitedError,
});

const words = z.string().min(1).max(10_000);
const flag = z.literal(true).optional();

const played = {
  line: words.optional().meta({ description: 'A progress line, said first.' }),
  delay: Delay.optional(),
  edits: z.array(Edit).max(1000).optional().meta({ description: 'Files written or deleted.' }),
  runs: words.optional().meta({
    description:
      'A shell command run to its end in the working directory, after the edits and before the result. Its output goes nowhere and its exit code counts for nothing.',
  }),
  leaves_process: words.optional().meta({
    description: 'A shell command started in the background; it outlives the worker and must be swept.',
  }),
  denied: z
    .union([words, z.array(words)], { error: 'expected a text or a list of texts' })
    .optional()
    .meta({ description: 'Permissions the worker asked for and did not get.' }),
  huge: z
    .int()
    .min(1)
    .max(256 * 1024 * 1024)
    .optional()
    .meta({ description: 'Prints that many bytes of text before the result.' }),
  usage: Usage.optional().meta({ description: 'What the call says it used; null is unknown.' }),
  usage_steps: z.array(UsageStep).max(100).optional().meta({
    description:
      'What the call says it has used so far, on the way: each after its own delay, before the edits.',
  }),
  result: z.unknown().optional().meta({ description: 'The result of the role, as its schema wants it.' }),
  channel: z
    .enum(['stream', 'file', 'text'])
    .optional()
    .meta({ description: 'How the result is given: structured output, the result file, or a JSON block.' }),
  garbage: z.string().optional().meta({ description: 'Printed as the final text instead of a result.' }),
  silence: flag.meta({ description: 'Ends with no text at all.' }),
  no_result: flag.meta({ description: 'Says that it is done and gives no result.' }),
  hang: flag.meta({ description: 'Never ends; the result, if any, comes before.' }),
  crash: flag.meta({ description: 'Dies by a signal; the result, if any, comes before.' }),
  limited: Limited.optional().meta({
    description:
      'The provider takes no more calls: for so many seconds, until that time, or true where it does not say.',
  }),
  exit: z.int().min(0).max(255).optional().meta({ description: 'Ends with this code, after all else.' }),
};

const ENDINGS = ['hang', 'crash', 'limited', 'exit'] as const;
const ANSWERS = ['result', 'garbage', 'silence', 'no_result'] as const;

/** The error of an entry whose fields are all well formed; null if there is none. */
function complain(entry: { readonly [field: string]: unknown }): string | null {
  const answers = ANSWERS.filter((field) => entry[field] !== undefined);
  const endings = ENDINGS.filter((field) => entry[field] !== undefined);
  if (answers.length > 1) return `expected at most one of ${ANSWERS.join(', ')}; found ${answers.join(', ')}`;
  if (endings.length > 1) return `expected at most one of ${ENDINGS.join(', ')}; found ${endings.join(', ')}`;
  if (answers.length + endings.length === 0 && entry.huge === undefined) {
    return `expected a result or how it fails: one of ${[...ANSWERS, ...ENDINGS, 'huge'].join(', ')}`;
  }
  if (entry.channel !== undefined && entry.result === undefined) return 'channel needs a result';
  return null;
}

function checkEntry(entry: { readonly [field: string]: unknown }, ctx: z.RefinementCtx): void {
  const message = complain(entry);
  if (message !== null) ctx.addIssue({ code: 'custom', message });
}

const Attempt = z.strictObject(played).superRefine(checkEntry).meta({ id: 'attempt' });
const Entry = z
  .strictObject({
    ...played,
    attempts: z.array(Attempt).min(1).max(20).optional().meta({
      description: 'What attempts 2, 3, ... of the same call do. One that is not listed is played by `else`.',
    }),
  })
  .superRefine(checkEntry)
  .meta({ id: 'entry' });

/**
 * A script: what the rehearsal agent plays, by role, n-th call of the role in the run, and attempt. Unknown fields are
 * rejected. The whole script can be written as JSON.
 */
export const Script = z.strictObject({
  script: z.literal(1),
  language: z.string().min(2).max(20).default('en'),
  offers: z
    .array(z.string().min(1).max(200))
    .max(50)
    .default([])
    .meta({ description: 'Named agents or skills a role may be bound to in baton.yaml.' }),
  roles: z
    .object({ else: Entry.optional().meta({ description: 'Played for every call and attempt not listed.' }) })
    .catchall(z.array(Entry).min(1).max(1000)),
});
export type Script = z.infer<typeof Script>;

/** One attempt of a script: an entry without its further attempts. */
export type ScriptAttempt = z.infer<typeof Attempt>;
export type ScriptEntry = z.infer<typeof Entry>;

/** The fields allowed in each kind of map, for error messages. */
export const SCRIPT_FIELDS = {
  script: Object.keys(Script.shape),
  entry: [...Object.keys(played), 'attempts'],
  attempt: Object.keys(played),
  edit: Object.keys(Edit.shape),
  usage: Object.keys(Usage.shape),
  usage_step: Object.keys(UsageStep.shape),
} as const;
