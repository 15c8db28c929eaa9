import type { AgentCall } from '../../ports/agent.ts';
import { closeBy, judgeGone } from '../agent-process/judge.ts';
import type { Closing, Reader, Session, Spoken } from '../agent-process/program.ts';
import { pathIn, shortLine } from '../agent-process/short-line.ts';
import { type Item, type Line, type LineOf, plainWords, readLine, readObject } from './lines.ts';
import { toStrict, withoutNulls } from './strict-schema.ts';

const SIGN_IN =
  'sign in with `codex login`, or set CODEX_API_KEY; the key of another provider is named under `env` in baton.yaml';

/** What the stream has said so far. */
interface Heard {
  readonly call: AgentCall;
  /** Tokens of the session that were counted before; a turn tells the sum of all. */
  readonly told: number;
  /** When the session began: its id is the only thing in the stream that tells a time. */
  began: Date | null;
  /** The last message: with a schema it is the result. */
  last: string;
  /** The last error, for a program that dies before it tells its end. */
  error: string;
}

/** Reads the stream of `codex exec --json`. */
export function createCodexReader(call: AgentCall, session: Session | null): Reader {
  const heard: Heard = { call, told: session?.told ?? 0, began: null, last: '', error: '' };
  return {
    read: (text) => {
      const line = readLine(text);
      return line === null ? [] : TAKE[line.type](line as never, heard);
    },
    gone: (exit, stderr) => judgeGone(exit, { words: heard.error || stderr, sign_in: SIGN_IN }),
    afterwards: (stderr) =>
      stderr.split('\n').flatMap((line) => {
        const what = /(patch rejected: .*?)(;|$)/.exec(line)?.[1];
        return what ? [{ type: 'denied', what: shortLine(what) } as const] : [];
      }),
  };
}

type Take = { [Type in Line['type']]: (line: LineOf<Type>, heard: Heard) => Spoken[] };

const TAKE: Take = {
  'thread.started': ({ thread_id: id }, heard) => {
    heard.began = timeIn(id);
    return [{ type: 'session', id }];
  },
  'item.started': ({ item }) => tellStart(item),
  'item.completed': ({ item }, heard) => COMPLETED[item.type]?.(item as never, heard) ?? [],
  error: readError,
  'turn.failed': ({ error }, heard) => [closing(error?.message ?? heard.error, heard)],
  'turn.completed': readTurn,
};

function tellStart(item: Item): Spoken[] {
  if (item.type === 'command_execution') return [progress(runs(item))];
  if (item.type === 'web_search') return [progress(`searches the web for ${item.query}`)];
  return item.type === 'mcp_tool_call' ? [progress(`uses ${item.server}/${item.tool}`)] : [];
}

type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>;
type Complete = { [Type in Item['type']]?: (item: ItemOf<Type>, heard: Heard) => Spoken[] };

const COMPLETED: Complete = {
  agent_message: ({ text }, heard) => {
    heard.last = text;
    return text === '' ? [] : [{ type: 'text', text }];
  },
  // Most refused commands and patches leave no line at all: see `afterwards`, and the tree is compared anyway.
  command_execution: (item) => (isRefused(item) ? [{ type: 'denied', what: shortLine(runs(item)) }] : []),
  file_change: ({ changes, status }, { call }) => {
    const words = `edits ${changes.map(({ path }) => pathIn(call.cwd, path)).join(', ')}`;
    return [status === 'failed' ? { type: 'denied', what: shortLine(words) } : progress(words)];
  },
};

function isRefused({ status, aggregated_output: output }: ItemOf<'command_execution'>): boolean {
  return status === 'declined' || (status === 'failed' && /read-only file system/i.test(output));
}

/** The command itself, without the shell it is given to. */
function runs({ command }: ItemOf<'command_execution'>): string {
  const inner = /^\S*sh -l?c (.*)$/s.exec(command)?.[1] ?? command;
  return `runs ${inner.replace(/^(['"])(.*)\1$/s, '$2')}`;
}

function progress(words: string): Spoken {
  return { type: 'progress', line: shortLine(words) };
}

/**
 * An error is followed by the turn's end, or by another try. Two are an end of their own: at a quota the program waits
 * in silence for as long as the provider says, and without a network for ever, saying so now and then. Should it go on
 * all the same, its later end counts.
 */
function readError({ message }: LineOf<'error'>, heard: Heard): Spoken[] {
  heard.error = message;
  const [, tries, why = ''] = RECONNECTS.exec(message) ?? [];
  if (tries === undefined) return [];
  const again = progress(`asks again, ${tries.replace('/', ' of ')}: ${why}`);
  if (tries === NO_NETWORK) return [again, closing(`${tries}: ${why}`, heard)];
  return /\b429\b/.test(why) ? [again, closing(why, heard)] : [again];
}

const NO_NETWORK = 'waiting for network';
const RECONNECTS = new RegExp(`^Reconnecting\\W*(\\d+/\\d+|${NO_NETWORK}) \\((.*)\\)$`, 's');

function closing(message: string, { began }: Heard): Closing {
  return closeBy({ words: plainWords(message), at: began, sign_in: SIGN_IN });
}

/** The time in an id of version 7; null in any other. */
function timeIn(id: string): Date | null {
  const digits = id.replaceAll('-', '');
  return /^[0-9a-f]{12}7/i.test(digits) ? new Date(Number.parseInt(digits.slice(0, 12), 16)) : null;
}

function readTurn({ usage }: LineOf<'turn.completed'>, heard: Heard): Spoken[] {
  const tokens = usage ? Math.max(0, usage.input_tokens + usage.output_tokens - heard.told) : null;
  return [
    ...resultOf(heard),
    { type: 'usage', usage: { money_usd: null, tokens } },
    { type: 'closing', outcome: 'finished', detail: '' },
  ];
}

/** With a schema the last message is the value itself; whether it fits is not checked by the program. */
function resultOf({ call: { schema }, last }: Heard): Spoken[] {
  const value = toStrict(schema) ? readObject(last) : null;
  return value === null ? [] : [{ type: 'result', value: withoutNulls(value, schema) }];
}
