import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PermissionOption, SessionUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Confines,
  chooseOption,
  isAllowed,
  readable,
  writable,
} from '../../src/adapters/agent-acp/permission.ts';
import { createHearing } from '../../src/adapters/agent-acp/take-turn.ts';

const KINDS: readonly (ToolKind | null)[] = [
  ...([
    'read',
    'edit',
    'delete',
    'move',
    'search',
    'execute',
    'think',
    'fetch',
    'switch_mode',
    'other',
  ] as const),
  null,
];

describe('what a profile allows', () => {
  const allowed = (profile: 'read_only' | 'writes', inside: boolean, result_only: boolean) =>
    KINDS.filter((kind) => isAllowed(profile, { kind, inside, result_only }));

  test('a reader looks, and nothing else', () => {
    expect(allowed('read_only', true, false)).toEqual(['read', 'search', 'think']);
  });

  test('a reader may write its result', () => {
    expect(allowed('read_only', true, true)).toEqual(['read', 'edit', 'delete', 'move', 'search', 'think']);
  });

  test('a writer does all', () => expect(allowed('writes', true, false)).toEqual(KINDS));

  test('a writer edits nothing outside the tree', () => {
    const refused = KINDS.filter((kind) => !allowed('writes', false, false).includes(kind));
    expect(refused).toEqual(['edit', 'delete', 'move']);
  });
});

describe('the answer is the agent’s own option', () => {
  const option = (kind: PermissionOption['kind'], optionId: string = kind): PermissionOption => ({
    kind,
    optionId,
    name: optionId,
  });
  const all = [
    option('allow_always', 'ProceedAlways'),
    option('reject_always', '4'),
    option('allow_once', '§-1'),
    option('reject_once', ''),
  ];

  test.each([
    ['once, although always stands first', all, ['writes', true], '§-1'],
    ['once, for a reader', all, ['read_only', true], '§-1'],
    ['a no, once, whatever its id', all, ['writes', false], ''],
    [
      'always, where a writer is offered nothing else',
      [option('allow_always')],
      ['writes', true],
      'allow_always',
    ],
    [
      'a lasting no, where there is no other',
      [option('reject_always')],
      ['read_only', false],
      'reject_always',
    ],
  ] as const)('%s', (_, options, answer, optionId) => {
    const [profile, allowed] = answer;
    expect(chooseOption(options, profile, allowed)).toEqual({ outcome: 'selected', optionId });
  });

  test.each([
    ['no options at all', [], 'writes', true],
    ['a yes, and only no is offered', [option('reject_once')], 'writes', true],
    ['a no, and only yes is offered', [option('allow_once'), option('allow_always')], 'writes', false],
    ['a reader, and only always is offered', [option('allow_always')], 'read_only', true],
  ] as const)('cancelled without a fitting one: %s', (_, options, profile, allowed) => {
    expect(chooseOption(options, profile, allowed)).toEqual({ outcome: 'cancelled' });
  });
});

