import {
  type ClientContext,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type SessionConfigOption,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { goOn } from '../agent-process/command-line.ts';
import type { Closing } from '../agent-process/program.ts';
import type { Part } from './part.ts';

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
