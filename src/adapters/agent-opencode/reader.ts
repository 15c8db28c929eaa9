import * as z from 'zod';
import type { AgentCall, Ended } from '../../ports/agent.ts';
import { closeBy, judge, judgeGone, NOT_TAKEN_UP } from '../agent-process/judge.ts';
import { parseLine, reportTool, type ToolWords } from '../agent-process/lines.ts';
import { type Closing, ended, type Reader, type Session, type Spoken } from '../agent-process/program.ts';

/** The lines of `run --format json` that Baton reads. */
const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step_start'), sessionID: z.string() }),
  z.object({ type: z.literal('text'), part: z.object({ text: z.string() }) }),
  z.object({
    type: z.literal('tool_use'),
    part: z.object({
      tool: z.string(),
      state: z.object({ status: z.string(), input: z.unknown(), error: z.string().optional() }),
    }),
  }),
  z.object({
    type: z.literal('step_finish'),
    part: z.object({
      reason: z.string(),
      tokens: z.object({
        total: z.number().optional(),
        input: z.number(),
        output: z.number(),
        reasoning: z.number(),
        cache: z.object({ read: z.number(), write: z.number() }),
      }),
      cost: z.number(),
    }),
  }),
  z.object({
    type: z.literal('error'),
    timestamp: z.number(),
    error: z.object({
      name: z.string(),
      data: z
        .object({
          message: z.string().optional(),
          statusCode: z.number().optional(),
          responseHeaders: z.record(z.string(), z.string()).optional(),
        })
        .optional(),
    }),
  }),
]);
type Line = z.infer<typeof Line>;
type Of<Type> = Extract<Line, { type: Type }>;
type Take = { [Type in Line['type']]: (line: Of<Type>) => readonly Spoken[] };

const TOOLS: ToolWords = {
  read: ['reads', 'filePath'],
  write: ['edits', 'filePath'],
  edit: ['edits', 'filePath'],
  bash: ['runs', 'command'],
  glob: ['looks for', 'pattern'],
  grep: ['searches', 'pattern'],
  list: ['lists', 'path'],
  webfetch: ['fetches', 'url'],
  websearch: ['searches the web for', 'query'],
  task: ['hands on', 'description'],
  invalid: ['uses', 'tool'],
};

/** The name under which a missing tool is reported. A tool that the rules forbid is not offered at all. */
const MISSING = 'invalid';

/**
 * The program's own words for a tool that was refused by the rules, or because no person could answer. Other errors
 * come from the tool.
 */
const REFUSED = /rejected permission|prevents you from using|unavailable tool|permission denied/i;

/** Reasons of a step that end the turn. A step without tool calls is the last one. */
const ENDS: Readonly<Record<string, Pick<Closing, 'outcome' | 'detail'>>> = {
  stop: { outcome: 'finished', detail: '' },
  length: { outcome: 'failed', detail: 'the answer was longer than the model may write' },
  'content-filter': { outcome: 'failed', detail: 'the provider held the answer back' },
};

const SIGN_IN =
  'sign in with `opencode auth login`, or name the variable of its key under `env` in baton.yaml';

/** Reads one stream. Usage is added up over its steps. */
export function opencodeReader({ cwd }: AgentCall, session: Session | null): Reader {
  let begun = false;
  let tokens = 0;
  let money = 0;
  const take: Take = {
    step_start: ({ sessionID }) => {
      const first = !begun;
      begun = true;
      return first ? [{ type: 'session', id: sessionID }] : [];
    },
    text: ({ part }) => [{ type: 'text', text: part.text }],
    tool_use: ({ part: { tool, state } }) => {
      const line = reportTool(TOOLS, tool, state.input, cwd);
      const refused = tool === MISSING || (state.status === 'error' && REFUSED.test(state.error ?? ''));
      return [refused ? { type: 'denied', what: line } : { type: 'progress', line }];
    },
    step_finish: ({ part }) => {
      tokens += tokensOf(part.tokens);
      money += part.cost;
      // It reports a cost of 0 for a model without a price. That means unknown, not free.
      const usage = { money_usd: money > 0 ? money : null, tokens };
      return [{ type: 'usage', usage }, ...closingOf(part.reason)];
    },
    error: (line) => [troubleOf(line)],
  };
  return {
    read: (text) => {
      const line = Line.safeParse(parseLine(text)).data;
      return line ? take[line.type](line as never) : [];
    },
    silent: waitsFor,
    gone: (exit, stderr) => {
      if (session && !begun && exit.code !== null) return ended('unavailable', NOT_TAKEN_UP);
      return judgeGone(exit, { words: stderr, sign_in: SIGN_IN });
    },
  };
}

/** At a quota it waits without a record in its stream. Only its log shows the quota, and not for how long. */
function waitsFor(stderr: string): Ended | null {
  const said = [...stderr.matchAll(/level=ERROR .*?error\.error="([^"]+)"/g)].at(-1)?.[1];
  const end = said === undefined ? null : judge({ words: said, sign_in: SIGN_IN });
  return end?.outcome === 'limited' ? end : null;
}

function tokensOf({ total, input, output, reasoning, cache }: Of<'step_finish'>['part']['tokens']): number {
  return total ?? input + output + reasoning + cache.read + cache.write;
}

function closingOf(reason: string): Closing[] {
  if (reason === 'tool-calls') return [];
  const end = ENDS[reason] ?? { outcome: 'failed', detail: `the model stopped: ${reason}` };
  return [{ type: 'closing', ...end }];
}

function troubleOf({ error: { name, data }, timestamp }: Of<'error'>): Closing {
  const after = data?.responseHeaders?.['retry-after'];
  const words = `${name}: ${data?.message ?? ''}`;
  return closeBy({
    status: data?.statusCode ?? null,
    words: after === undefined ? words : `${words}; retry after ${after}${/^\d+$/.test(after) ? 's' : ''}`,
    at: new Date(timestamp),
    sign_in: SIGN_IN,
  });
}
