import { describe, expect, test } from 'vitest';
import { opencode } from '../../src/adapters/agent-opencode/kind.ts';
import { opencodeReader } from '../../src/adapters/agent-opencode/reader.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import { agentCall, FULL_ENV, of, readAll, readRecorded, setup } from './agent-fixture.ts';

const session = { id: 'ses_1', cwd: '/tree', counted: 0 };
const reader = (from: typeof session | null = null) => opencodeReader(agentCall(), from);

const WRITES = { profile: { kind: 'writes', globs: ['**'] } } as const;
const read = (...all: object[]) => readAll(reader(), all.map((line) => JSON.stringify(line)).join('\n'));

const finish = (reason: string, cost = 0) => ({
  type: 'step_finish',
  part: { reason, cost, tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 3, write: 1 } } },
});

const error = (data: object, name = 'APIError') => ({
  type: 'error',
  timestamp: Date.parse('2026-11-16T15:00:00Z'),
  error: { name, data },
});

describe('what the program says', () => {
  test('a turn that writes: session, text, what it does, what it has used so far, its end', () => {
    expect(readRecorded('opencode', 'success', reader()).said).toEqual([
      { type: 'session', id: expect.stringMatching(/^ses_/) },
      { type: 'text', text: 'I write the file.' },
      { type: 'progress', line: 'edits hello.txt' },
      { type: 'usage', usage: { money_usd: null, tokens: 1050 } },
      { type: 'text', text: 'Done.' },
      { type: 'usage', usage: { money_usd: null, tokens: 2100 } },
      { type: 'closing', outcome: 'finished', detail: '' },
    ]);
  });

  test.each([
    ['read-only', ['uses write', 'uses bash']],
    ['outside', ['edits /tree-beside/result.json']],
  ])('a tool it may not use is a denial, whatever its end says: %s', (name, denied) => {
    const { said, outcome } = readRecorded('opencode', name, reader());
    expect(of(said, 'denied').map(({ what }) => what)).toEqual(denied);
    expect(outcome).toBe('finished');
  });

  test('a tool that fails is no denial', () => {
    const state = { status: 'error', input: { command: 'npm test' }, error: 'exit 1' };
    expect(read({ type: 'tool_use', part: { tool: 'bash', state } })).toEqual([
      { type: 'progress', line: 'runs npm test' },
    ]);
  });

  test('money is added up; a model without a price is unknown, not free', () => {
    const spent = (cost: number) => read(finish('tool-calls', cost), finish('stop', cost));
    expect(spent(0.25)).toContainEqual({ type: 'usage', usage: { money_usd: 0.5, tokens: 40 } });
    expect(spent(0)).toContainEqual({ type: 'usage', usage: { money_usd: null, tokens: 40 } });
  });

  test.each([
    ['stop', 'finished'],
    ['length', 'failed'],
    ['content-filter', 'failed'],
    ['unknown', 'failed'],
  ])('a step that ends with %s has %s', (reason, outcome) => {
    expect(read(finish(reason)).at(-1)).toMatchObject({ outcome });
  });

  test.each([
    [
      { message: 'too many', statusCode: 429, responseHeaders: { 'retry-after': '3600' } },
      'limited',
      '2026-11-16T16:00:00.000Z',
    ],
    [
      { message: 'Rate limit reached, try again in 2 hours', statusCode: 429 },
      'limited',
      '2026-11-16T17:00:00.000Z',
    ],
    [{ message: 'x', statusCode: 529 }, 'limited', null],
    [{ message: 'x', statusCode: 500 }, 'unavailable', undefined],
    [{ message: 'bad key', statusCode: 401 }, 'blocked', undefined],
    [{ message: 'no such model' }, 'failed', undefined],
  ])('an error %j is %s', (data, outcome, until) => {
    const closing = read(error(data)).at(-1);
    expect(closing).toMatchObject({ outcome, ...(until !== undefined && { until }) });
  });

  test('who is not signed in is told what to do', () => {
    const closing = read(error({ message: 'x', statusCode: 401 })).at(-1);
    expect(closing).toMatchObject({ detail: expect.stringContaining('opencode auth login') });
  });

  test('silent for too long, its log tells a quota it sleeps out; anything else is no reason', () => {
    const log = (error: string) => `level=ERROR run=1 message="stream error" error.error="${error}"`;
    expect(reader().silent?.(log('AI_APICallError: rate_limit_exceeded'))).toMatchObject({
      outcome: 'limited',
      until: null,
    });
    expect(reader().silent?.(log('AI_APICallError: no such tool'))).toBeNull();
    expect(reader().silent?.('')).toBeNull();
  });

  test('a session that is not there any more is no failure of the worker', () => {
    const gone = reader(session).gone?.({ code: 1, signal: null }, 'Session not found');
    expect(gone).toMatchObject({ outcome: 'unavailable' });
  });
});

describe('how it is started', () => {
  const env = { ...FULL_ENV, OPENCODE_CONFIG: '/c.json', OPENCODE_PERMISSION: '{"*":"ask"}' };
  const start = async (
    more: Partial<AgentCall> = {},
    settings: object = {},
    from: typeof session | null = null,
  ) => (await programOf(opencode, setup(settings, env)).start(agentCall(more), from)) as Command;
  const rules = ({ env }: Command) => JSON.parse(env.OPENCODE_PERMISSION ?? '');

  test('the task is on stdin, the model where one was named', async () => {
    const { argv, stdin } = await start({ tier: 'opus' }, { models: { opus: 'some/model' } });
    expect(argv).toEqual([
      ...['opencode', 'run', '--format', 'json', '--print-logs', '--log-level', 'ERROR'],
      ...['--model', 'some/model'],
    ]);
    expect(stdin).toBe('Do it.');
    expect((await start({ tier: 'opus' })).argv).not.toContain('--model');
  });

  test('a reader is allowed to look and nothing else', async () => {
    const { '*': rest, ...looks } = rules(await start());
    expect(rest).toBe('deny');
    expect(Object.keys(looks)).toEqual(['read', 'glob', 'grep', 'list', 'todowrite', 'lsp']);
  });

  test('a writer is asked nothing; outside the tree it reaches the folder of its result', async () => {
    const writer = rules(await start(WRITES));
    expect(writer).toMatchObject({
      '*': 'allow',
      external_directory: { '*': 'deny', '/calls/1/*': 'allow' },
    });
    expect(JSON.stringify(writer)).not.toContain('"ask"');
  });

  test('the person’s configuration reaches it, keys of others and ours do not', async () => {
    const command = await start();
    expect(command.env).toMatchObject({
      PATH: '/bin',
      OPENCODE_CONFIG: '/c.json',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    });
    for (const name of ['GEMINI_API_KEY', 'ANTHROPIC_API_KEY', 'SSH_AUTH_SOCK', 'BATON_HOME'])
      expect(command.env).not.toHaveProperty(name);
    expect((await start({}, { env: ['ANTHROPIC_API_KEY'] })).env).toMatchObject({ ANTHROPIC_API_KEY: 'a' });
  });

  test('a session is taken up by its id', async () => {
    const { argv, stdin } = await start({}, {}, session);
    expect(argv.slice(-2)).toEqual(['--session', 'ses_1']);
    expect(stdin).toContain('Do it.');
  });
});
