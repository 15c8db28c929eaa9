import type { AgentCall } from '../../ports/agent.ts';
import { closeBy, judgeGone } from '../agent-process/judge.ts';
import type { Closing, Reader, Spoken } from '../agent-process/program.ts';
import { type ToolWords, tellTool } from '../agent-process/tell-tool.ts';
import { type Block, countTokens, type Line, type LineOf, readLine } from './lines.ts';

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
      const line = readLine(text);
      return line === null ? [] : TAKE[line.type](line as never, heard);
    },
    gone: (exit, stderr) => judgeGone(exit, { words: stderr, sign_in: SIGN_IN }),
  };
}

type Take = { [Type in Line['type']]: (line: LineOf<Type>, heard: Heard) => Spoken[] };

const TAKE: Take = {
  system: (line, heard) => {
    if (line.subtype === 'init' && line.session_id) return [{ type: 'session', id: line.session_id }];
    if (line.subtype === 'api_retry') return [{ type: 'progress', line: tellRetry(line) }];
    if (line.subtype === 'permission_denied') return deny(line.tool_use_id, line.tool_name, heard);
    return [];
  },
  assistant: readAssistant,
  user: ({ message }, heard) =>
    message.content.filter(isRefusal).flatMap(({ tool_use_id: id }) => deny(id, undefined, heard)),
  rate_limit_event: ({ rate_limit_info: { status, resetsAt } }, heard) => {
    if (status === 'rejected' && resetsAt) heard.resets = new Date(resetsAt * 1000);
    return [];
  },
  result: readResult,
};

function tellRetry({ attempt, max_retries, error_status }: LineOf<'system'>): string {
  const why = error_status ? `the provider answered ${error_status}` : 'the provider did not answer';
  return `asks again, ${attempt} of ${max_retries}: ${why}`;
}

function readAssistant(line: LineOf<'assistant'>, heard: Heard): Spoken[] {
  const { message, timestamp } = line;
  if (timestamp) heard.at = new Date(timestamp);
  const said = message.content.flatMap((block) => readBlock(block, line, heard));
  const tokens = countTokens(message.usage);
  if (message.id === undefined || tokens === 0 || heard.tokens.get(message.id) === tokens) return said;
  heard.tokens.set(message.id, tokens);
  return [...said, { type: 'usage', usage: { money_usd: null, tokens: sum(heard.tokens.values()) } }];
}

/** An error of the provider and the words of a helper are not the worker's own. */
function readBlock(block: Block, line: LineOf<'assistant'>, heard: Heard): Spoken[] {
  const { type, text, id = '', name = '', input } = block;
  if (type === 'tool_use') {
    const words = tellTool(TOOLS, name, input, heard.tree);
    heard.uses.set(id, words);
    return [{ type: 'progress', line: words }];
  }
  const own = type === 'text' && !line.parent_tool_use_id && !line.is_api_error_message;
  return own && text ? [{ type: 'text', text }] : [];
}

/** A tool the profile does not have is answered as an error, without a permission line. */
function isRefusal({ type, is_error, content }: Block): boolean {
  return (
    type === 'tool_result' && is_error === true && /No such tool available/.test(JSON.stringify(content))
  );
}

function deny(id = '', otherwise = 'a tool', heard: Heard): Spoken[] {
  if (heard.denied.has(id)) return [];
  heard.denied.add(id);
  return [{ type: 'denied', what: heard.uses.get(id) ?? otherwise }];
}

function readResult(line: LineOf<'result'>, heard: Heard): Spoken[] {
  const { structured_output: value } = line;
  const denied = line.permission_denials.flatMap(({ tool_use_id: id, tool_name: tool, tool_input: input }) =>
    deny(id, tellTool(TOOLS, tool, input, heard.tree), heard),
  );
  const result: Spoken[] = value === undefined || value === null ? [] : [{ type: 'result', value }];
  return [...denied, ...result, usageOf(line, heard), closingOf(line, heard)];
}

/** The count by model has everything, also where a stop left the plain one empty. No price is unknown, not free. */
function usageOf({ total_cost_usd: cost, modelUsage = {}, usage }: LineOf<'result'>, heard: Heard): Spoken {
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

function closingOf(line: LineOf<'result'>, heard: Heard): Closing {
  const { subtype, terminal_reason = '', is_error, result, errors } = line;
  if (subtype === 'success' && is_error === false)
    return { type: 'closing', outcome: 'finished', detail: '' };
  const stop = STOPS.find(([when]) => when.test(subtype) || when.test(terminal_reason));
  if (stop) return { type: 'closing', outcome: stop[1], detail: stop[2] };
  const words = result ?? errors?.join('; ') ?? subtype;
  const status = line.api_error_status ?? null;
  const closing = closeBy({ words, status, at: heard.at, sign_in: SIGN_IN });
  if (closing.outcome !== 'limited' || heard.resets === null) return closing;
  return { ...closing, until: heard.resets.toISOString() };
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const n of numbers) all += n;
  return all;
}
