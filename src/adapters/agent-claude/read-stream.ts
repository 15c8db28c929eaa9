import type { AgentCall } from '../../ports/agent.ts';
import { entryOf, parseLine } from '../agent-process/json-line.ts';
import { judge, judgeGone } from '../agent-process/judge.ts';
import type { Closing, Reader, Spoken } from '../agent-process/program.ts';
import { toolWords } from './tool-words.ts';

const SIGN_IN = 'sign in with `claude` once, or set ANTHROPIC_API_KEY';

/** The parts of a line we read; everything may be missing in another version. */
interface Line {
  readonly type?: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly timestamp?: string;
  readonly parent_tool_use_id?: string | null;
  readonly message?: { readonly id?: string; readonly content?: unknown; readonly usage?: Counted };
  readonly is_api_error_message?: boolean;
  readonly tool_use_id?: string;
  readonly tool_name?: string;
  readonly attempt?: number;
  readonly max_retries?: number;
  readonly error_status?: number | null;
  readonly rate_limit_info?: { readonly status?: string; readonly resetsAt?: number };
}

interface ResultLine extends Line {
  readonly is_error?: boolean;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  readonly terminal_reason?: string;
  readonly structured_output?: unknown;
  readonly total_cost_usd?: number;
  readonly usage?: Counted;
  readonly modelUsage?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly permission_denials?: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input?: Readonly<Record<string, unknown>>;
  }[];
}

type Counted = Readonly<Record<string, unknown>>;

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}

/** What the stream has said so far. */
interface Heard {
  readonly tree: string;
  /** What each use of a tool was called. */
  readonly uses: Map<string, string>;
  readonly denied: Set<string>;
  /** Tokens by message: a message comes in several lines, each with the whole count. */
  readonly tokens: Map<string, number>;
  /** When the last line that tells its time was said. */
  at: Date | null;
  /** When the provider takes calls again, as it told by itself. */
  resets: Date | null;
}

/** Reads the stream of `claude -p --output-format stream-json`. */
export function createClaudeReader({ cwd }: AgentCall): Reader {
  const heard: Heard = {
    tree: cwd,
    uses: new Map(),
    denied: new Set(),
    tokens: new Map(),
    at: null,
    resets: null,
  };
  return {
    read: (text) => {
      const line = parseLine<Line>(text);
      if (line?.timestamp) heard.at = new Date(line.timestamp);
      return entryOf(LINES, line?.type)?.(line as never, heard) ?? [];
    },
    gone: (exit, stderr) => judgeGone(exit, { words: stderr, sign_in: SIGN_IN }),
  };
}

const LINES: Readonly<Record<string, (line: never, heard: Heard) => Spoken[]>> = {
  system: (line: Line, heard) => entryOf(SYSTEM, line.subtype)?.(line, heard) ?? [],
  assistant: readAssistant,
  user: (line: Line, heard) =>
    blocks(line).flatMap((block) => (isRefusal(block) ? deny(block.tool_use_id ?? '', 'a tool', heard) : [])),
  rate_limit_event: ({ rate_limit_info: limit }: Line, heard) => {
    if (limit?.status === 'rejected' && limit.resetsAt) heard.resets = new Date(limit.resetsAt * 1000);
    return [];
  },
  result: readResult,
};

const SYSTEM: Readonly<Record<string, (line: Line, heard: Heard) => Spoken[]>> = {
  init: ({ session_id }) => (session_id ? [{ type: 'session', id: session_id }] : []),
  api_retry: ({ attempt, max_retries, error_status }) => {
    const why = error_status ? `the provider answered ${error_status}` : 'the provider did not answer';
    return [{ type: 'progress', line: `asks again, ${attempt} of ${max_retries}: ${why}` }];
  },
  permission_denied: ({ tool_use_id = '', tool_name = '' }, heard) => deny(tool_use_id, tool_name, heard),
};

