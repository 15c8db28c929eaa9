import * as z from 'zod';
import type { AgentCall } from '../../ports/agent.ts';
import { closeBy, judgeGone } from '../agent-process/judge.ts';
import { readJsonLine, reportTool, type ToolWords } from '../agent-process/lines.ts';
import type { Closing, Reader, Spoken } from '../agent-process/program.ts';

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
type Block = z.infer<typeof Block>;

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
type Line = z.infer<typeof Line>;
type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

/** All tokens read or written, by the field names of a message (`input_tokens`) or of a model (`inputTokens`). */
function countTokens(usage: z.infer<typeof Counted> | undefined): number {
  const names = /^(input|output|cache_?creation_?input|cache_?read_?input)_?tokens$/i;
  return Object.entries(usage ?? {}).reduce(
    (all, [name, n]) => (names.test(name) && typeof n === 'number' ? all + n : all),
    0,
  );
}

const SIGN_IN = 'sign in with `claude auth login`, or set ANTHROPIC_API_KEY';

const TOOLS: ToolWords = {
  Bash: ['runs', 'command'],
  Read: ['reads', 'file_path'],
  Write: ['edits', 'file_path'],
  Edit: ['edits', 'file_path'],
  NotebookEdit: ['edits', 'notebook_path'],
  Glob: ['looks for', 'pattern'],
  Grep: ['searches for', 'pattern'],
  StructuredOutput: ['gives its result'],
};

/** What the stream has reported so far. */
interface StreamState {
  readonly tree: string;
  /** The description of each tool call, by its id. */
  readonly uses: Map<string, string>;
  readonly denied: Set<string>;
  /** Tokens by message. A message comes in several lines, each with the whole count. */
  readonly tokens: Map<string, number>;
  /** The time of the last line that has one. */
  at: Date | null;
  /** When the provider takes calls again, according to its rate limit event. */
  resets: Date | null;
}

/** Reads the stream of `claude -p --output-format stream-json`. */
export function createClaudeReader({ cwd }: AgentCall): Reader {
  const streamState: StreamState = {
    tree: cwd,
    uses: new Map(),
    denied: new Set(),
    tokens: new Map(),
    at: null,
    resets: null,
  };
  return {
    read: (text) => {
      const line = readJsonLine(Line, text);
      return line === null ? [] : TAKE[line.type](line as never, streamState);
    },
    gone: (exit, stderr) => judgeGone(exit, { words: stderr, sign_in: SIGN_IN }),
  };
}

type Take = { [Type in Line['type']]: (line: LineOf<Type>, streamState: StreamState) => Spoken[] };

const TAKE: Take = {
  system: (line, streamState) => {
    if (line.subtype === 'init' && line.session_id) return [{ type: 'session', id: line.session_id }];
    if (line.subtype === 'api_retry') return [{ type: 'progress', line: reportRetry(line) }];
    if (line.subtype === 'permission_denied') return deny(line.tool_use_id, line.tool_name, streamState);
    return [];
  },
  assistant: readAssistant,
  user: ({ message }, streamState) =>
    message.content.filter(isRefusal).flatMap(({ tool_use_id: id }) => deny(id, undefined, streamState)),
  rate_limit_event: ({ rate_limit_info: { status, resetsAt } }, streamState) => {
    if (status === 'rejected' && resetsAt) streamState.resets = new Date(resetsAt * 1000);
    return [];
  },
  result: readResult,
};

function reportRetry({ attempt, max_retries, error_status }: LineOf<'system'>): string {
  const why = error_status ? `the provider answered ${error_status}` : 'the provider did not answer';
  return `asks again, ${attempt} of ${max_retries}: ${why}`;
}

