import type { AgentCall } from '../../ports/agent.ts';
import { entryOf, parseLine } from '../agent-process/json-line.ts';
import { judge, judgeGone } from '../agent-process/judge.ts';
import type { Closing, Reader, Session, Spoken } from '../agent-process/program.ts';
import { pathIn, shortLine } from '../agent-process/short-line.ts';
import { toStrict, withoutNulls } from './strict-schema.ts';

const SIGN_IN = 'sign in with `codex login` once, or set the key its provider wants';

/** The parts of a line we read; everything may be missing in another version. */
interface Line {
  readonly type?: string;
  readonly thread_id?: string;
  readonly message?: string;
  readonly error?: { readonly message?: string };
  readonly item?: Item;
  readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number };
}

interface Item {
  readonly type?: string;
  readonly text?: string;
  readonly command?: string;
  readonly aggregated_output?: string;
  readonly status?: string;
  readonly changes?: readonly { readonly path: string }[];
  readonly query?: string;
  readonly server?: string;
  readonly tool?: string;
}

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
      const line = parseLine<Line>(text);
      return entryOf(LINES, line?.type)?.(line as Line, heard) ?? [];
    },
    gone: (exit, stderr) => judgeGone(exit, { words: heard.error || stderr, sign_in: SIGN_IN }),
    afterwards: (stderr) =>
      stderr.split('\n').flatMap((line) => {
        const what = /(patch rejected: .*?)(;|$)/.exec(line)?.[1];
        return what ? [{ type: 'denied', what: shortLine(what) } as const] : [];
      }),
  };
}

const LINES: Readonly<Record<string, (line: Line, heard: Heard) => Spoken[]>> = {
  'thread.started': ({ thread_id: id }, heard) => {
    heard.began = id ? timeIn(id) : null;
    return id ? [{ type: 'session', id }] : [];
  },
  'item.started': ({ item }, heard) => entryOf(STARTED, item?.type)?.(item as Item, heard) ?? [],
  'item.completed': ({ item }, heard) => entryOf(COMPLETED, item?.type)?.(item as Item, heard) ?? [],
  error: readError,
  'turn.failed': ({ error }, heard) => [closing(error?.message ?? heard.error, heard)],
  'turn.completed': readTurn,
};

const STARTED: Readonly<Record<string, (item: Item, heard: Heard) => Spoken[]>> = {
  command_execution: (item) => [progress(runs(item))],
  web_search: ({ query = '' }) => [progress(`searches the web for ${query}`)],
  mcp_tool_call: ({ server, tool }) => [progress(`uses ${server}/${tool}`)],
};

const COMPLETED: Readonly<Record<string, (item: Item, heard: Heard) => Spoken[]>> = {
  agent_message: ({ text = '' }, heard) => {
    heard.last = text;
    return text === '' ? [] : [{ type: 'text', text }];
  },
  // Most refused commands and patches leave no line at all: see `afterwards`, and the tree is compared anyway.
  command_execution: (item) => (isRefused(item) ? [{ type: 'denied', what: shortLine(runs(item)) }] : []),
  file_change: (item, { call }) => {
    const files = (item.changes ?? []).map(({ path }) => pathIn(call.cwd, path)).join(', ');
    const words = `edits ${files}`;
    return [item.status === 'failed' ? { type: 'denied', what: shortLine(words) } : progress(words)];
  },
};

function isRefused({ status, aggregated_output: output = '' }: Item): boolean {
  return status === 'declined' || (status === 'failed' && /read-only file system/i.test(output));
}

/** The command itself, without the shell it is given to. */
function runs({ command = '' }: Item): string {
  const inner = /^\S*sh -l?c (.*)$/s.exec(command)?.[1] ?? command;
  return `runs ${inner.replace(/^(['"])(.*)\1$/s, '$2')}`;
}

function progress(words: string): Spoken {
  return { type: 'progress', line: shortLine(words) };
}

/**
 * An error is followed by the turn's end, or by another try. Only a quota is an end of its own: the program then waits
 * in silence for as long as the provider says; should it go on all the same, its later end counts.
 */
function readError({ message = '' }: Line, heard: Heard): Spoken[] {
  heard.error = message;
  const [, tries, why = ''] = /^Reconnecting\W*(\d+\/\d+) \((.*)\)$/s.exec(message) ?? [];
  if (tries === undefined) return [];
  const again = progress(`asks again, ${tries.replace('/', ' of ')}: ${why}`);
  return /\b429\b/.test(why) ? [again, closing(why, heard)] : [again];
}

function closing(message: string, { began }: Heard): Closing {
  const verdict = judge({ words: plainWords(message), at: began, sign_in: SIGN_IN });
  return { ...verdict, type: 'closing' } as Closing;
}

/** The time in an id of version 7; null in any other. */
function timeIn(id: string): Date | null {
  const digits = id.replaceAll('-', '');
  return digits[12] === '7' ? new Date(Number.parseInt(digits.slice(0, 12), 16)) : null;
}

/** The provider's answer as it came is JSON; people read its message. */
function plainWords(words: string): string {
  const said = words.startsWith('{') ? parseLine<Line>(words)?.error?.message : undefined;
  return said ?? words;
}

function readTurn({ usage }: Line, heard: Heard): Spoken[] {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {};
  const tokens = Math.max(0, input + output - heard.told);
  return [
    ...resultOf(heard),
    { type: 'usage', usage: { money_usd: null, tokens: usage ? tokens : null } },
    { type: 'closing', outcome: 'finished', detail: '' },
  ];
}

/** With a schema the last message is the value itself; whether it fits is not checked by the program. */
function resultOf({ call: { schema }, last }: Heard): Spoken[] {
  if (!toStrict(schema) || !last.startsWith('{')) return [];
  const value: unknown = parseLine(last);
  return value === null ? [] : [{ type: 'result', value: withoutNulls(value, schema) }];
}
