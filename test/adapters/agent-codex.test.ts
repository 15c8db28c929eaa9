import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codex } from '../../src/adapters/agent-codex/kind.ts';
import { createCodexReader } from '../../src/adapters/agent-codex/read-stream.ts';
import { toStrict, withoutNulls } from '../../src/adapters/agent-codex/strict-schema.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import { agentCall, FULL_ENV, of, readAll, readRecorded, setup } from './agent-fixture.ts';

const recorded = (name: string) => readRecorded('codex', name, createCodexReader(agentCall(), null));

describe('the stream of codex', () => {
  test.each([
    ['success', 'finished', ''],
    ['refused', 'finished', ''],
    ['cut-once', 'finished', ''],
    ['status-429-once', 'finished', ''],
    ['status-401', 'blocked', 'sign in with `codex login`'],
    ['status-429', 'limited', '429'],
    ['status-429-plan', 'limited', 'usage limit'],
    ['status-529', 'limited', '529'],
    ['status-500', 'unavailable', 'high demand'],
    ['cut', 'unavailable', 'stream disconnected'],
    ['interrupt-shell', 'as usual', ''],
    ['kill-resume', 'as usual', ''],
  ])('%s: the call is %s', (name, outcome, words) => {
    const read = recorded(name);
    expect(read.outcome).toBe(outcome);
    expect(read.detail).toContain(words);
  });

  test('an answer of the provider that came as JSON is told by its message', () => {
    const message = JSON.stringify({ error: { type: 'server_error', message: 'The model does not exist' } });
    const line = JSON.stringify({ type: 'turn.failed', error: { message } });
    expect(readAll(createCodexReader(agentCall(), null), line)).toEqual([
      {
        type: 'closing',
        outcome: 'blocked',
        detail: expect.stringContaining('The model does not exist: name'),
      },
    ]);
  });

  test('one that waits for a network, for ever and saying so, has come to its end', () => {
    const message = 'Reconnecting... waiting for network (Connection failed: error sending request)';
    const said = readAll(createCodexReader(agentCall(), null), JSON.stringify({ type: 'error', message }));
    expect(said).toEqual([
      { type: 'progress', line: expect.stringContaining('waiting for network') },
      {
        type: 'closing',
        outcome: 'unavailable',
        detail: 'waiting for network: Connection failed: error sending request',
      },
    ]);
  });

  test('a limit is read from the time in the id of the session', () => {
    const lines = [
      { type: 'thread.started', thread_id: '01a1e4eb-ba96-7880-bf72-9ff37372afcc' }, // 2026-11-16T15:13:36.406Z
      {
        type: 'turn.failed',
        error: { message: "You've hit your usage limit. Try again in 2 hours 5 minutes." },
      },
    ];
    const said = readAll(
      createCodexReader(agentCall(), null),
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect(of(said, 'closing')[0]?.until).toBe('2026-11-16T17:18:36.406Z');
  });

  test('a session that is gone is no fault of the call', () => {
    const words = 'Error: thread/resume failed: no rollout found for thread id 1';
    expect(createCodexReader(agentCall(), null).gone?.({ code: 1, signal: null }, words)).toMatchObject({
      outcome: 'unavailable',
    });
  });

  test.each([
    ['success', [], ['edits hello.txt']],
    ['shell', [], ['runs echo from-the-shell > shell.txt']],
    ['refused', ['patch rejected: writing is blocked by read-only sandbox'], []],
  ])('%s: what was refused and what was done is told, as far as it can be seen', (name, denied, lines) => {
    const { said } = recorded(name);
    expect(of(said, 'denied').map(({ what }) => what)).toEqual(denied);
    expect(of(said, 'progress').map(({ line }) => line)).toEqual(lines);
  });

  test('a command the sandbox stopped is a refusal, one that failed is not', () => {
    const ran = (aggregated_output: string) =>
      JSON.stringify({
        type: 'item.completed',
        item: {
          type: 'command_execution',
          command: "/bin/bash -lc 'touch a'",
          status: 'failed',
          aggregated_output,
        },
      });
    const read = (output: string) => readAll(createCodexReader(agentCall(), null), ran(output));
    expect(read("touch: cannot touch 'a': Read-only file system\n")).toEqual([
      { type: 'denied', what: 'runs touch a' },
    ]);
    expect(read('1 test failed\n')).toEqual([]);
  });

  test('a session taken up tells only what was not counted before, also played again', () => {
    const usage = (told: number) =>
      of(
        readRecorded(
          'codex',
          'kill-resume-2',
          createCodexReader(agentCall(), { id: 'S', cwd: '/tree', counted: told }),
        ).said,
        'usage',
      );
    expect(usage(0)).toEqual([{ type: 'usage', usage: { money_usd: null, tokens: 2100 } }]);
    expect(usage(1050)).toEqual([{ type: 'usage', usage: { money_usd: null, tokens: 1050 } }]);
  });

  test('the last message is the result where a schema was told, and whether it fits is for the caller', () => {
    expect(of(recorded('structured').said, 'result')).toEqual([
      { type: 'result', value: { verdict: 'pass' } },
    ]);
    expect(of(recorded('structured-wrong').said, 'result')).toEqual([
      { type: 'result', value: { verdict: 'perhaps' } },
    ]);
    expect(of(recorded('structured-miss').said, 'result')).toEqual([]);
    const plain = createCodexReader(agentCall({ schema: {} }), null);
    expect(of(readRecorded('codex', 'structured', plain).said, 'result')).toEqual([]);
  });

  test('lines that are no record say nothing', () => {
    const text =
      '\nnull\n7\n{"type":"turn\n{"type":"constructor"}\n{"type":"item.started","item":{"type":"toString"}}';
    expect(readAll(createCodexReader(agentCall(), null), text)).toEqual([]);
  });
});

describe('a strict schema', () => {
  const text = { type: 'string', minLength: 1, pattern: '^x' };

  test.each([
    [
      'bounds and patterns are left to us',
      { type: 'object', properties: { a: text }, required: ['a'] },
      { a: { type: 'string' } },
    ],
    [
      'what may be missing may be null',
      { type: 'object', properties: { a: text } },
      { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    ],
    [
      'what may be anything is left out where it may be missing',
      { type: 'object', properties: { a: {} } },
      {},
    ],
    [
      'lists and choices are kept',
      {
        type: 'object',
        properties: {
          a: {
            anyOf: [
              { type: 'array', items: text },
              { const: 'N/A', type: 'string' },
            ],
          },
        },
        required: ['a'],
      },
      {
        a: {
          anyOf: [
            { type: 'array', items: { type: 'string' } },
            { const: 'N/A', type: 'string' },
          ],
        },
      },
    ],
  ])('%s', (_, schema, properties) => {
    expect(toStrict(schema)).toEqual({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
  });

  test.each([
    ['no schema', {}],
    ['nothing', null],
    ['a list', { type: 'array', items: text }],
    [
      'an object with a part that may be anything',
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
  ])('%s cannot be told', (_, schema) => {
    expect(toStrict(schema)).toBeNull();
  });

  test('nulls that stand for missing properties are taken out again, others stay', () => {
    const item = {
      type: 'object',
      properties: { id: text, note: { anyOf: [text, { type: 'null' }] } },
      required: ['note'],
    };
    const schema = {
      type: 'object',
      properties: { list: { anyOf: [{ type: 'array', items: item }, { type: 'null' }] } },
      required: ['list'],
    };
    expect(
      withoutNulls(
        {
          list: [
            { id: null, note: null },
            { id: 'x', note: 'y' },
          ],
        },
        schema,
      ),
    ).toEqual({
      list: [{ note: null }, { id: 'x', note: 'y' }],
    });
    expect(withoutNulls({ list: null }, schema)).toEqual({ list: null });
  });
});

describe('the command line of codex', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'baton-codex-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const started = async (more: Partial<AgentCall> = {}, settings: unknown = {}, env = {}) => {
    const program = programOf(codex, setup(settings, { ...FULL_ENV, HOME: dir, ...env }));
    return (await program.start(agentCall({ dir, ...more }), null)) as Command;
  };

  test('a reader reads, a writer writes its folder, and nobody is asked', async () => {
    const reader = (await started()).argv.join(' ');
    expect(reader).toContain('exec --json --skip-git-repo-check -C /tree --sandbox read-only');
    expect(reader).toContain('-c approval_policy="never"');
    const writer = await started({ profile: { kind: 'writes', globs: ['**'] } });
    expect(writer.argv.join(' ')).toContain('--sandbox workspace-write');
  });

  test('the model is told only where one was chosen', async () => {
    expect((await started({ tier: 'opus' })).argv).not.toContain('-m');
    expect((await started({ tier: 'opus' }, { models: { opus: 'big' } })).argv.join(' ')).toContain('-m big');
    expect((await started({ model: 'own' })).argv.join(' ')).toContain('-m own');
  });

  test('the schema is told in a file, and not at all where it cannot be strict', async () => {
    const { argv } = await started();
    const file = argv[argv.indexOf('--output-schema') + 1] ?? '';
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      required: ['verdict'],
      additionalProperties: false,
    });
    expect((await started({ schema: {} })).argv).not.toContain('--output-schema');
  });

  test("the person's tool servers stay off", async () => {
    mkdirSync(join(dir, '.codex'));
    const config =
      '[mcp_servers.docs]\ncommand = "x"\n[mcp_servers.docs.env]\n[mcp_servers."a b"]\n[other]\n';
    writeFileSync(join(dir, '.codex/config.toml'), config);
    const { argv } = await started();
    expect(argv.filter((word) => word.startsWith('mcp_servers'))).toEqual([
      'mcp_servers.docs.enabled=false',
      'mcp_servers."a b".enabled=false',
    ]);
  });

  test('the task comes on stdin; a session taken up is told to go on', async () => {
    const fresh = await started({}, { command: ['other', '-x'] });
    expect(fresh.stdin).toBe('Do it.');
    expect(fresh.argv.slice(0, 3)).toEqual(['other', '-x', 'exec']);
    expect(fresh.argv.at(-1)).toBe('-');
    const program = programOf(codex, setup());
    const again = (await program.start(agentCall({ dir }), { id: 'S', cwd: '/tree', counted: 0 })) as Command;
    expect(again.argv.slice(-3)).toEqual(['resume', 'S', '-']);
    expect(again.stdin).toContain('Go on');
  });

  test('it sees its own key and the way out, and no secret of anybody else', async () => {
    const { env } = await started();
    expect(env).toMatchObject({ OPENAI_API_KEY: 'o', HTTPS_PROXY: 'http://proxy' });
    for (const name of [
      'ANTHROPIC_API_KEY',
      'GEMINI_API_KEY',
      'GITHUB_TOKEN',
      'SSH_AUTH_SOCK',
      'BATON_HOME',
      'BATON_TOKEN',
      'MY_PROXY',
    ])
      expect(Object.keys(env)).not.toContain(name);
  });

  test('signed in is told by a key or the file of the login; settings of their own cannot be told', () => {
    expect(codex.signedIn({ CODEX_API_KEY: 'o' }, dir)).toBe(true);
    expect(codex.signedIn({ OPENAI_API_KEY: 'o' }, dir), 'a key it does not read').toBe(false);
    expect(codex.signedIn({}, dir)).toBe(false);
    mkdirSync(join(dir, '.codex'));
    writeFileSync(join(dir, '.codex/config.toml'), '');
    expect(codex.signedIn({}, dir)).toBeNull();
    writeFileSync(join(dir, '.codex/auth.json'), '{}');
    expect(codex.signedIn({}, dir)).toBe(true);
  });
});