function readAssistant(line: LineOf<'assistant'>, streamState: StreamState): Spoken[] {
  const { message, timestamp } = line;
  if (timestamp) streamState.at = new Date(timestamp);
  const said = message.content.flatMap((block) => readBlock(block, line, streamState));
  const tokens = countTokens(message.usage);
  if (message.id === undefined || tokens === 0 || streamState.tokens.get(message.id) === tokens) return said;
  streamState.tokens.set(message.id, tokens);
  return [...said, { type: 'usage', usage: { money_usd: null, tokens: sum(streamState.tokens.values()) } }];
}

/** Text of a provider error or of a subagent does not count as the worker's own. */
function readBlock(block: Block, line: LineOf<'assistant'>, streamState: StreamState): Spoken[] {
  const { type, text, id = '', name = '', input } = block;
  if (type === 'tool_use') {
    const words = reportTool(TOOLS, name, input, streamState.tree);
    streamState.uses.set(id, words);
    return [{ type: 'progress', line: words }];
  }
  const own = type === 'text' && !line.parent_tool_use_id && !line.is_api_error_message;
  return own && text ? [{ type: 'text', text }] : [];
}

/** A tool that the profile does not have is answered with an error, without a permission line. */
function isRefusal({ type, is_error, content }: Block): boolean {
  return (
    type === 'tool_result' && is_error === true && /No such tool available/.test(JSON.stringify(content))
  );
}

function deny(id = '', otherwise = 'a tool', streamState: StreamState): Spoken[] {
  if (streamState.denied.has(id)) return [];
  streamState.denied.add(id);
  return [{ type: 'denied', what: streamState.uses.get(id) ?? otherwise }];
}

function readResult(line: LineOf<'result'>, streamState: StreamState): Spoken[] {
  const { structured_output: value } = line;
  const denied = line.permission_denials.flatMap(({ tool_use_id: id, tool_name: tool, tool_input: input }) =>
    deny(id, reportTool(TOOLS, tool, input, streamState.tree), streamState),
  );
  const result: Spoken[] = value === undefined || value === null ? [] : [{ type: 'result', value }];
  return [...denied, ...result, usageOf(line, streamState), closingOf(line, streamState)];
}

/** The count by model is complete, even if a stop left the plain one empty. A missing price means unknown, not free. */
function usageOf(
  { total_cost_usd: cost, modelUsage = {}, usage }: LineOf<'result'>,
  streamState: StreamState,
): Spoken {
  const counted = sum(Object.values(modelUsage).map(countTokens)) || countTokens(usage);
  const tokens = counted || sum(streamState.tokens.values());
  const money_usd = cost === undefined || (cost === 0 && tokens > 0) ? null : cost;
  return { type: 'usage', usage: { money_usd, tokens } };
}

/**
 * Ends that are not errors of the provider. `success` alone proves nothing, because an API error has that subtype too.
 */
const STOPS: readonly (readonly [RegExp, Closing['outcome'], string])[] = [
  [/^error_max_budget/, 'failed', 'it spent the money it was given'],
  [/^error_max_turns/, 'failed', 'it took more turns than it may'],
  [/^error_max_structured_output/, 'failed', 'its result did not fit the schema'],
  [/^aborted/, 'unavailable', 'interrupted from outside'],
];

function closingOf(line: LineOf<'result'>, streamState: StreamState): Closing {
  const { subtype, terminal_reason = '', is_error, result, errors } = line;
  if (subtype === 'success' && is_error === false)
    return { type: 'closing', outcome: 'finished', detail: '' };
  const stop = STOPS.find(([when]) => when.test(subtype) || when.test(terminal_reason));
  if (stop) return { type: 'closing', outcome: stop[1], detail: stop[2] };
  const words = result ?? errors?.join('; ') ?? subtype;
  const status = line.api_error_status ?? null;
  const closing = closeBy({ words, status, at: streamState.at, sign_in: SIGN_IN });
  if (closing.outcome !== 'limited' || streamState.resets === null) return closing;
  return { ...closing, until: streamState.resets.toISOString() };
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const n of numbers) all += n;
  return all;
}
