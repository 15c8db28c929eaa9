import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acp } from '../../src/adapters/agent-acp/kind.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import type { Command } from '../../src/adapters/agent-process/program.ts';
import { type AgentFolder, endOf, openAgentFolder, textOf } from '../support/agent-folder.ts';
import { fakeSetup } from '../support/fake-programs.ts';
import { agentCall, setup } from './agent-fixture.ts';

const READER = { profile: { kind: 'read_only' } } as const;
const OPTIONS = [
  { kind: 'allow_always', optionId: 'always', name: 'Always' },
  { kind: 'allow_once', optionId: 'yes', name: 'Yes' },
  { kind: 'reject_once', optionId: 'no', name: 'No' },
];

test('Claude Code behind it tells a full provider soon and leaves no shell behind, unless the person says otherwise', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'baton-acp-'));
  const start = async (env: Readonly<Record<string, string>>) => {
    const made = setup({ command: ['x'], env: ['CLAUDE_CODE_MAX_RETRIES'] }, env);
    return (await programOf(acp, made).start(agentCall({ dir }), null)) as Command;
  };
  expect((await start({})).env).toEqual({
    CLAUDE_CODE_MAX_RETRIES: '2',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  });
  expect((await start({ CLAUDE_CODE_MAX_RETRIES: '9' })).env.CLAUDE_CODE_MAX_RETRIES).toBe('9');
  rmSync(dir, { recursive: true });
});

describe('the worker that drives an agent over the protocol', () => {
  let folder: AgentFolder;
  beforeEach(() => {
    folder = openAgentFolder();
  });
  afterEach(async () => {
    expect(await folder.close()).toBe(0);
  });

  const play = (scenario: string, more: Parameters<AgentFolder['run']>[2] = {}) =>
    folder.run(acp, fakeSetup('acp', scenario), more);
  const asks = (toolCall: object, options: object[] = OPTIONS) =>
    `asks:${JSON.stringify({ toolCall: { title: 'It', ...toolCall }, options })}`;

  test.each([
    ['a writer edits in the tree', { kind: 'edit', locations: [{ path: 'src/a.ts' }] }, {}, 'yes'],
    ['a writer edits beside it', { kind: 'edit', locations: [{ path: '../a.ts' }] }, {}, 'no'],
    ['a writer runs a command', { kind: 'execute' }, {}, 'yes'],
    ['a reader edits', { kind: 'edit', locations: [{ path: 'src/a.ts' }] }, READER, 'no'],
    ['a reader runs a command', { kind: 'execute' }, READER, 'no'],
    ['a reader reads', { kind: 'read' }, READER, 'yes'],
  ])('%s: answered at once, and a no is told', async (_, toolCall, call, optionId) => {
    const events = await play(asks(toolCall), { call });
    expect(JSON.parse(textOf(events))).toEqual({ outcome: 'selected', optionId });
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(optionId === 'no' ? 1 : 0);
    expect(endOf(events)).toMatchObject({ outcome: 'finished' });
  });

  test('a question without a fitting option is cancelled, never left open', async () => {
    const events = await play(asks({ kind: 'edit' }, []), { call: READER });
    expect(JSON.parse(textOf(events))).toEqual({ outcome: 'cancelled' });
  });

  test('files go through us into the tree and nowhere else', async () => {
    const beside = path.join(path.dirname(folder.tree), 'beside');
    symlinkSync(path.dirname(folder.tree), path.join(folder.tree, 'up'));
    writeFileSync(path.join(folder.tree, 'a.txt'), 'one\ntwo\nthree\n');
    const write = (file: string) => ['fs/write_text_file', { path: file, content: 'new' }];
    const read = (file: string, more: object = {}) => ['fs/read_text_file', { path: file, ...more }];
    const checkOptions = [
      write(path.join(folder.tree, 'deep/b.txt')),
      write(beside),
      write(path.join(folder.tree, 'up/beside')),
      write(path.join(folder.tree, '.git/config')),
      read(path.join(folder.tree, 'a.txt'), { line: 2, limit: 1 }),
      read(path.join(folder.tree, 'none.txt')),
      read(path.join(folder.dir, 'key')),
    ];
    const events = await play(`files:${JSON.stringify(checkOptions)}`);
    const told = JSON.parse(textOf(events)) as { answer?: { content?: string }; error?: string }[];
    expect(told.map(({ error }) => error === undefined)).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(told[4]?.answer?.content).toBe('two');
    expect(readFileSync(path.join(folder.tree, 'deep/b.txt'), 'utf8')).toBe('new');
    expect(existsSync(beside)).toBe(false);
    expect(events.filter(({ type }) => type === 'denied')).toHaveLength(4);
  });

  test('a reader writes no file of the tree through us, and its result', async () => {
    const checkOptions = [path.join(folder.tree, 'b.txt'), path.join(folder.dir, 'result.json')].map(
      (file) => ['fs/write_text_file', { path: file, content: '{}' }],
    );
    await play(`files:${JSON.stringify(checkOptions)}`, { call: READER });
    expect(existsSync(path.join(folder.tree, 'b.txt'))).toBe(false);
    expect(readFileSync(path.join(folder.dir, 'result.json'), 'utf8')).toBe('{}');
  });

  test.each([
    ['dies', 'unavailable', /exit code 7 .*: Error: no such model$/],
    ['refused:-32603:status 429 rate limit, try again in 60 s', 'limited', /rate limit/],
    ['refused:-32000:Authentication required', 'blocked', /sign in/],
    ['refused:-32603:something else', 'failed', /something else/],
  ])('an agent that %s: %s', async (scenario, outcome, detail) => {
    expect(endOf(await play(scenario))).toMatchObject({ outcome, detail: expect.stringMatching(detail) });
  });

  test('an agent killed from outside leaves no end behind: the call is not finished', async () => {
    expect(endOf(await play('crashes'))).toMatchObject({ outcome: 'unavailable' });
    expect(readFileSync(path.join(folder.dir, 'stream.jsonl'), 'utf8')).not.toContain('closing');
  });

  test('a stop asks the agent by the protocol; what it says then is no end of its own', async () => {
    const abort = new AbortController();
    const events = await play('cancels', {
      signal: abort.signal,
      each: ({ type }) => type === 'progress' && abort.abort(),
    });
    expect(endOf(events)).toMatchObject({ outcome: 'aborted' });
    expect(readFileSync(path.join(folder.dir, 'stream.jsonl'), 'utf8')).not.toContain('closing');
  });

  test('a session that was cut off is taken up, without its old words', async () => {
    const abort = new AbortController();
    await play('hangs', {
      call: READER,
      signal: abort.signal,
      each: ({ type }) => type === 'progress' && abort.abort(),
    });
    const events = await play('echoes', { call: READER });
    expect(textOf(events)).toMatch(/^You were cut off.*Do it\.$/s);
  });

  test('what it used is told', async () => {
    expect(await play('answers')).toContainEqual({ type: 'usage', usage: { money_usd: null, tokens: 1050 } });
  });
});
