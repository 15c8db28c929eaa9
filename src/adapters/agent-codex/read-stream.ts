import * as z from 'zod';
import type { AgentCall } from '../../ports/agent.ts';
import { closeBy, judgeGone } from '../agent-process/judge.ts';
import { pathIn, readJsonLine, shortLine } from '../agent-process/lines.ts';
import type { Closing, Reader, Session, Spoken } from '../agent-process/program.ts';
import { toStrict, withoutNulls } from './strict-schema.ts';

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
type Item = z.infer<typeof Item>;

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
type Line = z.infer<typeof Line>;
type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

const Answer = z.object({ error: z.object({ message: z.string() }) });

/** The message of a provider's JSON answer. Any other text is returned unchanged. */
function plainWords(words: string): string {
  return readJsonLine(Answer, words)?.error.message ?? words;
}

/** Parses a message that is one JSON object; null for any other message. */
function readObject(text: string): Readonly<Record<string, unknown>> | null {
  return readJsonLine(z.record(z.string(), z.unknown()), text);
}

const SIGN_IN =
  'sign in with `codex login`, or set CODEX_API_KEY; the key of another provider is named under `env` in baton.yaml';

/** What the stream has reported so far. */
interface StreamState {
  readonly call: AgentCall;
  /** Tokens of the session that were counted before. A turn reports the sum of all turns. */
  readonly counted: number;
  /** When the session began. Its id is the only item in the stream that contains a time. */
  began: Date | null;
  /** The last message. With a schema it is the result. */
  last: string;
  /** The last error, for a program that dies before it reports its end. */
  error: string;
}

/** Reads the stream of `codex exec --json`. */
export function createCodexReader(call: AgentCall, session: Session | null): Reader {
  const streamState: StreamState = { call, counted: session?.counted ?? 0, began: null, last: '', error: '' };
  return {
    read: (text) => {
      const line = readJsonLine(Line, text);
      return line === null ? [] : TAKE[line.type](line as never, streamState);
    },
    gone: (exit, stderr) => judgeGone(exit, { words: streamState.error || stderr, sign_in: SIGN_IN }),
    afterwards: (stderr) =>
      stderr.split('\n').flatMap((line) => {
        const what = /(patch rejected: .*?)(;|$)/.exec(line)?.[1];
        return what ? [{ type: 'denied', what: shortLine(what) } as const] : [];
      }),
  };
}

type Take = { [Type in Line['type']]: (line: LineOf<Type>, streamState: StreamState) => Spoken[] };

const TAKE: Take = {
  'thread.started': ({ thread_id: id }, streamState) => {
    streamState.began = timeIn(id);
    return [{ type: 'session', id }];
  },
  'item.started': ({ item }) => reportStart(item),
  'item.completed': ({ item }, streamState) => COMPLETED[item.type]?.(item as never, streamState) ?? [],
  error: readError,
  'turn.failed': ({ error }, streamState) => [closing(error?.message ?? streamState.error, streamState)],
  'turn.completed': readTurn,
};

function reportStart(item: Item): Spoken[] {
  if (item.type === 'command_execution') return [progress(runs(item))];
  if (item.type === 'web_search') return [progress(`searches the web for ${item.query}`)];
  return item.type === 'mcp_tool_call' ? [progress(`uses ${item.server}/${item.tool}`)] : [];
}

type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>;
type Complete = { [Type in Item['type']]?: (item: ItemOf<Type>, streamState: StreamState) => Spoken[] };

const COMPLETED: Complete = {
  agent_message: ({ text }, streamState) => {
    streamState.last = text;
    return text === '' ? [] : [{ type: 'text', text }];
  },
  // Most refused commands and patches leave no line. See `afterwards`. The tree is compared anyway.
  command_execution: (item) => (isRefused(item) ? [{ type: 'denied', what: shortLine(runs(item)) }] : []),
  file_change: ({ changes, status }, { call }) => {
    const words = `edits ${changes.map(({ path }) => pathIn(call.cwd, path)).join(', ')}`;
    return [status === 'failed' ? { type: 'denied', what: shortLine(words) } : progress(words)];
  },
};

function isRefused({ status, aggregated_output: output }: ItemOf<'command_execution'>): boolean {
  return status === 'declined' || (status === 'failed' && /read-only file system/i.test(output));
}

/** Describes the command itself, without the shell that runs it. */
function runs({ command }: ItemOf<'command_execution'>): string {
  const inner = /^\S*sh -l?c (.*)$/s.exec(command)?.[1] ?? command;
  return `runs ${inner.replace(/^(['"])(.*)\1$/s, '$2')}`;
}

function progress(words: string): Spoken {
  return { type: 'progress', line: shortLine(words) };
}

/**
 * After an error the turn ends or the program retries. Two errors count as an end. At a quota the program waits
 * silently for as long as the provider says. Without a network it waits for ever and reports that now and then. If it
 * continues anyway, its later end counts.
 */
function readError({ message }: LineOf<'error'>, streamState: StreamState): Spoken[] {
  streamState.error = message;
  const [, tries, why = ''] = RECONNECTS.exec(message) ?? [];
  if (tries === undefined) return [];
  const again = progress(`asks again, ${tries.replace('/', ' of ')}: ${why}`);
  if (tries === NO_NETWORK) return [again, closing(`${tries}: ${why}`, streamState)];
  return /\b429\b/.test(why) ? [again, closing(why, streamState)] : [again];
}

const NO_NETWORK = 'waiting for network';
const RECONNECTS = new RegExp(`^Reconnecting\\W*(\\d+/\\d+|${NO_NETWORK}) \\((.*)\\)$`, 's');

function closing(message: string, { began }: StreamState): Closing {
  return closeBy({ words: plainWords(message), at: began, sign_in: SIGN_IN });
}

/** The time in an id of version 7; null for any other id. */
function timeIn(id: string): Date | null {
  const digits = id.replaceAll('-', '');
  return /^[0-9a-f]{12}7/i.test(digits) ? new Date(Number.parseInt(digits.slice(0, 12), 16)) : null;
}

function readTurn({ usage }: LineOf<'turn.completed'>, streamState: StreamState): Spoken[] {
  const tokens = usage ? Math.max(0, usage.input_tokens + usage.output_tokens - streamState.counted) : null;
  return [
    ...resultOf(streamState),
    { type: 'usage', usage: { money_usd: null, tokens } },
    { type: 'closing', outcome: 'finished', detail: '' },
  ];
}

/** With a schema the last message is the result itself. The program does not check that it fits the schema. */
function resultOf({ call: { schema }, last }: StreamState): Spoken[] {
  const value = toStrict(schema) ? readObject(last) : null;
  return value === null ? [] : [{ type: 'result', value: withoutNulls(value, schema) }];
}