function readAssistant(line: Line, heard: Heard): Spoken[] {
  const { message, parent_tool_use_id: parent } = line;
  const said: Spoken[] = [];
  for (const block of blocks(line)) {
    if (block.type === 'tool_use') said.push({ type: 'progress', line: nameUse(block, heard) });
    // An error of the provider and the words of a helper are not the worker's own.
    if (block.type === 'text' && block.text && !parent && !line.is_api_error_message)
      said.push({ type: 'text', text: block.text });
  }
  const tokens = countTokens(message?.usage);
  if (message?.id === undefined || tokens === 0 || heard.tokens.get(message.id) === tokens) return said;
  heard.tokens.set(message.id, tokens);
  return [...said, { type: 'usage', usage: { money_usd: null, tokens: sum(heard.tokens.values()) } }];
}

function nameUse({ id = '', name = '', input = {} }: Block, heard: Heard): string {
  const words = toolWords(name, input, heard.tree);
  heard.uses.set(id, words);
  return words;
}

/** A tool the profile does not have is answered as an error, without a permission line. */
function isRefusal({ type, is_error, content }: Block): boolean {
  return (
    type === 'tool_result' && is_error === true && /No such tool available/.test(JSON.stringify(content))
  );
}

function deny(id: string, otherwise: string, heard: Heard): Spoken[] {
  if (heard.denied.has(id)) return [];
  heard.denied.add(id);
  return [{ type: 'denied', what: heard.uses.get(id) ?? otherwise }];
}

function readResult(line: ResultLine, heard: Heard): Spoken[] {
  const { structured_output: value, permission_denials: denials = [] } = line;
  return [
    ...denials.flatMap(({ tool_use_id: id, tool_name, tool_input = {} }) =>
      deny(id, toolWords(tool_name, tool_input, heard.tree), heard),
    ),
    ...(value === undefined || value === null ? [] : [{ type: 'result', value } as const]),
    usageOf(line, heard),
    closingOf(line, heard),
  ];
}

/** The count by model has everything, also where a stop left the plain one empty. No price is unknown, not free. */
function usageOf({ total_cost_usd: cost, modelUsage = {}, usage }: ResultLine, heard: Heard): Spoken {
  const counted = sum(Object.values(modelUsage).map(countTokens)) || countTokens(usage);
  const tokens = counted || sum(heard.tokens.values());
  const money_usd = cost === undefined || (cost === 0 && tokens > 0) ? null : cost;
  return { type: 'usage', usage: { money_usd, tokens } };
}

/** Ends that are no complaint of the provider. `success` alone means nothing: an error of the API is one as well. */
const STOPS: readonly (readonly [RegExp, Closing['outcome'], string])[] = [
  [/^error_max_budget/, 'failed', 'it spent the money it was given'],
  [/^error_max_turns/, 'failed', 'it took more turns than it may'],
  [/^error_max_structured_output/, 'failed', 'its result did not fit the schema'],
  [/^aborted/, 'unavailable', 'interrupted from outside'],
];

function closingOf(line: ResultLine, heard: Heard): Closing {
  const { subtype = '', terminal_reason = '', is_error, result, errors } = line;
  if (subtype === 'success' && is_error === false)
    return { type: 'closing', outcome: 'finished', detail: '' };
  const stop = STOPS.find(([when]) => when.test(subtype) || when.test(terminal_reason));
  if (stop) return { type: 'closing', outcome: stop[1], detail: stop[2] };
  const words = result ?? errors?.join('; ') ?? subtype;
  const verdict = judge({ words, status: line.api_error_status ?? null, at: heard.at, sign_in: SIGN_IN });
  const closing = { ...verdict, type: 'closing' } as Closing;
  if (verdict.outcome !== 'limited' || heard.resets === null) return closing;
  return { ...closing, until: heard.resets.toISOString() };
}

function blocks({ message }: Line): readonly Block[] {
  return Array.isArray(message?.content) ? (message.content as Block[]) : [];
}

/** All that was read or written, in the words of a message (`input_tokens`) or of a model (`inputTokens`). */
function countTokens(usage: Counted | undefined): number {
  const names = /^(input|output|cache_?creation_?input|cache_?read_?input)_?tokens$/i;
  return sum(
    Object.entries(usage ?? {}).map(([name, n]) => (names.test(name) && typeof n === 'number' ? n : 0)),
  );
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const n of numbers) all += n;
  return all;
}
