import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { geminiKind } from '../../src/adapters/agent-gemini/kind.ts';
import { geminiReader } from '../../src/adapters/agent-gemini/reader.ts';
import type { Setup } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import { AgentSettings } from '../../src/contract/agent-settings.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import { agentCall, closingOf, readLines, readRecorded, recordedLines } from './agent-streams.ts';

const reader = (session: Parameters<typeof geminiReader>[1] = null) => geminiReader(agentCall(), session);
const session = { id: 's', cwd: '/tree', told: 0 };

/** The provider said "3600s" in the last line of that stream. */
function hourAfter(name: string): string {
  const { timestamp } = JSON.parse(recordedLines('gemini', name).at(-1) ?? '');
  return new Date(Date.parse(timestamp) + 3_600_000).toISOString();
}

describe('what the program says', () => {
  test('a turn that writes: session, text, what it does, what it used, its end', () => {
    expect(readRecorded(reader(), 'gemini', 'success')).toEqual([
      { type: 'session', id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { type: 'text', text: 'I write the file.' },
      { type: 'progress', line: 'edits hello.txt' },
      { type: 'text', text: 'Done.' },
      { type: 'usage', usage: { money_usd: null, tokens: 2100 } },
      { type: 'closing', outcome: 'finished', detail: '' },
    ]);
  });

  test('a message that comes in pieces is one text', () => {
    const pieces = ['```js', 'on\n{"a":', '1}\n```'].map((content) => ({
      type: 'message',
      role: 'assistant',
      content,
    }));
    const end = { type: 'result', timestamp: '2026-11-16T15:16:03.060Z', status: 'success' };
    expect(readLines(reader(), [...pieces, end])[0]).toEqual({ type: 'text', text: '```json\n{"a":1}\n```' });
  });

  test.each([
    ['refused', ['edits hello.txt']],
    ['read-only', ['edits hello.txt', 'runs echo from-the-shell > shell.txt']],
    ['outside', ['edits /tree-beside/result.json']],
  ])('a tool it may not use is a denial, whatever its end says: %s', (name, denied) => {
    const said = readRecorded(reader(), 'gemini', name);
    expect(said.flatMap((event) => (event.type === 'denied' ? [event.what] : []))).toEqual(denied);
    expect(closingOf(said)).toMatchObject({ outcome: 'finished' });
  });

  test.each([
    ['status-429', { outcome: 'limited', until: hourAfter('status-429') }],
    ['status-429-plan', { outcome: 'limited', until: hourAfter('status-429-plan') }],
    ['status-401', { outcome: 'failed', detail: expect.stringContaining('GEMINI_API_KEY') }],
    ['cut', { outcome: 'unavailable' }],
    ['malformed', { outcome: 'unavailable' }],
  ])('an end of the provider is judged by what it said: %s', (name, closing) => {
    expect(closingOf(readRecorded(reader(), 'gemini', name))).toMatchObject(closing);
  });

  test.each([
    ['Quota exceeded. Your quota will reset after 3h12m5s.', 'limited', '2026-11-16T18:12:05.000Z'],
    [
      '[API Error: Please retry in 12.5s (Status: RESOURCE_EXHAUSTED)]',
      'limited',
      '2026-11-16T15:00:12.500Z',
    ],
    ['[API Error: The model is overloaded. (Status: UNAVAILABLE)]', 'limited', null],
    ['[API Error: {"error":{"code":503,"message":"down"}}]', 'unavailable', undefined],
    ['[API Error: API key not valid. (Status: INVALID_ARGUMENT)]', 'failed', undefined],
    ['[API Error: models/x is not found (Status: NOT_FOUND)]', 'failed', undefined],
    ['Reached max session turns for this session.', 'failed', undefined],
  ])('%s is %s', (message, outcome, until) => {
    const line = {
      type: 'result',
      timestamp: '2026-11-16T15:00:00.000Z',
      status: 'error',
      error: { message },
    };
    expect(closingOf(readLines(reader(), [line]))).toMatchObject({
      outcome,
      ...(until !== undefined && { until }),
    });
  });

  test.each(['interrupt-hang', 'interrupt-shell', 'terminate-hang', 'kill-resume'])(
    'a stream that was cut off has no end, although the program exits 0: %s',
    (name) => {
      const read = reader();
      expect(closingOf(readRecorded(read, 'gemini', name))).toBeUndefined();
      expect(read.gone?.({ code: 0, signal: null }, '')).toMatchObject({ outcome: 'unavailable' });
    },
  );

  test('a session that is not there any more is no failure of the worker', () => {
    const gone = reader(session).gone?.({ code: 42, signal: null }, 'Invalid session identifier "s".');
    expect(gone).toMatchObject({ outcome: 'unavailable' });
  });

  test('no way to sign in is told with what to do', () => {
    const gone = reader().gone?.(
      { code: 41, signal: null },
      'Please set an Auth method in your settings.json',
    );
    expect(gone).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('sign in') });
  });

  test('what is no line of its stream is passed over', () => {
    expect(
      readLines(reader(), ['', 'Warning: x', '{"type":"init"', '{"type":"init","session_id":7}', '[]']),
    ).toEqual([]);
  });
});

