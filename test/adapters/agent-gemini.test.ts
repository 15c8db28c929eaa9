import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gemini } from '../../src/adapters/agent-gemini/kind.ts';
import { geminiReader } from '../../src/adapters/agent-gemini/reader.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import { agentCall, FULL_ENV, of, readAll, readRecorded, setup } from './agent-fixture.ts';

const reader = (session: Parameters<typeof geminiReader>[1] = null) => geminiReader(agentCall(), session);
const session = { id: 's', cwd: '/tree', counted: 0 };

const WRITES = { profile: { kind: 'writes', globs: ['**'] } } as const;
const lines = (...all: object[]) => all.map((line) => JSON.stringify(line)).join('\n');

describe('what the program says', () => {
  test('a turn that writes: session, text, what it does, what it used, its end', () => {
    expect(readRecorded('gemini', 'success', reader()).said).toEqual([
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
    expect(readAll(reader(), lines(...pieces, end))[0]).toEqual({
      type: 'text',
      text: '```json\n{"a":1}\n```',
    });
  });

  test.each([
    ['refused', ['edits hello.txt']],
    ['read-only', ['edits hello.txt', 'runs echo from-the-shell > shell.txt']],
    ['outside', ['edits /tree-beside/result.json']],
  ])('a tool it may not use is a denial, whatever its end says: %s', (name, denied) => {
    const { said, outcome } = readRecorded('gemini', name, reader());
    expect(of(said, 'denied').map(({ what }) => what)).toEqual(denied);
    expect(outcome).toBe('finished');
  });

  test.each([
    ['status-429', { outcome: 'limited', until: expect.any(String) }],
    ['status-429-plan', { outcome: 'limited', until: expect.any(String) }],
    ['status-401', { outcome: 'blocked', detail: expect.stringContaining('GEMINI_API_KEY') }],
    ['cut', { outcome: 'unavailable' }],
    ['malformed', { outcome: 'unavailable' }],
  ])('an end of the provider is judged by what it said: %s', (name, closing) => {
    expect(readRecorded('gemini', name, reader())).toMatchObject(closing);
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
    ['[API Error: API key not valid. (Status: INVALID_ARGUMENT)]', 'blocked', undefined],
    ['[API Error: models/x is not found (Status: NOT_FOUND)]', 'blocked', undefined],
    ['Reached max session turns for this session.', 'failed', undefined],
  ])('%s is %s', (message, outcome, until) => {
    const line = {
      type: 'result',
      timestamp: '2026-11-16T15:00:00.000Z',
      status: 'error',
      error: { message },
    };
    expect(readAll(reader(), lines(line)).at(-1)).toMatchObject({
      outcome,
      ...(until !== undefined && { until }),
    });
  });

  test.each(['interrupt-hang', 'interrupt-shell', 'terminate-hang', 'kill-resume'])(
    'a stream that was cut off has no end, although the program exits 0: %s',
    (name) => {
      const { said, outcome } = readRecorded('gemini', name, reader());
      expect(of(said, 'closing')).toEqual([]);
      expect(['unavailable', 'as usual']).toContain(outcome);
    },
  );

  test('a session that is not there any more is no failure of the worker', () => {
    const gone = reader(session).gone?.({ code: 42, signal: null }, 'Invalid session identifier "s".');
    expect(gone).toMatchObject({ outcome: 'unavailable' });
  });

  test('an exit 0 without its result was a stop from outside, and no failure of the worker', () => {
    const gone = reader().gone?.({ code: 0, signal: null }, '');
    expect(gone).toMatchObject({ outcome: 'unavailable' });
  });

  test('no way to sign in is told with what to do', () => {
    const gone = reader().gone?.(
      { code: 41, signal: null },
      'Please set an Auth method in your settings.json',
    );
    expect(gone).toMatchObject({ outcome: 'blocked', detail: expect.stringContaining('sign in') });
    const words = 'you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment';
    expect(reader().gone?.({ code: 41, signal: null }, words)).toMatchObject({
      outcome: 'blocked',
      detail: expect.stringContaining('specify the GEMINI_API_KEY environment variable'),
    });
  });

  test('what is no line of its stream is passed over', () => {
    expect(
      readAll(
        reader(),
        ['', 'Warning: x', '{"type":"init"', '{"type":"init","session_id":7}', '[]'].join('\n'),
      ),
    ).toEqual([]);
  });
});

test.each([
  ['Attempt 1 failed: RESOURCE_EXHAUSTED\nSuggested retry after 6s.. Retrying after 5924ms...', 'limited'],
  ['Attempt 2 failed with status 529. Retrying with backoff...', 'limited'],
  ['Attempt 1 failed: no such tool', undefined],
  ['', undefined],
])(
  'silent for too long, what it says of its tries on stderr tells a full provider: %j',
  (stderr, outcome) => {
    expect(reader().silent?.(`Ripgrep is not available.\n${stderr}\n`)?.outcome).toBe(outcome);
  },
);

describe('how it is started', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'baton-gemini-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const start = async (more: Partial<AgentCall>, settings: object = {}, from: typeof session | null = null) =>
    (await programOf(gemini, setup(settings)).start(agentCall({ dir, ...more }), from)) as Command;

  test('a writer may do all in the tree and the folder of its result, and nothing is asked', async () => {
    const { argv, stdin } = await start(WRITES);
    expect(argv).toEqual([
      ...['gemini', '--output-format', 'stream-json', '--skip-trust'],
      ...['--approval-mode', 'yolo', '--include-directories', '/calls/1'],
    ]);
    expect(stdin).toBe('Do it.');
  });

  test('a reader is in plan mode and offered no tool that writes or leaves it', async () => {
    const { argv } = await start({});
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
    const { env } = await start({}, { env: ['MY_PROXY', 'BATON_HOME'] });
    const { PATH, HOME, GEMINI_API_KEY, MY_PROXY, HTTPS_PROXY } = FULL_ENV;
    const switches = { GEMINI_TELEMETRY_ENABLED: 'false' };
    expect(env).toEqual({ PATH, HOME, GEMINI_API_KEY, MY_PROXY, HTTPS_PROXY, ...switches });
  });

  test('another command stands before the arguments', async () => {
    expect((await start({}, { command: ['npx', 'gemini'] })).argv.slice(0, 3)).toEqual([
      'npx',
      'gemini',
      '--output-format',
    ]);
  });

  test('a session is taken up by its id', async () => {
    const { argv, stdin } = await start({}, {}, session);
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
  ])('%j: %s', (env, told) => expect(gemini.signedIn(env, '/nowhere')).toBe(told));
});
