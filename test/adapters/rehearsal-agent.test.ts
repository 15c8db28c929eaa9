import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRehearsalAgent } from '../../src/adapters/agent-rehearsal/agent.ts';
import { createPart } from '../../src/adapters/agent-rehearsal/choose-part.ts';
import { parseScript } from '../../src/adapters/agent-rehearsal/script.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { AgentCall, AgentEvent } from '../../src/ports/agent.ts';

const WORKER = join(import.meta.dirname, '../../src/adapters/agent-rehearsal/worker.ts');
const processes = createProcesses();
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-rehearsal-')));
  mkdirSync(join(folder, 'tree'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function call(more: Partial<AgentCall> = {}): AgentCall {
  return {
    key: `sp-${folder.slice(-6)}/1/0.1`,
    workflow: 'spec',
    role: 'critic',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: 'Challenge it.',
    cwd: join(folder, 'tree'),
    tier: 'inherit',
    model: null,
    money_left_usd: null,
    profile: { kind: 'read_only' },
    deadline_ms: 20_000,
    schema: {},
    result_file: join(folder, 'call', 'result.json'),
    dir: join(folder, 'call'),
    lang: 'en',
    slots: { task: 'rename photos by date' },
    ...more,
  };
}

async function play(
  script: string | null,
  more: Partial<AgentCall> = {},
  argv = [process.execPath, WORKER],
): Promise<AgentEvent[]> {
  const parsed = script === null ? null : parseScript(script, { file: 'x', readFile: () => '' });
  if (parsed?.ok === false) throw new Error(JSON.stringify(parsed.errors));
  const agent = createRehearsalAgent({
    processes,
    argv,
    script: parsed?.script ?? null,
    env: { ...process.env, SSH_AUTH_SOCK: 'secret', LC_ALL: 'C', GITHUB_TOKEN: 'secret' },
  });
  const events: AgentEvent[] = [];
  for await (const event of agent.run(call(more), new AbortController().signal)) events.push(event);
  return events;
}

const entry = (yaml: string) => `script: 1\nroles:\n  critic:\n    - ${yaml}\n`;
const usage = { type: 'usage', usage: { money_usd: 0, tokens: 0 } };
const ended = (outcome: string, detail = '') => ({ type: 'ended', outcome, detail });
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('faults of an entry', () => {
  test.each<[string, string, unknown[]]>([
    ['delay', '{ delay: 5ms, result: 1 }', [{ type: 'result', value: 1 }, usage, ended('finished')]],
    ['garbage', '{ garbage: "not json" }', [{ type: 'text', text: 'not json' }, usage, ended('finished')]],
    ['silence', '{ silence: true }', [usage, ended('finished')]],
    ['no_result', '{ no_result: true }', [{ type: 'text', text: 'Done.' }, usage, ended('finished')]],
    ['crash', '{ crash: true }', [usage, ended('unavailable', 'killed by SIGKILL')]],
    [
      'crash after a result',
      '{ result: 1, crash: true }',
      [{ type: 'result', value: 1 }, usage, ended('unavailable', 'killed by SIGKILL')],
    ],
    ['exit', '{ garbage: "oh", exit: 7 }', [{ type: 'text', text: 'oh' }, usage, ended('failed', 'exit 7')]],
    [
      'denied',
      '{ denied: [net, "rm -rf"], result: {} }',
      [
        { type: 'denied', what: 'net' },
        { type: 'denied', what: 'rm -rf' },
        { type: 'result', value: {} },
        usage,
        ended('finished'),
      ],
    ],
    [
      'usage',
      '{ usage: { money_usd: 0.25 }, result: null }',
      [
        { type: 'result', value: null },
        { type: 'usage', usage: { money_usd: 0.25, tokens: null } },
        ended('finished'),
      ],
    ],
    [
      'usage on the way, which still holds at the end',
      '{ usage_steps: [{ tokens: 5 }, { delay: 1ms, tokens: 9, money_usd: 0.5 }], silence: true }',
      [
        { type: 'usage', usage: { money_usd: null, tokens: 5 } },
        { type: 'usage', usage: { money_usd: 0.5, tokens: 9 } },
        { type: 'usage', usage: { money_usd: 0.5, tokens: 9 } },
        ended('finished'),
      ],
    ],
    [
      'limited until a time',
      '{ limited: "2030-01-01T00:00:00.000Z" }',
      [usage, { ...ended('limited', 'the script says so'), until: '2030-01-01T00:00:00.000Z' }],
    ],
    [
      'limited without a time',
      '{ limited: true }',
      [usage, { ...ended('limited', 'the script says so'), until: null }],
    ],
    [
      'line',
      '{ line: looking, silence: true }',
      [{ type: 'progress', line: 'looking' }, usage, ended('finished')],
    ],
  ])('%s', async (_, yaml, events) => {
    expect((await play(entry(yaml))).slice(1)).toEqual(events);
  });

  test('hang never ends by itself: the deadline does', async () => {
    const events = await play(entry('{ result: 1, hang: true }'), { deadline_ms: 300 });
    expect(events.at(-1)).toEqual(ended('failed', 'deadline'));
  });

  test('limited for some seconds names the time, and the same time when the stream is played again', async () => {
    const before = Date.now();
    const events = await play(entry('{ limited: 90 }'));
    const last = events.at(-1) as { until?: string };
    expect(Date.parse(last.until ?? '') - before).toBeGreaterThan(89_000);
    expect(Date.parse(last.until ?? '') - before).toBeLessThan(120_000);
    expect((await play(entry('{ limited: 90 }'))).at(-1)).toEqual(last);
  });

  test('huge prints that many bytes of text before the result', async () => {
    const events = await play(entry('{ huge: 3000000, result: 1 }'));
    const bytes = events.reduce((sum, event) => sum + (event.type === 'text' ? event.text.length : 0), 0);
    expect(bytes).toBe(3_000_000);
    expect(events.slice(-3)).toEqual([{ type: 'result', value: 1 }, usage, ended('finished')]);
  });

  test('edits write, delete and reach outside the tree: the worker is as free as any', async () => {
    writeFileSync(join(folder, 'tree', 'old.ts'), 'old');
    const edits =
      '[{ path: deep/new.ts, content: new }, { path: old.ts, delete: true }, { path: ../outside.ts, content: out }]';
    await play(entry(`{ edits: ${edits}, silence: true }`));
    expect(read('tree/deep/new.ts')).toBe('new');
    expect(existsSync(join(folder, 'tree', 'old.ts'))).toBe(false);
    expect(read('outside.ts')).toBe('out');
  });

  test('an edit that cannot be done makes the worker fail, with the reason in its stderr', async () => {
    const events = await play(entry('{ edits: [{ path: ".", content: x }], silence: true }'));
    expect(events.at(-1)).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(/^exit 1: Error: EISDIR/),
    });
    expect(read('call/stderr.txt')).toContain('EISDIR');
  });

  test('runs a command to its end in the tree, after the edits and before the result', async () => {
    const command = 'cat in.txt > out.txt; sleep 0.2; ln -s /etc link; echo ran $(pwd); echo bad >&2';
    const edits = '[{ path: in.txt, content: hello }]';
    const events = await play(entry(`{ edits: ${edits}, runs: '${command}', result: 1 }`));
    expect(events.slice(1)).toEqual([{ type: 'result', value: 1 }, usage, ended('finished')]);
    expect(read('tree/out.txt')).toBe('hello');
    expect(readlinkSync(join(folder, 'tree', 'link'))).toBe('/etc');
    expect(read('call/stderr.txt')).toBe('');
  });

  test.each(['exit 3', 'kill -9 $$', 'no-such-program', 'if'])(
    'a command that fails (%s) changes nothing about the result',
    async (command) => {
      const events = await play(entry(`{ runs: '${command}', result: 1 }`));
      expect(events.slice(1)).toEqual([{ type: 'result', value: 1 }, usage, ended('finished')]);
    },
  );

  test('a command that is swept away takes the worker with it: half a call has no result', async () => {
    const events = await play(entry(`{ runs: 'kill -TERM $$', result: 1 }`));
    expect(events.slice(1)).toEqual([ended('unavailable', 'killed by SIGKILL')]);
  });

  test('a command that never ends is stopped with the worker at the deadline', async () => {
    const events = await play(entry(`{ runs: 'sleep 600', result: 1 }`), { deadline_ms: 500 });
    expect(events.at(-1)).toEqual(ended('failed', 'deadline'));
    expect(events.some(({ type }) => type === 'result')).toBe(false);
    expect((await processes.killLeftovers(call().key)).ended).toEqual([]);
  });

  test('leaves_process outlives the worker: it is there to be swept', async () => {
    const file = join(folder, 'part.json');
    const parts = { leaves_process: 'exec sleep 600', silence: true } as const;
    writeFileSync(file, JSON.stringify(createPart(parts, call())));
    const running = await processes.spawn({
      argv: [process.execPath, WORKER, file],
      cwd: folder,
      call_id: call().key,
      env: {},
      stdin: '',
      stdout: join(folder, 'out'),
      stderr: join(folder, 'err'),
    });
    expect(await running.exit).toEqual({ code: 0, signal: null });
    const { ended: killed } = await processes.killLeftovers(call().key);
    expect(killed).toHaveLength(1);
    expect(killed).not.toContain(running.pid);
  });
});