describe('how it is started', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'baton-gemini-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const start = async (more: Partial<AgentCall>, settings: object = {}, with_session = false) => {
    const setup: Setup = {
      name: 'gemini',
      settings: AgentSettings.parse(settings),
      env: {
        PATH: '/bin',
        GEMINI_API_KEY: 'k',
        ANTHROPIC_API_KEY: 'a',
        SSH_AUTH_SOCK: '/s',
        BATON_HOME: '/b',
        MINE: 'm',
      },
      worker: () => [],
    };
    const call = agentCall({ dir, ...more });
    return (await geminiKind.program(setup).start(call, with_session ? session : null)) as Command;
  };

  test('a writer may do all in the tree and the folder of its result, and nothing is asked', async () => {
    const { argv, stdin } = await start({});
    expect(argv).toEqual([
      ...['gemini', '--output-format', 'stream-json', '--skip-trust'],
      ...['--approval-mode', 'yolo', '--include-directories', dir],
    ]);
    expect(stdin).toBe('Do it.');
  });

  test('a reader is in plan mode and offered no tool that writes or leaves it', async () => {
    const { argv } = await start({ profile: { kind: 'read_only' } });
    expect(argv).toContain('plan');
    expect(argv).not.toContain('yolo');
    const policy = readFileSync(argv[argv.indexOf('--policy') + 1] ?? '', 'utf8');
    for (const tool of ['write_file', 'replace', 'run_shell_command', 'exit_plan_mode'])
      expect(policy).toContain(`"${tool}"`);
  });

  test.each([
    [{ tier: 'opus' }, {}, 'pro'],
    [{ tier: 'haiku' }, { models: { haiku: 'mine' } }, 'mine'],
    [{ tier: 'opus', model: 'exact' }, { models: { opus: 'mine' } }, 'exact'],
    [{ tier: 'inherit' }, {}, null],
  ] as const)('model of %j with %j: %s', async (call, settings, model) => {
    const { argv } = await start(call, settings);
    expect(argv.includes('--model') ? argv[argv.indexOf('--model') + 1] : null).toBe(model);
  });

  test('its own key and what baton.yaml names reach it, keys of others and ours do not', async () => {
    const { env } = await start({}, { env: ['MINE', 'BATON_HOME'] });
    expect(env).toMatchObject({ PATH: '/bin', GEMINI_API_KEY: 'k', MINE: 'm' });
    for (const name of ['ANTHROPIC_API_KEY', 'SSH_AUTH_SOCK', 'BATON_HOME'])
      expect(env).not.toHaveProperty(name);
  });

  test('another command stands before the arguments', async () => {
    expect((await start({}, { command: ['npx', 'gemini'] })).argv.slice(0, 3)).toEqual([
      'npx',
      'gemini',
      '--output-format',
    ]);
  });

  test('a session is taken up by its id', async () => {
    const { argv, stdin } = await start({ profile: { kind: 'read_only' } }, {}, true);
    expect(argv.slice(-2)).toEqual(['--resume', 's']);
    expect(stdin).toContain('Do it.');
  });

  test('an at sign in the task is no order to read a file', async () => {
    const { stdin } = await start({ prompt: 'mail a@b.org about @src/x and \\@y' });
    expect(stdin).toContain('mail a\\@b.org about \\@src/x and \\@y');
    expect(stdin).not.toMatch(/(?<!\\)@/);
  });
});

describe('signed in', () => {
  test.each([
    [{ GEMINI_API_KEY: 'k' }, true],
    [{}, false],
  ])('%j: %s', (env, told) => expect(geminiKind.signedIn(env, '/nowhere')).toBe(told));
});
