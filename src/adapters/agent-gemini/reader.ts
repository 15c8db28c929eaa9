import * as z from 'zod';
import type { AgentCall, Ended } from '../../ports/agent.ts';
import { closeBy, judge, judgeGone, NOT_TAKEN_UP } from '../agent-process/judge.ts';
import { parseLine, reportTool, type ToolWords } from '../agent-process/lines.ts';
import { type Closing, ended, type Reader, type Session, type Spoken } from '../agent-process/program.ts';

const timestamp = z.string();

/** The lines of `--output-format stream-json` that Baton reads. */
const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), session_id: z.string() }),
  z.object({ type: z.literal('message'), role: z.string(), content: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.unknown(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_id: z.string(),
    error: z.object({ type: z.string().optional(), message: z.string().optional() }).optional(),
  }),
  z.object({ type: z.literal('error'), severity: z.string().optional(), message: z.string() }),
  z.object({
    type: z.literal('result'),
    timestamp,
    status: z.string(),
    error: z.object({ type: z.string().optional(), message: z.string() }).optional(),
    stats: z.object({ total_tokens: z.number() }).optional(),
  }),
]);
type Line = z.infer<typeof Line>;
type Take = { [Type in Line['type']]: (line: Extract<Line, { type: Type }>) => readonly Spoken[] };

const TOOLS: ToolWords = {
  read_file: ['reads', 'file_path'],
  read_many_files: ['reads', 'include'],
  write_file: ['edits', 'file_path'],
  replace: ['edits', 'file_path'],
  run_shell_command: ['runs', 'command'],
  glob: ['looks for', 'pattern'],
  grep_search: ['searches', 'pattern'],
  search_file_content: ['searches', 'pattern'],
  list_directory: ['lists', 'dir_path'],
  web_fetch: ['fetches', 'prompt'],
  google_web_search: ['searches the web for', 'query'],
};

/** Matches a refused tool, not a failed one. A tool that the mode does not allow is reported as not registered. */
const REFUSED = /tool_not_registered|policy_violation|permission_denied|access denied|not.in.workspace/i;

const SIGN_IN = 'sign in with `gemini`, or set GEMINI_API_KEY';
/** The exit code without a usable key or login. The text differs with the chosen way to sign in (0.61.0). */
const NOT_SIGNED_IN = 41;

/** Reads one stream. Only `result` ends it, because the program also exits with 0 if it was stopped in the middle. */
export function geminiReader({ cwd }: AgentCall, session: Session | null): Reader {
  const tools = new Map<string, string>();
  let begun = false;
  let spoken = '';
  let complaint = '';
  // A message comes in pieces. Its text is complete when another record begins.
  const wholeText = (): Spoken[] => {
    const text = spoken;
    spoken = '';
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  };
  const take: Take = {
    init: ({ session_id }) => {
      begun = true;
      return [{ type: 'session', id: session_id }];
    },
    message: ({ role, content }) => {
      if (role === 'assistant') spoken += content;
      return [];
    },
    tool_use: ({ tool_name, tool_id, parameters }) => {
      const line = reportTool(TOOLS, tool_name, parameters, cwd);
      tools.set(tool_id, line);
      return [...wholeText(), { type: 'progress', line }];
    },
    tool_result: ({ tool_id, error }) => {
      const refused = REFUSED.test(`${error?.type} ${error?.message}`);
      return refused ? [{ type: 'denied', what: tools.get(tool_id) ?? tool_id }] : [];
    },
    error: ({ message }) => {
      complaint = message;
      return [];
    },
    result: (line) => [...wholeText(), ...usageOf(line), closingOf(line, complaint)],
  };
  return {
    read: (text) => {
      const line = Line.safeParse(parseLine(text)).data;
      return line ? take[line.type](line as never) : [];
    },
    silent: retriesFor,
    gone: (exit, stderr) => {
      // If it was stopped in the middle, it also exits with 0. Otherwise it always writes its result.
      if (exit.code === 0) return ended('unavailable', 'it ended without its result');
      if (session && !begun && exit.code !== null) return ended('unavailable', NOT_TAKEN_UP);
      const status = exit.code === NOT_SIGNED_IN ? 401 : null;
      return judgeGone(exit, { words: stderr, status, sign_in: SIGN_IN });
    },
  };
}

type Result = Extract<Line, { type: 'result' }>;

function usageOf({ stats }: Result): Spoken[] {
  return stats ? [{ type: 'usage', usage: { money_usd: null, tokens: stats.total_tokens } }] : [];
}

function closingOf({ status, error, timestamp }: Result, complaint: string): Closing {
  if (status === 'success') return { type: 'closing', outcome: 'finished', detail: '' };
  const said = error?.message ?? complaint;
  return closeBy({
    status: Number(/"code": ?(\d{3})\b/.exec(said)?.[1]) || null,
    words: plainWords(said),
    at: new Date(timestamp),
    sign_in: SIGN_IN,
  });
}

/**
 * The program passes on the provider's answer unchanged, in brackets. People read only its message. Every limit
 * mentions billing, even one that ends after a minute, so that hint is removed.
 */
function plainWords(said: string): string {
  const inner = said
    .replace(/^\[API Error: (.*?)\]/s, '$1')
    .replace(/,? please check your plan and billing details/i, '');
  return /"message": ?"([^"]+)"/.exec(inner)?.[1] ?? inner;
}

/** It retries for minutes without a record in its stream. The provider's answer is on stderr only. */
function retriesFor(stderr: string): Ended | null {
  const words = [...stderr.matchAll(/^Attempt \d+ failed.*(?:\n.*)?/gm)].at(-1)?.[0];
  if (words === undefined) return null;
  const status = Number(/status (\d{3})/.exec(words)?.[1] ?? 0) || null;
  const end = judge({ words, status, sign_in: SIGN_IN });
  return end.outcome === 'limited' ? end : null;
}