test('without a script the generator writes its one file where scope and tree allow it', async () => {
  writeFileSync(join(folder, 'tree', 'Makefile'), 'all:\n');
  const slots = { spec: JSON.stringify({ goal: 'rename photos by date' }), scope: 'Makefile\nsrc/**' };
  const events = await play(null, { role: 'generator_single', slots });
  expect(events.at(-1)).toEqual(ended('finished'));
  const [name = '', ...others] = readdirSync(join(folder, 'tree', 'src'));
  expect([name, others]).toEqual([expect.stringMatching(/^rehearsal-[0-9a-f]{8}\.md$/), []]);
  expect(read(`tree/src/${name}`)).toContain('rename photos by date');
  expect(read('tree/Makefile')).toBe('all:\n');
});

describe('the result', () => {
  test('comes by the result file when the entry says so', async () => {
    const events = await play(entry('{ result: { items: [] }, channel: file }'));
    expect(JSON.parse(read('call/result.json'))).toEqual({ items: [] });
    expect(events.some((event) => event.type === 'result')).toBe(false);
  });

  test('comes as a fenced block when the entry says so', async () => {
    const events = await play(entry('{ result: { items: [] }, channel: text }'));
    expect(events).toContainEqual({ type: 'text', text: '```json\n{\n  "items": []\n}\n```\n' });
  });

  test('of a try that was cut off is not taken for the result of the next one', async () => {
    mkdirSync(join(folder, 'call'));
    writeFileSync(join(folder, 'call', 'result.json'), '{"stale":true}');
    await play(entry('{ silence: true }'));
    expect(existsSync(join(folder, 'call', 'result.json'))).toBe(false);
  });
});

