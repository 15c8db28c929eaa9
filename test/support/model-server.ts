import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { anthropic } from './model-server/anthropic.ts';
import { gemini } from './model-server/gemini.ts';
import { openaiChat } from './model-server/openai-chat.ts';
import { openaiResponses } from './model-server/openai-responses.ts';
import type { Fault, Program, Script, Step } from './model-server/script.ts';
import { findProgram, translate } from './model-server/translate.ts';
import {
  type Body,
  DEFAULT_USAGE,
  type Frame,
  type Read,
  type Reply,
  type Wire,
} from './model-server/wire.ts';

/** One request as it was answered. */
interface Served {
  readonly method: string;
  readonly path: string;
  readonly program: Program;
  /** The text the script was chosen by; empty where none was asked for. */
  readonly prompt: string;
  /** Index of the step that was served; null for all that is no turn of a script. */
  readonly step: number | null;
  readonly status: number;
  readonly fault: Fault['kind'] | null;
  readonly tools: readonly string[];
  readonly model: string;
  readonly body: Body;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a slash. */
  readonly url: string;
  /** Every request, oldest first, once its reply has begun. */
  readonly served: readonly Served[];
  /** Requests that a script answered. */
  turns(): readonly Served[];
  close(): Promise<void>;
}

const WIRES: readonly (readonly [RegExp, Wire])[] = [
  [/\/messages$/, anthropic],
  [/\/responses$/, openaiResponses],
  [/\/chat\/completions$/, openaiChat],
  [/:(streamG|g)enerateContent$/, gemini],
];

/** Questions every program may ask besides, with an answer that is always the same. */
const FIXED: readonly (readonly [RegExp, unknown])[] = [
  [/\/messages\/count_tokens$/, { input_tokens: 1000 }],
  [/:countTokens$/, { totalTokens: 1000 }],
  [
    /\/models$/,
    {
      object: 'list',
      data: [{ id: 'scripted', object: 'model', owned_by: 'test', type: 'model' }],
      models: [],
    },
  ],
];

/** What a program is told that asks beside its turn, for a title or a summary. */
const ASIDE: Step = { text: 'A scripted turn' };

/**
 * A model on loopback that plays scripts to real programs. It keeps no conversation: which step is due stands in the
 * request, so repeats, resumed sessions and calls at once need no care. Only faults with `times` are counted.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const served: Served[] = [];
  const choose = createChooser(script);
  let ids = 0;
  const id = (prefix: string) => `${prefix}${++ids}`;
  const server = createServer((request, response) => {
    answer(request, choose, id)
      .then(({ entry, send }) => {
        served.push(entry);
        return send(response);
      })
      .catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    turns: () => served.filter(({ step }) => step !== null),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

interface Chosen {
  readonly prompt: string;
  readonly step: Step;
  readonly index: number | null;
}

type Choose = (read: Read, program: Program) => Chosen;

/** Which step a request is due, and whether its fault is still to be served. */
function createChooser(script: Script): Choose {
  const times = new Map<string, number>();
  return (read, program) => {
    const found = findSteps(script, read, program);
    if (!found) return { prompt: '', step: ASIDE, index: null };
    const { prompt, steps, results } = found;
    const index = dueStep(steps, results);
    const { fault, ...calm } = steps[index] ?? ASIDE;
    const key = `${program} ${index} ${prompt}`;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    const faulty = fault && before < (fault.times ?? Number.POSITIVE_INFINITY);
    return { prompt, step: faulty ? { ...calm, fault } : calm, index };
  };
}

/** The last text of the request that the script knows. A request without tools is no turn: a program names its session. */
function findSteps(script: Script, read: Read, program: Program) {
  if (read.tools.length === 0) return null;
  const { system, tools, model } = read;
  for (const { text: prompt, results } of read.prompts.toReversed()) {
    const steps = script({ prompt, system, tools, program, model, turn: results });
    if (steps) return { prompt, steps, results };
  }
  return null;
}

