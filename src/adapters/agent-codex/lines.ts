import * as z from 'zod';
import { readJsonLine } from '../agent-process/json-line.ts';

/** An item of an unknown kind is ignored, and so is an unknown line. */
const Item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent_message'), text: z.string() }),
  z.object({
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().catch(''),
    status: z.string().catch(''),
  }),
  z.object({
    type: z.literal('file_change'),
    changes: z.array(z.object({ path: z.string() })),
    status: z.string().catch(''),
  }),
  z.object({ type: z.literal('web_search'), query: z.string().catch('') }),
  z.object({ type: z.literal('mcp_tool_call'), server: z.string(), tool: z.string() }),
]);
export type Item = z.infer<typeof Item>;

/** The lines of `exec --json` that Baton reads. */
const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({ type: z.literal('item.started'), item: Item }),
  z.object({ type: z.literal('item.completed'), item: Item }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({
    type: z.literal('turn.failed'),
    error: z.object({ message: z.string() }).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional().catch(undefined),
  }),
]);
export type Line = z.infer<typeof Line>;
export type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

export function readLine(text: string): Line | null {
  return readJsonLine(Line, text);
}

const Answer = z.object({ error: z.object({ message: z.string() }) });

/** The message of a provider's JSON answer. Any other text is returned unchanged. */
export function plainWords(words: string): string {
  return readJsonLine(Answer, words)?.error.message ?? words;
}

/** Parses a message that is one JSON object; null for any other message. */
export function readObject(text: string): Readonly<Record<string, unknown>> | null {
  return readJsonLine(z.record(z.string(), z.unknown()), text);
}
