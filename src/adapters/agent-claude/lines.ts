import * as z from 'zod';
import { readJsonLine } from '../agent-process/json-line.ts';

/** A field that another version of the program may omit or write differently. The rest of its line still counts. */
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The largest number of seconds since 1970 that is a valid date. */
const LATEST = 8.64e12;

const Counted = z.record(z.string(), z.unknown());
const Input = z.record(z.string(), z.unknown());

const Block = z.object({
  type: z.string(),
  text: maybe(z.string()),
  id: maybe(z.string()),
  name: maybe(z.string()),
  input: maybe(Input),
  tool_use_id: maybe(z.string()),
  is_error: maybe(z.boolean()),
  content: z.unknown().optional(),
});
export type Block = z.infer<typeof Block>;

const Message = z.object({
  id: maybe(z.string()),
  content: z.array(Block).catch([]),
  usage: maybe(Counted),
});

/** The lines of `--output-format stream-json` that Baton reads. */
const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: maybe(z.string()),
    session_id: maybe(z.string()),
    tool_use_id: maybe(z.string()),
    tool_name: maybe(z.string()),
    attempt: maybe(z.number()),
    max_retries: maybe(z.number()),
    error_status: maybe(z.number().nullable()),
  }),
  z.object({
    type: z.literal('assistant'),
    message: Message,
    timestamp: maybe(z.iso.datetime()),
    parent_tool_use_id: maybe(z.string().nullable()),
    is_api_error_message: maybe(z.boolean()),
  }),
  z.object({ type: z.literal('user'), message: Message }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: z.string(), resetsAt: maybe(z.int().max(LATEST)) }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string().catch(''),
    is_error: maybe(z.boolean()),
    result: maybe(z.string()),
    errors: maybe(z.array(z.string())),
    api_error_status: maybe(z.number().nullable()),
    terminal_reason: maybe(z.string()),
    structured_output: z.unknown().optional(),
    total_cost_usd: maybe(z.number()),
    usage: maybe(Counted),
    modelUsage: maybe(z.record(z.string(), Counted)),
    permission_denials: z
      .array(z.object({ tool_name: z.string(), tool_use_id: z.string(), tool_input: maybe(Input) }))
      .catch([]),
  }),
]);
export type Line = z.infer<typeof Line>;
export type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

export function readLine(text: string): Line | null {
  return readJsonLine(Line, text);
}

/** All tokens read or written, by the field names of a message (`input_tokens`) or of a model (`inputTokens`). */
export function countTokens(usage: z.infer<typeof Counted> | undefined): number {
  const names = /^(input|output|cache_?creation_?input|cache_?read_?input)_?tokens$/i;
  return Object.entries(usage ?? {}).reduce(
    (all, [name, n]) => (names.test(name) && typeof n === 'number' ? all + n : all),
    0,
  );
}
