import { afterEach, describe, expect, test } from 'vitest';
import type { ModelRequest, Script, Step } from '../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const WRITE: Step = {
  text: 'Now.',
  toolCalls: [{ write: { path: '/tree/a.txt', content: 'a\n' } }],
  usage: { input: 7, output: 3 },
};
const DONE: Step = { text: 'Done, and said in more than forty characters, so in pieces.' };

/** How one provider's client asks: a prompt, then as many tool results as there were calls. */
interface Client {
  readonly path: string;
  readonly agent: string;
  body(prompt: string, results: number, stream: boolean): object;
  /** Text and tool calls of a reply that came in one piece. */
  whole(body: never): StreamState;
  /** The same, put together from the pieces of a stream. */
  streamed(events: never[]): StreamState;
}

interface StreamState {
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly input: number;
  readonly output: number;
}

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const ANTHROPIC: Client = {
  path: '/v1/messages',
  agent: 'claude-cli/2',
  body: (prompt, results, stream) => ({
    model: 'm',
    stream,
    system: [{ type: 'text', text: 'the system' }],
    tools: [{ name: 'Write' }, { name: 'Bash' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: prompt }] },
      ...times(results, (at) => ({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `${at}`, content: '' }],
      })),
      { role: 'user', content: 'A reminder of the program.' },
    ],
  }),
  whole: (body: { content: Block[]; usage: { input_tokens: number; output_tokens: number } }) => ({
    text: body.content.map(({ text }) => text ?? '').join(''),
    calls: body.content.filter(({ type }) => type === 'tool_use').map(({ name, input }) => ({ name, input })),
    input: body.usage.input_tokens,
    output: body.usage.output_tokens,
  }),
  streamed(events: AnthropicEvent[]) {
    const blocks = events
      .filter(({ type }) => type === 'content_block_start')
      .map(({ content_block }) => content_block);
    const joined = (index: number, part: 'text' | 'partial_json') =>
      events.map((event) => (event.index === index ? (event.delta?.[part] ?? '') : '')).join('');
    return {
      text: blocks.map((_, index) => joined(index, 'text')).join(''),
      calls: blocks.flatMap((block, index) =>
        block?.type === 'tool_use'
          ? [{ name: block.name, input: JSON.parse(joined(index, 'partial_json')) }]
          : [],
      ),
      input: events[0]?.message?.usage.input_tokens ?? 0,
      output: events.at(-2)?.usage?.output_tokens ?? 0,
    };
  },
};

interface Block {
  type: string;
  text?: string;
  name?: string;
  input?: unknown;
}
interface AnthropicEvent {
  type: string;
  index?: number;
  content_block?: Block;
  delta?: { text?: string; partial_json?: string };
  message?: { usage: { input_tokens: number } };
  usage?: { output_tokens: number };
}

const RESPONSES: Client = {
  path: '/v1/responses',
  agent: 'codex_exec/0',
  body: (prompt, results, stream) => ({
    model: 'm',
    stream,
    instructions: 'the system',
    tools: [{ type: 'function', name: 'exec_command' }],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context/>' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
      ...times(results, (at) => ({ type: 'function_call_output', call_id: `${at}`, output: '' })),
    ],
  }),
  whole: (body: ResponsesBody) => ({
    text: body.output
      .flatMap(({ content }) => content ?? [])
      .map(({ text }) => text)
      .join(''),
    calls: body.output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ name: item.name, input: JSON.parse(item.arguments ?? '') })),
    input: body.usage.input_tokens,
    output: body.usage.output_tokens,
  }),
  streamed(events: { type: string; delta?: string; response?: ResponsesBody }[]) {
    const heard = RESPONSES.whole(events.at(-1)?.response as never);
    const deltas = events
      .filter(({ type }) => type === 'response.output_text.delta')
      .map(({ delta }) => delta);
    return { ...heard, text: deltas.join('') };
  },
};

interface ResponsesBody {
  output: { type: string; name?: string; arguments?: string; content?: { text: string }[] }[];
  usage: { input_tokens: number; output_tokens: number };
}

const CHAT: Client = {
  path: '/v1/chat/completions',
  agent: 'opencode/1',
  body: (prompt, results, stream) => ({
    model: 'm',
    stream,
    tools: [{ type: 'function', function: { name: 'write' } }],
    messages: [
      { role: 'system', content: 'the system' },
      { role: 'user', content: prompt },
      ...times(results, (at) => ({ role: 'tool', tool_call_id: `${at}`, content: '' })),
    ],
  }),
  whole: (body: { choices: { message: ChatMessage }[]; usage: ChatUsage }) =>
    heardInChat(body.choices[0]?.message, body.usage),
  streamed(events: { choices: { delta: ChatMessage }[]; usage?: ChatUsage }[]) {
    const deltas = events.map(({ choices }) => choices[0]?.delta ?? {});
    return heardInChat(
      {
        content: deltas.map(({ content }) => content ?? '').join(''),
        tool_calls: deltas.flatMap(({ tool_calls }) => tool_calls ?? []),
      },
      events.at(-1)?.usage,
    );
  },
};