/** Every wish brings one tool result back; after the last step the last one is said again. */
function dueStep(steps: readonly Step[], results: number): number {
  let left = results;
  for (const [index, { toolCalls }] of steps.entries()) {
    if (left <= 0) return index;
    left -= Math.max(1, toolCalls?.length ?? 0);
  }
  return steps.length - 1;
}

interface Answer {
  readonly entry: Served;
  readonly send: (response: ServerResponse) => void | Promise<void>;
}

async function answer(request: IncomingMessage, choose: Choose, id: Reply['id']): Promise<Answer> {
  const { method = '', url = '', headers } = request;
  const path = new URL(url, 'http://loopback').pathname;
  const body = parse(await text(request));
  const agent = headers['user-agent'] ?? '';
  const none = { method, path, prompt: '', step: null, fault: null, tools: [], model: '', body };
  const wire = WIRES.find(([route]) => route.test(path))?.[1];
  if (method !== 'POST' || !wire) {
    const fixed = method === 'HEAD' ? {} : FIXED.find(([route]) => route.test(path))?.[1];
    const status = fixed ? 200 : 404;
    const entry = { ...none, status, program: findProgram(agent, []) };
    return {
      entry,
      send: (response) => sendWhole(response, status, fixed ?? { error: { message: 'no route' } }),
    };
  }
  const read = wire.read(body, path);
  const program = findProgram(agent, read.tools);
  const { prompt, step, index } = choose(read, program);
  const { fault = null } = step;
  const status = fault?.kind === 'status' ? fault.status : 200;
  const { tools, model } = read;
  const entry = { ...none, program, prompt, step: index, status, fault: fault?.kind ?? null, tools, model };
  if (fault?.kind === 'status') {
    const { headers, body } = wire.failure(fault);
    return { entry, send: (response) => sendWhole(response, status, body, headers) };
  }
  const reply = makeReply(step, { read, program, id });
  if (!read.stream) return { entry, send: (response) => sendOnce(response, wire.whole(reply), fault) };
  return { entry, send: (response) => sendStream(response, wire.frames(reply), fault) };
}

function parse(body: string): Body {
  try {
    return JSON.parse(body) as Body;
  } catch {
    return {};
  }
}

function makeReply(step: Step, by: { read: Read; program: Program; id: Reply['id'] }): Reply {
  const translated = (step.toolCalls ?? []).map((toolCall) => translate(toolCall, by.program, by.read));
  const texts = [step.text ?? '', ...translated.filter((part) => typeof part === 'string')];
  return {
    text: texts.filter((part) => part !== '').join('\n\n'),
    calls: translated.filter((part) => typeof part !== 'string'),
    usage: step.usage ?? DEFAULT_USAGE,
    model: by.read.model,
    id: by.id,
  };
}

function sendWhole(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A reply in one piece: what a fault means there. */
async function sendOnce(response: ServerResponse, body: unknown, fault: Fault | null): Promise<void> {
  const half = JSON.stringify(body).slice(0, 20);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'slow') await wait(fault.ms);
  if (fault?.kind === 'cut') return breakOff(response, half);
  response.end(fault?.kind === 'malformed' ? half : JSON.stringify(body));
}

/** A reply in pieces. A cut or a broken piece comes in the middle, a hang after the first piece. */
async function sendStream(
  response: ServerResponse,
  frames: readonly Frame[],
  fault: Fault | null,
): Promise<void> {
  const middle = Math.ceil(frames.length / 2);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [at, frame] of frames.entries()) {
    if (fault?.kind === 'slow') await wait(fault.ms);
    if (fault?.kind === 'hang' && at === 1) return;
    if (fault?.kind === 'cut' && at === middle) return breakOff(response, 'data: {"half');
    response.write(fault?.kind === 'malformed' && at === middle ? 'data: {"half\n\n' : eventText(frame));
  }
  response.end();
}

/** The client must have seen what came before, so the socket goes only once that is written. */
function breakOff(response: ServerResponse, last: string): void {
  response.write(last, () => response.destroy());
}

function eventText({ event, data }: Frame): string {
  const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return event ? `event: ${event}\n${line}` : line;
}
