import {
  type ClientContext,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
  type ToolCallUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import type { Usage } from '../../ports/agent.ts';
import { goOn } from '../agent-process/command-line.ts';
import { pathIn, shortLine } from '../agent-process/lines.ts';
import type { Closing } from '../agent-process/program.ts';
import type { StreamRecord } from '../agent-process/record.ts';
import type { Part } from './kind.ts';

/** Callbacks for the reports during a turn. */
export interface TurnReports {
  begun(session: string): void;
  /** Tokens of this turn; null if the agent does not report them. */
  used(tokens: number | null): void;
}

const ENDS: Readonly<Record<StopReason, Pick<Closing, 'outcome' | 'detail'>>> = {
  end_turn: { outcome: 'finished', detail: '' },
  cancelled: { outcome: 'failed', detail: 'the agent cancelled its turn' },
  refusal: { outcome: 'failed', detail: 'the agent refused the task' },
  max_tokens: { outcome: 'failed', detail: 'the answer was longer than the model may write' },
  max_turn_requests: { outcome: 'failed', detail: 'the agent reached its limit of steps' },
};

/**
 * Some agents never ask for permission: their mode decides what they may do. This maps the mode an agent starts in to
 * the modes that the profile needs. Agents that ask start in another mode and stay in it.
 */
const MODES: Readonly<Record<Part['profile'], Readonly<Record<string, readonly string[]>>>> = {
  writes: { 'read-only': ['auto', 'agent'] },
  read_only: { auto: ['read-only'], agent: ['read-only'], build: ['plan'] },
};

const INITIALIZE_MS = 120_000;

/** Runs one turn, from initialisation to the stop reason: one session, one prompt. */
export async function takeTurn(
  agent: ClientContext,
  part: Part,
  task: string,
  told: TurnReports,
): Promise<Closing> {
  const hello = await greet(agent);
  if (hello === null) return failure('the program does not speak the Agent Client Protocol');
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    return failure(
      `the agent speaks version ${hello.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  const taken = await takeUp(agent, hello, part);
  const session = taken ?? (await open(agent, part));
  if (typeof session !== 'string') return session;
  told.begun(session);
  const { stopReason, ...more } = await agent.request(methods.agent.session.prompt, {
    sessionId: session,
    prompt: [{ type: 'text', text: taken === null ? task : goOn(task) }],
  });
  told.used(tokensOf(more, taken === null ? 0 : (part.session?.counted ?? 0)));
  return { type: 'closing', ...ENDS[stopReason] };
}

function failure(detail: string): Closing {
  return { type: 'closing', outcome: 'failed', detail };
}

/** Null if no answer comes, because any program can be named as an agent. */
async function greet(agent: ClientContext): Promise<InitializeResponse | null> {
  const patience = AbortSignal.timeout(INITIALIZE_MS);
  const answer = agent.request(
    methods.agent.initialize,
    {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'baton', version: '1' },
      // Reading is not offered. One agent treats our "not found" as an error and then does not write a new file.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: true }, terminal: false },
    },
    { cancellationSignal: patience, stopWaitingOnCancel: true },
  );
  return answer.catch((error: unknown) => {
    if (patience.aborted) return null;
    throw error;
  });
}

/** Resumes the session of an earlier start. Null if the agent cannot resume or no longer knows the session. */
async function takeUp(
  agent: ClientContext,
  { agentCapabilities: can }: InitializeResponse,
  { session, cwd }: Part,
): Promise<string | null> {
  if (session === null) return null;
  const at = { sessionId: session.id, cwd, mcpServers: [] };
  const taken = can?.sessionCapabilities?.resume
    ? agent.request(methods.agent.session.resume, at)
    : can?.loadSession
      ? agent.request(methods.agent.session.load, at)
      : Promise.reject(new Error('not offered'));
  return taken.then(
    () => session.id,
    () => null,
  );
}

async function open(agent: ClientContext, { cwd, profile, model }: Part): Promise<string | Closing> {
  const session = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const { sessionId } = session;
  const modeId = modeFor(profile, session);
  if (modeId) await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  if (model === null || (await setModel(agent, session, model))) return sessionId;
  return failure(`the agent does not offer the model ${model}`);
}

function modeFor(profile: Part['profile'], { modes }: NewSessionResponse): string | undefined {
  const offered = modes?.availableModes.map(({ id }) => id) ?? [];
  return MODES[profile][modes?.currentModeId ?? '']?.find((mode) => offered.includes(mode));
}

/** Some agents offer their models as an option of the session. Others take a model name through a separate method. */
async function setModel(agent: ClientContext, session: NewSessionResponse, model: string): Promise<boolean> {
  const { sessionId, configOptions } = session;
  const option = configOptions?.find(({ category }) => category === 'model');
  if (!option) {
    const set = agent.request('session/set_model', { sessionId, modelId: model });
    return set.then(
      () => true,
      () => false,
    );
  }
  const value = optionFor(option, model);
  if (value === null) return false;
  await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option.id, value });
  return true;
}

function optionFor(option: SessionConfigOption, model: string): string | null {
  if (option.type !== 'select') return null;
  const values = option.options.flatMap((one) => ('options' in one ? one.options : [one]));
  return values.find(({ value, name }) => value === model || name === model)?.value ?? null;
}

/**
 * The field is not in the stable part of the protocol yet. It is the sum over the session, so tokens counted before are
 * subtracted.
 */
function tokensOf(response: object, counted: number): number | null {
  const { usage } = response as { usage?: { totalTokens?: unknown } | null };
  return typeof usage?.totalTokens === 'number' ? Math.max(0, usage.totalTokens - counted) : null;
}

/** What is known about one tool call. Later updates add to it. */
type Tool = Pick<ToolCallUpdate, 'kind' | 'title' | 'locations' | 'content' | 'rawInput'>;

/** Converts the updates of an agent's turn to our records. */
export interface Hearing {
  hear(update: SessionUpdate): StreamRecord[];
  /** The text that has not been reported yet. */
  rest(): StreamRecord[];
  /** A tool call, merged with its earlier updates. */
  tool(update: ToolCallUpdate): Tool;
  tell(update: ToolCallUpdate): string;
  /** The whole usage, with the tokens reported at the end of the turn. */
  used(tokens: number | null): StreamRecord;
}

const DOES: Readonly<Partial<Record<ToolKind, string>>> = {
  read: 'reads',
  edit: 'edits',
  delete: 'deletes',
  move: 'moves',
  search: 'searches',
  execute: 'runs',
  fetch: 'fetches',
};

export function createHearing(cwd: string): Hearing {
  const tools = new Map<string, Tool>();
  const told = new Map<string, string>();
  let spoken = '';
  // Money and tokens come at different times and in any order. Every record contains both.
  let usage: Usage = { money_usd: null, tokens: null };
  const use = (more: Partial<Usage>): StreamRecord => {
    usage = { ...usage, ...more };
    return { type: 'usage', usage };
  };
  const rest = (): StreamRecord[] => {
    const text = spoken;
    spoken = '';
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  };
  const tool = (update: ToolCallUpdate): Tool => {
    const known = { ...tools.get(update.toolCallId), ...withoutNulls(update) };
    tools.set(update.toolCallId, known);
    return known;
  };
  const tell = (update: ToolCallUpdate) => wordsOf(tool(update), cwd);
  const hearTool = (update: ToolCallUpdate): StreamRecord[] => {
    const line = tell(update);
    if (told.get(update.toolCallId) === line) return [];
    told.set(update.toolCallId, line);
    return [...rest(), { type: 'progress', line }];
  };
  return {
    tool,
    tell,
    rest,
    used: (tokens) => use({ tokens }),
    hear: (update) => {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          if (update.content.type === 'text') spoken += update.content.text;
          return [];
        case 'tool_call':
        case 'tool_call_update':
          return hearTool(update);
        case 'usage_update':
          // Some agents report a cost of 0 for a model without a price. That means unknown, not free.
          return update.cost?.currency === 'USD' && update.cost.amount > 0
            ? [use({ money_usd: update.cost.amount })]
            : [];
        default:
          return [];
      }
    },
  };
}

/** The files that a tool call names. */
export function locationsOf({ locations, content }: Tool): string[] {
  const diffs = (content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return [...(locations ?? []).map(({ path }) => path), ...diffs];
}

function wordsOf(tool: Tool, cwd: string): string {
  const title = (tool.title ?? 'works').replaceAll('`', '');
  const does = tool.kind ? DOES[tool.kind] : undefined;
  const what = tool.kind === 'execute' ? (commandOf(tool) ?? title) : locationsOf(tool)[0];
  const line = does && what ? `${does} ${pathIn(cwd, what)}` : title;
  return shortLine(line);
}

function commandOf({ rawInput }: Tool): string | null {
  const command = (rawInput as { command?: unknown } | null | undefined)?.command;
  return typeof command === 'string' ? command : null;
}

function withoutNulls(update: ToolCallUpdate): Tool {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
}
