import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { leaveProcess } from './play.mjs';

// An agent of the Agent Client Protocol. Beside the scenarios of the suite: `cancels` ends its turn when asked to,
// `dies` and `crashes` in its turn, `asks:<json>` asks for a permission and tells the outcome, `files:<json>` reads
// and writes through the client and tells what came back, `refused:<code>:<words>` answers with an error.

const RESULT = '```json\n{"ok": true}\n```';
const [name, ...rest] = process.argv[2].split(':');
const value = rest.join(':');
const sessionId = 'session-1';
const cancelled = Promise.withResolvers();

const tell = (client, text) =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });

const work = (client, update = {}) =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title: 'Write a.ts',
      kind: 'edit',
      status: 'pending',
      locations: [{ path: `${process.cwd()}/src/a.ts` }],
      ...update,
    },
  });

const answerOf = (request) =>
  request.then(
    (answer) => ({ answer }),
    (error) => ({ error: error.message, code: error.code }),
  );

const TURNS = {
  async hangs(client) {
    leaveProcess();
    await work(client);
    await new Promise(() => {});
  },
  async cancels(client) {
    await work(client);
    await cancelled.promise;
    return 'cancelled';
  },
  async leaves_process(client) {
    leaveProcess();
    await tell(client, RESULT);
  },
  async answers(client) {
    await work(client);
    for (const piece of [RESULT.slice(0, 9), RESULT.slice(9)]) await tell(client, piece);
  },
  fails: () => 'refusal',
  dies: () => {
    process.stderr.write('Error: no such model\n');
    process.exit(7);
  },
  crashes: () => process.kill(process.pid, 'SIGKILL'),
  refused() {
    const [code, ...words] = value.split(':');
    throw Object.assign(new Error(words.join(':')), { code: Number(code) });
  },
  async asks(client) {
    const { toolCall, options } = JSON.parse(value);
    const request = { sessionId, toolCall: { toolCallId: 'call-9', ...toolCall }, options };
    const outcome = await client.request(methods.client.session.requestPermission, request);
    await tell(client, JSON.stringify(outcome.outcome));
  },
  async files(client) {
    const told = [];
    for (const [method, params] of JSON.parse(value))
      told.push(await answerOf(client.request(method, { sessionId, ...params })));
    await tell(client, JSON.stringify(told));
  },
};

agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId }))
  .onRequest(methods.agent.session.load, async ({ client, params }) => {
    if (params.sessionId !== sessionId) throw new Error('no such session');
    await tell(client, 'an old word');
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => cancelled.resolve())
  .onRequest(methods.agent.session.prompt, async ({ client, params }) => {
    if (name === 'echoes') await tell(client, params.prompt[0].text);
    const stopReason = (await TURNS[name]?.(client)) ?? 'end_turn';
    return { stopReason, usage: { totalTokens: 1050, inputTokens: 1000, outputTokens: 50 } };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
