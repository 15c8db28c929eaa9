import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reader, Spoken } from '../../src/adapters/agent-process/program.ts';
import type { AgentCall } from '../../src/ports/agent.ts';

const RECORDED = path.join(import.meta.dirname, '../agents/recorded');

/** What a reader makes of a stream the real program wrote. */
export function readRecorded(reader: Reader, program: string, name: string): Spoken[] {
  return readLines(reader, recordedLines(program, name));
}

export function recordedLines(program: string, name: string): string[] {
  const file = path.join(RECORDED, program, `${name}.jsonl`);
  return readFileSync(file, 'utf8').trim().split('\n');
}

export function readLines(reader: Reader, lines: readonly (string | object)[]): Spoken[] {
  return lines.flatMap((line) => reader.read(typeof line === 'string' ? line : JSON.stringify(line)));
}

export function closingOf(spoken: readonly Spoken[]): Spoken | undefined {
  return spoken.findLast(({ type }) => type === 'closing');
}

/** A call as far as programs look at it. */
export function agentCall(more: Partial<AgentCall> = {}): AgentCall {
  return {
    key: 'sp-3aa/2/0.1',
    role: 'implementation',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: 'Do it.',
    cwd: '/tree',
    tier: 'inherit',
    model: null,
    money_left_usd: null,
    profile: { kind: 'writes', globs: ['**'] },
    deadline_ms: 20_000,
    schema: {},
    result_file: '/calls/1/result.json',
    dir: '/calls/1',
    lang: 'en',
    slots: {},
    ...more,
  };
}
