import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claude } from '../../src/adapters/agent-claude/kind.ts';
import { createClaudeReader } from '../../src/adapters/agent-claude/read-stream.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import { agentCall, FULL_ENV, of, readAll, readRecorded, setup, VERDICT } from './agent-fixture.ts';

const recorded = (name: string) => readRecorded('claude', name, createClaudeReader(agentCall()));

describe('the stream of claude', () => {
  test.each([
    ['success', 'finished', ''],
    ['refused', 'finished', ''],
    ['structured', 'finished', ''],
    ['cut-once', 'finished', ''],
    ['budget', 'failed', 'it spent the money it was given'],
    ['status-401', 'blocked', 'sign in with `claude auth login`'],
    ['status-429', 'limited', '429'],
    ['status-429-plan', 'limited', "You've hit your 5-hour limit"],
    ['status-529', 'limited', '529'],
    ['status-500', 'unavailable', '500'],
    ['cut', 'unavailable', 'Connection'],
    ['interrupt-shell', 'unavailable', 'interrupted'],
    ['terminate-shell', 'unavailable', 'killed from outside'],
    ['kill-resume', 'as usual', ''],
  ])('%s: the call is %s', (name, outcome, words) => {
    const read = recorded(name);
    expect(read.outcome).toBe(outcome);
    expect(read.detail).toContain(words);
  });

  test('success with is_error is not finished', () => {
    const line = { type: 'result', subtype: 'success', is_error: true, result: 'Something broke' };
    const said = readAll(createClaudeReader(agentCall()), JSON.stringify(line));
    expect(of(said, 'closing')).toEqual([{ type: 'closing', outcome: 'failed', detail: 'Something broke' }]);
  });

  test('a limit with a reset tells the time it ends at', () => {
    expect(recorded('status-429-plan').until).toBe('2026-11-16T16:33:07.000Z');
    expect(recorded('status-429').until).toBeNull();
  });

  test('a limit that is only told in words is read from the time it was said at', () => {
    const told = {
      type: 'assistant',
      timestamp: '2026-11-16T15:10:00.000Z',
      is_api_error_message: true,
      message: {},
    };
    const end = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'Session limit · resets 5pm (Asia/Seoul)',
    };
    const said = readAll(createClaudeReader(agentCall()), `${JSON.stringify(told)}\n${JSON.stringify(end)}`);
    expect(of(said, 'closing')[0]).toMatchObject({ outcome: 'limited', until: '2026-11-17T08:00:00.000Z' });
  });

  test.each([
    ['success', [], ['edits hello.txt']],
    ['shell', [], ['runs echo from-the-shell > shell.txt']],
    ['refused', ['edits hello.txt'], ['edits hello.txt']],
    ['outside', ['edits /tree-beside/result.json'], ['edits /tree-beside/result.json']],
    [
      'read-only',
      ['edits hello.txt', 'runs echo from-the-shell > shell.txt'],
      ['edits hello.txt', 'runs echo from-the-shell > shell.txt'],
    ],
    ['status-529', [], ['asks again, 1 of 1: the provider answered 529']],
  ])('%s: what was refused and what was done is told once each', (name, denied, lines) => {
    const { said } = recorded(name);
    expect(of(said, 'denied').map(({ what }) => what)).toEqual(denied);
    expect(of(said, 'progress').map(({ line }) => line)).toEqual(lines);
  });

  test('a refusal that only the end tells of is told too', () => {
    const denial = { tool_name: 'Write', tool_use_id: 't', tool_input: { file_path: '/tree/a.txt' } };
    const line = { type: 'result', subtype: 'success', is_error: false, permission_denials: [denial] };
    const said = readAll(createClaudeReader(agentCall()), JSON.stringify(line));
    expect(of(said, 'denied')).toEqual([{ type: 'denied', what: 'edits a.txt' }]);
  });

  test('tokens grow by message and end with all that was used, and the money', () => {
    const usage = of(recorded('read-only').said, 'usage').map((event) => event.usage);
    expect(usage.map(({ tokens }) => tokens)).toEqual([1001, 2002, 3003, 3150]);
    expect(usage.map(({ money_usd }) => money_usd)).toEqual([null, null, null, 0.01125]);
  });

  test('tokens of the cache count, and tokens without a price are unknown money', () => {
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 4000,
    };
    const line = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0, usage };
    const said = readAll(createClaudeReader(agentCall()), JSON.stringify(line));
    expect(of(said, 'usage')).toEqual([{ type: 'usage', usage: { money_usd: null, tokens: 4321 } }]);
  });

  test('a result that fits comes as a value; one that does not never comes', () => {
    expect(of(recorded('structured').said, 'result')).toEqual([
      { type: 'result', value: { verdict: 'pass' } },
    ]);
    for (const name of ['structured-miss', 'structured-wrong']) {
      expect(of(recorded(name).said, 'result')).toEqual([]);
      expect(recorded(name).outcome).toBe('finished');
    }
  });

  test('the session is the one the program names', () => {
    expect(of(recorded('kill-resume').said, 'session')).toHaveLength(1);
    expect(of(recorded('kill-resume').said, 'session')).toEqual(
      of(recorded('kill-resume-2').said, 'session'),
    );
  });

  test('no line is long or holds what a terminal would act on', () => {
    const content = [
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: `\u001b[2Jls\n${'x'.repeat(500)}` } },
    ];
    const said = readAll(
      createClaudeReader(agentCall()),
      JSON.stringify({ type: 'assistant', message: { content } }),
    );
    expect(of(said, 'progress')[0]?.line).toMatch(/^runs \[2Jls x{50,120}…$/);
  });

  test('lines that are no record say nothing', () => {
    expect(
      readAll(createClaudeReader(agentCall()), '\nnull\n7\n"x"\n{"type":"ass\n{"type":"constructor"}'),
    ).toEqual([]);
  });
});

