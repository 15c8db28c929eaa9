import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/runtime/api.ts';
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
