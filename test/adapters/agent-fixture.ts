import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reader, Spoken } from '../../src/adapters/agent-process/program.ts';
import { AgentSettings } from '../../src/contract/agent-settings.ts';
import type { AgentCall } from '../../src/ports/agent.ts';

const RECORDED = join(import.meta.dirname, '../agents/recorded');

export const VERDICT = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['pass', 'fail'] } },
  required: ['verdict'],
  additionalProperties: false,
};

export function agentCall(more: Partial<AgentCall> = {}): AgentCall {
  return {
    key: 'de-abc/2/0.1',
    workflow: 'deliver',
    role: 'evaluator',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: 'Do it.',
    cwd: '/tree',
    tier: 'inherit',
    model: null,
    money_left_usd: null,
    profile: { kind: 'read_only' },
    deadline_ms: 60_000,
    schema: VERDICT,
    result_file: '/calls/1/result.json',
    dir: '/calls/1',
    lang: 'en',
    slots: {},
    ...more,
  };
}

/** A person's environment with secrets of several programs and things no worker may have. */
export const FULL_ENV = {
  PATH: '/bin',
  HOME: '/tess',
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  GITHUB_TOKEN: 't',
  SSH_AUTH_SOCK: '/s',
  BATON_HOME: '/b',
  BATON_TOKEN: 'b',
  MY_PROXY: 'p',
  HTTPS_PROXY: 'http://proxy',
};

/** What every program is made with in these tests. */
export function setup(settings: unknown = {}, env: Readonly<Record<string, string>> = FULL_ENV) {
  return { name: 'it', settings: AgentSettings.parse(settings), env, worker: () => [] };
}

/** What a reader makes of one recorded stream of the real program, and how that run ended. */
export function readRecorded(program: string, name: string, reader: Reader) {
  const file = (base: string) => readFileSync(join(RECORDED, program, base), 'utf8');
  const ending = JSON.parse(file('endings.json'))[name] as {
    exit: number | null;
    signal: string | null;
    stderr: string[];
  };
  const said = readAll(reader, file(`${name}.jsonl`));
  const stderr = ending.stderr.join('\n');
  const end = said.findLast(({ type }) => type === 'closing');
  const { outcome, detail, until } = (end ??
    reader.gone?.({ code: ending.exit, signal: ending.signal }, stderr) ?? {
      outcome: 'as usual',
      detail: '',
    }) as { outcome: string; detail: string; until?: string | null };
  return { said: [...said, ...(reader.afterwards?.(stderr) ?? [])], outcome, detail, until };
}

export function readAll(reader: Reader, text: string): Spoken[] {
  return text.split('\n').flatMap((line) => reader.read(line));
}

/** The events of one type, without the type. */
export function of<T extends Spoken['type']>(said: readonly Spoken[], type: T) {
  return said.filter((event): event is Extract<Spoken, { type: T }> => event.type === type);
}
