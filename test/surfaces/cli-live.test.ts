import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/runtime/views.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi, rest } from '../support/scripted-api.ts';

describe('what goes on now', () => {
  const LIVE: readonly Progress[] = [
    { type: 'step_started', run: 'sp-3aa', turn: 2, phase: 'gen_ready', kind: 'work', calls: ['writer'] },
    { type: 'call', run: 'sp-3aa', role: 'writer', n: 0, state: 'started', attempt: 1, text: null },
    {
      type: 'call',
      run: 'sp-3aa',
      role: 'writer',
      n: 0,
      state: 'line',
      attempt: 1,
      text: 'reading the task',
    },
  ];

  test('the live line ends with what the worker says it does', async () => {
    const api = createScriptedApi({ hangs: true, progress: LIVE, stations: [rest({ status: 'working' })] });
    const terminal = createTerminal({ api, tty: true, env: { TERM: 'xterm', NO_COLOR: '1' } });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('… writer 0:00 reading the task');
    terminal.interrupt();
    await exit;
  });

  test('checks that run are named with the time they have taken', async () => {
    const progress = [{ ...LIVE[0], kind: 'check', calls: ['test', 'lint'] } as Progress];
    const api = createScriptedApi({ hangs: true, progress, stations: [rest({ status: 'working' })] });
    const terminal = createTerminal({ api, tty: true, env: { TERM: 'xterm', NO_COLOR: '1' } });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('… test, lint 0:00');
    terminal.interrupt();
    await exit;
  });

  test('what a worker said before it fell asleep is not said of its sleep', async () => {
    const until = '2026-11-15T14:05:00.000Z';
    const who = { run: 'sp-3aa', role: 'writer', n: 0, agent: 'claude' } as const;
    const sleep: Progress = { type: 'asleep', ...who, why: 'limited', asleep_until: until };
    const stations = [rest({ status: 'working' })];
    const api = createScriptedApi({ hangs: true, progress: [...LIVE, sleep], stations });
    const terminal = createTerminal({ api, tty: true, columns: 200, env: { TERM: 'xterm', NO_COLOR: '1' } });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('… writer 0:00 reading the task');
    await terminal.until('… writer: limited by claude');
    await terminal.until('… writer: limited by claude');
    terminal.interrupt();
    await exit;
    expect(terminal.out()).not.toMatch(/goes on by itself.*reading the task/);
  });

  test('of several workers the last one that spoke is named', async () => {
    const second = {
      type: 'call',
      run: 'sp-3aa',
      role: 'critic',
      n: 1,
      state: 'started',
      attempt: 1,
    } as const;
    const progress = [...LIVE, { ...second, text: null }];
    const api = createScriptedApi({ hangs: true, progress, stations: [rest({ status: 'working' })] });
    const terminal = createTerminal({ api, tty: true, env: { TERM: 'xterm', NO_COLOR: '1' } });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('… writer 0:00 … critic 0:00 writer: reading the task');
    terminal.interrupt();
    await exit;
  });

  test('a write is no new phase: a name that waits for a person is not shown after the answer', async () => {
    const progress = [{ ...LIVE[0], phase: 'spec_ready', kind: 'workspace' } as Progress];
    const terminal = createTerminal({ api: createScriptedApi({ progress }) });
    await terminal.run('spec', 'A tool');
    expect(terminal.out()).not.toContain('label of spec_ready');
  });
});

test('why it is halted is said once, where the last notice was just that', async () => {
  const why = { msg: 'Plan complete' };
  const halted = (last: string) =>
    createScriptedApi({
      progress: [{ type: 'notice', run: 'sp-3aa', level: 'info', text: { msg: last } }],
      stations: [rest({ status: 'halted', wait: { kind: 'command', commands: ['resume'], why } })],
    });
  const once = createTerminal({ api: halted('Plan complete') });
  await once.run('resume', 'sp-3aa');
  expect(once.out().match(/Plan complete/g)).toHaveLength(1);
  expect(once.out()).toContain('sp-3aa is halted. Nothing is lost.');
  const other = createTerminal({ api: halted('2 files changed') });
  await other.run('resume', 'sp-3aa');
  expect(other.out()).toContain('sp-3aa is halted: Plan complete. Nothing is lost.');
});
