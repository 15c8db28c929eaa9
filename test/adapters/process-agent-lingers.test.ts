import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import type { Program } from '../../src/adapters/agent-process/program.ts';
import { createRecordReader } from '../../src/adapters/agent-process/record.ts';
import { REHEARSAL_CAN } from '../../src/adapters/agent-rehearsal/agent.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { AgentCall, AgentEvent } from '../../src/ports/agent.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-lingers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Says these lines and stays. */
const lingering = (...records: readonly object[]): Program => ({
  name: 'lingers',
  rehearsal: true,
  capabilities: REHEARSAL_CAN,
  start: async () => ({
    argv: [
      '/bin/sh',
      '-c',
      `${records.map((one) => `echo '${JSON.stringify(one)}'`).join('; ')}; sleep 1000`,
    ],
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
  }),
  reader: createRecordReader,
});

async function play(
  program: Program,
  more: Partial<AgentCall> = {},
  stop = new AbortController(),
): Promise<AgentEvent[]> {
  const agent = createProcessAgent(
    { processes: createProcesses(), stall_ms: Infinity, room: () => null },
    program,
  );
  const call: AgentCall = {
    key: `${folder.split('-').at(-1)}/1/0.1`,
    workflow: 'probe',
    role: 'alpha',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: '',
    cwd: folder,
    tier: 'inherit',
    model: null,
    profile: { kind: 'read_only' },
    deadline_ms: Infinity,
    money_left_usd: null,
    schema: {},
    result_file: join(folder, 'result.json'),
    dir: join(folder, 'call'),
    lang: 'en',
    slots: {},
    ...more,
  };
  const events: AgentEvent[] = [];
  for await (const event of agent.run(call, stop.signal)) {
    events.push(event);
    if (event.type === 'text') stop.abort();
  }
  return events;
}

const text = { type: 'text', text: 'x' };
const closing = { type: 'closing', outcome: 'limited', detail: 'no more', until: null };

test('a program that has said its end and is stopped afterwards ends as it said', async () => {
  expect((await play(lingering(closing, text))).at(-1)).toMatchObject({ outcome: 'limited' });
});

test('one that is stopped before it said its end has not come to it', async () => {
  expect((await play(lingering(text, closing))).at(-1)).toMatchObject({ outcome: 'aborted' });
});

test('one that never says its end is late', async () => {
  const late = { outcome: 'failed', detail: 'deadline' };
  const events = await play(lingering({ type: 'progress', line: 'x' }), { deadline_ms: 400 });
  expect(events.at(-1)).toMatchObject(late);
});

test('one that stays after its end is not waited for, and is nothing that it left running', async () => {
  const events = await play(lingering(closing));
  expect(events.map(({ type }) => type)).toEqual(['started', 'ended']);
});