describe('files of the client', () => {
  let folder: string;
  let confines: Confines;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-confine-')));
    for (const name of ['tree/src', 'tree/.git', 'beside', 'call'])
      mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, 'tree/src/a.ts'), 'a');
    writeFileSync(path.join(folder, 'beside/secret'), 's');
    symlinkSync(path.join(folder, 'beside'), path.join(folder, 'tree/out'));
    symlinkSync(path.join(folder, 'beside/secret'), path.join(folder, 'tree/secret'));
    symlinkSync(path.join(folder, 'beside/nothing'), path.join(folder, 'tree/dangling'));
    symlinkSync('src', path.join(folder, 'tree/inside'));
    symlinkSync(path.join(folder, 'tree'), path.join(folder, 'linked-tree'));
    confines = {
      tree: path.join(folder, 'tree'),
      result_file: path.join(folder, 'call/result.json'),
      writes: true,
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const at = (name: string) => path.join(folder, name);

  test.each([
    ['tree/src/a.ts', 'tree/src/a.ts'],
    ['tree/new/deep/b.ts', 'tree/new/deep/b.ts'],
    ['tree/inside/b.ts', 'tree/src/b.ts'],
    ['call/result.json', 'call/result.json'],
  ])('written: %s', async (file, location) => {
    expect(await writable(confines, at(file))).toBe(at(location));
  });

  test.each([
    'beside/x',
    'tree/../beside/x',
    'tree/out/x',
    'tree/out/new/x',
    'tree/secret',
    'tree/dangling',
    'tree/.git/config',
    'tree',
    'treeside/x',
    'call/other.json',
  ])('not written: %s', async (file) => {
    expect(await writable(confines, at(file))).toBeNull();
  });

  test('a relative path is one of the tree; a tree behind a link is that tree', async () => {
    expect(await writable(confines, 'src/a.ts')).toBe(at('tree/src/a.ts'));
    expect(await writable(confines, '../beside/x')).toBeNull();
    expect(await writable({ ...confines, tree: at('linked-tree') }, at('linked-tree/b'))).toBe(at('tree/b'));
  });

  test('a reader writes its result and nothing else', async () => {
    const reader = { ...confines, writes: false };
    expect(await writable(reader, at('call/result.json'))).toBe(at('call/result.json'));
    expect(await writable(reader, at('tree/src/a.ts'))).toBeNull();
  });

  test('read only in the tree, links followed first', async () => {
    expect(await readable(confines, at('tree/src/a.ts'))).toBe(at('tree/src/a.ts'));
    for (const file of ['beside/secret', 'tree/secret', 'tree/out/secret', 'tree/dangling'])
      expect(await readable(confines, at(file))).toBeNull();
  });
});

describe('what an agent tells of its turn', () => {
  const hearAll = (...updates: object[]) => {
    const hearing = createHearing('/tree');
    return [...updates.flatMap((update) => hearing.hear(update as SessionUpdate)), ...hearing.rest()];
  };
  const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const call = (more: object) => ({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'Work', ...more });
  const update = (more: object) => ({ ...call(more), sessionUpdate: 'tool_call_update', ...more });

  test('a message in pieces is one text, told before what comes after it', () => {
    const edit = call({ kind: 'edit', locations: [{ path: '/tree/src/a.ts' }] });
    expect(hearAll(chunk('one '), chunk('two'), edit, chunk('three'))).toEqual([
      { type: 'text', text: 'one two' },
      { type: 'progress', line: 'edits src/a.ts' },
      { type: 'text', text: 'three' },
    ]);
  });

  test('thoughts and plans are no result', () => {
    expect(
      hearAll(
        { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
        { sessionUpdate: 'plan', entries: [] },
      ),
    ).toEqual([]);
  });

  test.each([
    [{ kind: 'execute', rawInput: { command: 'npm test' }, title: '`x`' }, 'runs npm test'],
    [{ kind: 'execute', title: '`npm  test`' }, 'runs npm test'],
    [{ kind: 'read', locations: [{ path: '/etc/hosts' }] }, 'reads /etc/hosts'],
    [{ kind: 'edit', content: [{ type: 'diff', path: '/tree/b.ts', newText: '' }] }, 'edits b.ts'],
    [{ kind: 'think', title: 'Thinks about it' }, 'Thinks about it'],
    [{ title: 'Update\ntodos' }, 'Update todos'],
  ])('%j: %s', (more, line) => {
    expect(hearAll(call(more))).toEqual([{ type: 'progress', line }]);
  });

  test('a tool call is told again only when more is known of it', () => {
    const lines = hearAll(
      call({ kind: 'edit', title: 'Preparing' }),
      update({ status: 'in_progress', title: null }),
      update({ locations: [{ path: '/tree/a.ts' }] }),
      update({ status: 'completed' }),
    );
    expect(lines).toEqual([
      { type: 'progress', line: 'Preparing' },
      { type: 'progress', line: 'edits a.ts' },
    ]);
  });

  test('money and tokens are told together, in whatever order they come', () => {
    const cost = (amount: number, currency = 'USD') =>
      ({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } }) as SessionUpdate;
    const hearing = createHearing('/tree');
    expect(hearing.hear(cost(3, 'credits'))).toEqual([]);
    expect(hearing.hear(cost(0))).toEqual([]);
    expect(hearing.used(10)).toEqual({ type: 'usage', usage: { money_usd: null, tokens: 10 } });
    expect(hearing.hear(cost(0.5))).toEqual([{ type: 'usage', usage: { money_usd: 0.5, tokens: 10 } }]);
  });
});