test('a worker sees the allowed environment only, and its mark', async () => {
  const argv = ['/bin/sh', '-c', `env > ${folder}/env; exec "$@"`, 'sh', process.execPath, WORKER];
  expect((await play(entry('{ silence: true }'), {}, argv)).at(-1)).toEqual(ended('finished'));
  const names = read('env')
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')
    .filter((name) => !['', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
  expect(names).toEqual(expect.arrayContaining(['BATON_CALL', 'LC_ALL', 'PATH']));
  expect(
    names.filter(
      (name) => !/^(BATON_CALL|PATH|HOME|USER|LOGNAME|SHELL|XDG_\w+|TZ|LANG|LC_\w+|TMPDIR|TERM)$/.test(name),
    ),
  ).toEqual([]);
});

test('a call nobody wrote a part for fails, names role, call and attempt, and starts nothing', async () => {
  expect(await play('script: 1\nroles: {}', { role: 'stranger', nth: 2, attempt: 3 })).toEqual([
    ended('failed', 'the script has nothing for role stranger, call 2, attempt 3, and no else'),
  ]);
  expect(existsSync(join(folder, 'call', 'stream.jsonl'))).toBe(false);
});

test('a role without an entry is played by the built-in script', async () => {
  const events = await play('script: 1\nroles: {}', { role: 'interviewer' });
  expect(events).toContainEqual({ type: 'result', value: { questions: expect.any(Array) } });
  expect(events.at(-1)).toEqual(ended('finished'));
});

test('a worker goes on when the process that started it is killed, and its stream is played to the next one', async () => {
  const go = join(folder, 'go');
  const waiting = ['/bin/sh', '-c', `while [ ! -e ${go} ]; do sleep 0.02; done; exec "$@"`, 'sh'];
  const argv = [...waiting, process.execPath, WORKER];
  const script = { script: 1, language: 'en', roles: { critic: [{ result: { items: [] } }] } };
  const src = join(import.meta.dirname, '../../src/adapters');
  const program = join(folder, 'driver.ts');
  writeFileSync(
    program,
    `import { createRehearsalAgent } from '${src}/agent-rehearsal/agent.ts';
     import { createProcesses } from '${src}/processes/processes.ts';
     const { call, argv, script } = ${JSON.stringify({ call: call(), argv, script })};
     const agent = createRehearsalAgent({ processes: createProcesses(), argv, script, env: process.env });
     for await (const event of agent.run(call, new AbortController().signal)) {
       if (event.type === 'started') process.kill(process.pid, 'SIGKILL');
     }`,
  );
  const driver = spawn(process.execPath, [program], { stdio: 'ignore' });
  expect(await once(driver, 'exit')).toEqual([null, 'SIGKILL']);
  writeFileSync(go, '');
  await vi.waitFor(() => expect(read('call/stream.jsonl')).toContain('closing'), 60_000);

  const events = await play(entry('{ hang: true }'), {}, ['no-such-program-anywhere']);

  expect(events).toEqual([{ type: 'result', value: { items: [] } }, usage, ended('finished')]);
});