describe('the command line of claude', () => {
  const argvOf = async (more: Partial<AgentCall> = {}, settings: unknown = {}) => {
    const started = await programOf(claude, setup(settings)).start(agentCall(more), null);
    return (started as Command).argv.join(' ');
  };

  test('a reader has no tool that writes and is never asked; a writer may write the tree and its result', async () => {
    expect(await argvOf()).toContain('--tools Read,Glob,Grep,Bash --permission-mode dontAsk');
    const writer = await argvOf({ profile: { kind: 'writes', globs: ['**'] } });
    expect(writer).toContain('--permission-mode acceptEdits --allowedTools Bash Edit(//calls/1/result.json)');
  });

  test.each([
    ['the tier as the kind has it', { tier: 'opus' }, {}, '--model opus'],
    ['the tier as baton.yaml has it', { tier: 'opus' }, { models: { opus: 'big' } }, '--model big'],
    ['the model of the role', { tier: 'opus', model: 'own' }, { models: { opus: 'big' } }, '--model own'],
    ['a named agent', { bound: 'my-reviewer' }, {}, '--agent my-reviewer'],
    ['the money that is left', { money_left_usd: 0.25 }, {}, '--max-budget-usd 0.2500'],
    [
      'the wanted schema without its name',
      { schema: { $schema: 'x', ...VERDICT } },
      {},
      `--json-schema ${JSON.stringify(VERDICT)}`,
    ],
  ] as const)('%s is told', async (_, call, settings, words) => {
    expect(await argvOf(call, settings)).toContain(words);
  });

  test('nothing is told that was not asked for', async () => {
    const plain = await argvOf({ schema: {} });
    for (const flag of ['--model', '--agent', '--json-schema', '--max-budget-usd', '--resume'])
      expect(plain).not.toContain(flag);
  });

  test('the task comes on stdin; a session taken up is told to go on', async () => {
    const program = programOf(claude, setup({ command: ['other', '-x'] }));
    const fresh = (await program.start(agentCall(), null)) as Command;
    expect(fresh).toMatchObject({ stdin: 'Do it.' });
    expect(fresh.argv.slice(0, 3)).toEqual(['other', '-x', '-p']);
    const again = (await program.start(agentCall(), { id: 'S', cwd: '/tree', counted: 0 })) as Command;
    expect(again.argv.slice(-2)).toEqual(['--resume', 'S']);
    expect(again.stdin).toContain('Go on');
  });

  test('it sees its own key, the way out and what baton.yaml lets it see, and no secret of anybody else', async () => {
    const { env } = (await programOf(claude, setup({ env: ['MY_PROXY', 'BATON_TOKEN'] })).start(
      agentCall(),
      null,
    )) as Command;
    expect(env).toMatchObject({
      ANTHROPIC_API_KEY: 'a',
      HTTPS_PROXY: 'http://proxy',
      MY_PROXY: 'p',
      DISABLE_AUTOUPDATER: '1',
    });
    const kept = Object.keys(env);
    for (const name of [
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'GITHUB_TOKEN',
      'SSH_AUTH_SOCK',
      'BATON_HOME',
      'BATON_TOKEN',
    ])
      expect(kept).not.toContain(name);
  });

  test.each([
    [{}, []],
    [{ CLAUDE_CODE_USE_BEDROCK: '0' }, []],
    [{ CLAUDE_CODE_USE_BEDROCK: '1' }, ['AWS_SECRET_ACCESS_KEY']],
    [{ CLAUDE_CODE_USE_VERTEX: 'true' }, ['GOOGLE_APPLICATION_CREDENTIALS']],
    [{ CLAUDE_CODE_USE_FOUNDRY: '1' }, ['ANTHROPIC_FOUNDRY_API_KEY']],
  ])('the keys of a cloud reach it where it is told to ask that cloud: %o', async (chosen, reaching) => {
    const keys = {
      AWS_SECRET_ACCESS_KEY: 's',
      GOOGLE_APPLICATION_CREDENTIALS: '/g.json',
      ANTHROPIC_FOUNDRY_API_KEY: 'f',
    };
    const made = programOf(claude, setup({}, { ...FULL_ENV, ...keys, ...chosen }));
    const { env } = (await made.start(agentCall(), null)) as Command;
    expect(Object.keys(keys).filter((name) => name in env)).toEqual(reaching);
  });
});

describe('what claude has', () => {
  let home = '';
  const inHome = () => {
    home = mkdtempSync(join(tmpdir(), 'baton-claude-'));
    return home;
  };
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test("the person's own agents are offered by name, and nothing where there are none", () => {
    const folder = inHome();
    const offers = () => programOf(claude, setup({}, { HOME: folder })).offers;
    expect(offers()).toEqual([]);
    mkdirSync(join(folder, '.claude/agents'), { recursive: true });
    writeFileSync(
      join(folder, '.claude/agents/a.md'),
      '---\nname: my-reviewer\ntools: Read\n---\nI review.\n',
    );
    writeFileSync(join(folder, '.claude/agents/b.md'), 'name: not-in-a-heading\n');
    expect(offers()).toEqual(['my-reviewer']);
  });

  test('signed in is told by a key or by the file of the login', () => {
    const folder = inHome();
    expect(claude.signedIn({ ANTHROPIC_API_KEY: 'a' }, folder)).toBe(true);
    expect(claude.signedIn({}, folder)).toBe(process.platform === 'darwin' ? null : false);
    mkdirSync(join(folder, '.claude'));
    writeFileSync(join(folder, '.claude/.credentials.json'), '{}');
    expect(claude.signedIn({}, folder)).toBe(true);
  });
});
