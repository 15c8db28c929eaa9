import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import type { Program } from '../../src/adapters/agent-process/program.ts';
import { recordReader } from '../../src/adapters/agent-process/record.ts';
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
  reader: () => recordReader,
});

async function play(program: Program): Promise<AgentEvent | undefined> {
  const agent = createProcessAgent(
    { processes: createProcesses(), stall_ms: Infinity, contain: null },
    program,
  );
  const call: AgentCall = {
    key: `${folder.split('-').at(-1)}/1/0.1`,
    role: 'alpha',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: '',
    cwd: folder,
    tier: 'inherit',
    model: null,
    profile: { kind: 'read_only' },
    deadline_ms: 400,
    money_left_usd: null,
    schema: {},
    result_file: join(folder, 'result.json'),
    dir: join(folder, 'call'),
    lang: 'en',
    slots: {},
  };
  const events: AgentEvent[] = [];
  for await (const event of agent.run(call, new AbortController().signal)) events.push(event);
  return events.at(-1);
}

test('a program that has said its end and does not go is ended, and its end counts', async () => {
  const closing = { type: 'closing', outcome: 'limited', detail: 'no more', until: null };
  expect(await play(lingering({ type: 'text', text: 'x' }, closing))).toMatchObject({ outcome: 'limited' });
});

test('one that has not said its end is late', async () => {
  expect(await play(lingering({ type: 'text', text: 'x' }))).toMatchObject({
    outcome: 'failed',
    detail: 'deadline',
  });
});