interface ChatMessage {
  content?: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}
interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
}

function heardInChat(message: ChatMessage | undefined, usage: ChatUsage | undefined): StreamState {
  return {
    text: message?.content ?? '',
    calls: (message?.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
      name,
      input: JSON.parse(args),
    })),
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
  };
}

const GEMINI: Client = {
  path: '/v1beta/models/m:generateContent',
  agent: 'GeminiCLI/0',
  body: (prompt, results) => ({
    systemInstruction: { parts: [{ text: 'the system' }] },
    tools: [{ functionDeclarations: [{ name: 'write_file' }] }],
    contents: [
      { role: 'user', parts: [{ text: prompt }] },
      ...times(results, () => ({ role: 'user', parts: [{ functionResponse: { name: 'write_file' } }] })),
    ],
  }),
  whole: (body: GeminiBody) => heardInGemini([body]),
  streamed: (events: GeminiBody[]) => heardInGemini(events),
};

interface GeminiBody {
  candidates: { content: { parts: { text?: string; functionCall?: { name: string; args: unknown } }[] } }[];
  usageMetadata?: { promptTokenCount: number; candidatesTokenCount: number };
}

function heardInGemini(bodies: GeminiBody[]): StreamState {
  const parts = bodies.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
  const usage = bodies.at(-1)?.usageMetadata;
  return {
    text: parts.map(({ text }) => text ?? '').join(''),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name, input: call.args }] : [])),
    input: usage?.promptTokenCount ?? 0,
    output: usage?.candidatesTokenCount ?? 0,
  };
}

const CLIENTS = { anthropic: ANTHROPIC, responses: RESPONSES, chat: CHAT, gemini: GEMINI };
const WRITTEN = {
  anthropic: { name: 'Write', input: { file_path: '/tree/a.txt', content: 'a\n' } },
  responses: {
    name: 'exec_command',
    input: { cmd: expect.stringContaining('*** Add File: /tree/a.txt\n+a\n***') },
  },
  chat: { name: 'write', input: { filePath: '/tree/a.txt', content: 'a\n' } },
  gemini: { name: 'write_file', input: { file_path: '/tree/a.txt', content: 'a\n' } },
};

async function start(script: Script | readonly Step[]): Promise<ModelServer> {
  const plays: Script =
    typeof script === 'function' ? script : ({ prompt }) => (prompt.includes('PLAY') ? script : null);
  server = await startModelServer(plays);
  return server;
}

function ask(
  { url }: ModelServer,
  client: Client,
  by: { results?: number; stream?: boolean; prompt?: string } = {},
) {
  const { results = 0, stream = true, prompt = 'PLAY it' } = by;
  const path = stream ? client.path.replace(':generate', ':streamGenerate') : client.path;
  return fetch(url + path, {
    method: 'POST',
    headers: { 'user-agent': client.agent },
    body: JSON.stringify(client.body(prompt, results, stream)),
  });
}

async function hear(client: Client, response: Response): Promise<StreamState> {
  if (!response.headers.get('content-type')?.includes('event-stream'))
    return client.whole((await response.json()) as never);
  const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return client.streamed(data.map((line) => JSON.parse(line.slice(6)) as never));
}

describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])('%s', (name) => {
  const client = CLIENTS[name];

  test.each([true, false])('plays the step that is due, streamed: %s', async (stream) => {
    const playing = await start([WRITE, DONE]);
    expect(await hear(client, await ask(playing, client, { stream }))).toEqual({
      text: WRITE.text,
      calls: [WRITTEN[name]],
      ...WRITE.usage,
    });
    const second = await hear(client, await ask(playing, client, { stream, results: 1 }));
    expect(second).toMatchObject({ text: DONE.text, calls: [] });
    expect(playing.turns().map(({ step, status }) => [step, status])).toEqual([
      [0, 200],
      [1, 200],
    ]);
  });

  test('tells the script what was asked', async () => {
    const seen: ModelRequest[] = [];
    const playing = await start((asked) => {
      seen.push(asked);
      return asked.prompt.includes('PLAY') ? [DONE] : null;
    });
    await (await ask(playing, client)).text();
    const program = { anthropic: 'claude', responses: 'codex', chat: 'opencode', gemini: 'gemini' }[name];
    expect(seen.at(-1)).toMatchObject({ prompt: 'PLAY it', program, model: 'm', turn: 0 });
    expect(seen.at(-1)?.tools).toContain((WRITTEN[name] as { name: string }).name);
    // Codex has no system message of its own here; the others send one.
    expect(seen.at(-1)?.system).toBe('the system');
  });

  test('a refused call tells when to come back, as often as it should', async () => {
    const playing = await start([
      { ...DONE, fault: { kind: 'status', status: 429, retry_after_s: 60, times: 1 } },
    ]);
    const refused = await ask(playing, client);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toHaveProperty('error');
    expect(await hear(client, await ask(playing, client))).toMatchObject({ text: DONE.text });
    expect(playing.served.map(({ status, fault }) => [status, fault])).toEqual([
      [429, 'status'],
      [200, null],
    ]);
  });

  test('a cut stream breaks off after its first pieces', async () => {
    const playing = await start([{ ...DONE, fault: { kind: 'cut' } }]);
    const response = await ask(playing, client);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('a malformed stream has a piece that is no JSON', async () => {
    const playing = await start([{ ...DONE, fault: { kind: 'malformed' } }]);
    await expect(ask(playing, client).then((response) => hear(client, response))).rejects.toThrow(
      SyntaxError,
    );
  });

  test('a hanging stream begins and goes on only to its reader’s end', async () => {
    const playing = await start([{ ...DONE, fault: { kind: 'hang' } }]);
    const reader = (await ask(playing, client)).body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    const next = reader?.read();
    await playing.close();
    server = null;
    await expect(next).rejects.toThrow();
  });
});

test('a request without tools is no turn of a script', async () => {
  const playing = await start([DONE]);
  const response = await fetch(`${playing.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content: 'PLAY: name this session' }] }),
  });
  expect((await hear(CHAT, response)).text).toBe('A scripted turn');
  expect(playing.turns()).toEqual([]);
});

test('several calls of one step bring several results, and after the last step it is said again', async () => {
  const playing = await start([
    { toolCalls: [...(WRITE.toolCalls ?? []), ...(WRITE.toolCalls ?? [])] },
    WRITE,
    DONE,
  ]);
  for (const results of [0, 2, 3, 9]) await (await ask(playing, ANTHROPIC, { results })).text();
  expect(playing.turns().map(({ step }) => step)).toEqual([0, 1, 2, 2]);
});

test('a fault is counted for each prompt by itself', async () => {
  const playing = await start([{ ...DONE, fault: { kind: 'status', status: 529, times: 1 } }]);
  const statuses: number[] = [];
  for (const prompt of ['PLAY a', 'PLAY b', 'PLAY a']) {
    const response = await ask(playing, CHAT, { prompt });
    statuses.push(response.status);
    await response.text();
  }
  expect(statuses).toEqual([529, 529, 200]);
});

test('a result that a program tells twice counts once, and its own words beside the prompt do not count', async () => {
  const playing = await start([WRITE, { ...WRITE, text: 'Again.' }, DONE]);
  const response = { functionResponse: { id: 'call-1', name: 'write_file' } };
  const body = {
    tools: [{ functionDeclarations: [{ name: 'write_file' }] }],
    contents: [
      { role: 'user', parts: [{ text: '<context>of today</context>' }, { text: 'PLAY it' }] },
      { role: 'user', parts: [response, response] },
    ],
  };
  await fetch(`${playing.url}${GEMINI.path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(playing.turns()).toMatchObject([{ prompt: 'PLAY it', step: 1 }]);
});

test('a structured result goes by the tool of the program, as bare JSON or in a fence', async () => {
  const playing = await start([{ toolCalls: [{ structured: { value: { ok: true } } }] }]);
  const post = async (client: Client, more: object) => {
    const body = { ...client.body('PLAY', 0, false), ...more };
    return hear(
      client,
      await fetch(playing.url + client.path, { method: 'POST', body: JSON.stringify(body) }),
    );
  };
  expect(await post(ANTHROPIC, { tools: [{ name: 'StructuredOutput' }] })).toMatchObject({
    calls: [{ name: 'StructuredOutput', input: { ok: true } }],
  });
  expect(await post(RESPONSES, { text: { format: { type: 'json_schema' } } })).toMatchObject({
    text: '{"ok":true}',
  });
  expect(await post(CHAT, {})).toMatchObject({ text: '```json\n{\n  "ok": true\n}\n```' });
});

test.each([
  ['HEAD', '/', 200],
  ['GET', '/v1/models', 200],
  ['POST', '/v1/messages/count_tokens', 200],
  ['POST', '/v1beta/models/m:countTokens', 200],
  ['GET', '/elsewhere', 404],
])('%s %s answers %i', async (method, path, status) => {
  const playing = await start([DONE]);
  const response = await fetch(playing.url + path, { method });
  expect(response.status).toBe(status);
  expect(playing.served).toMatchObject([{ method, path, status, step: null }]);
});
