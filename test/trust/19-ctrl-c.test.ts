import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../support/lab.ts';
import { isRunning, worldsOfTest } from '../surfaces/end-to-end.ts';
import { hostileWorlds } from './hostile-world.ts';

const hostile = hostileWorlds(worldsOfTest());

const FILES = {
  'rules.md': '# Rules\n\n- Names are short.\n',
  'baton.yaml': 'agent: mine\nagents:\n  mine: { kind: command }\n',
};

test.each([
  ['TRUST-19 Ctrl-C ends a worker that ignores SIGINT and SIGTERM', { bare: true }],
  ['Ctrl-C ends such a worker in a sandbox too', {}],
] as const)('%s', async (_, options) => {
  const world = hostile(
    ({ sleep }) => ({ ...FILES, 'agent.sh': `#!/bin/sh\ntrap '' INT TERM HUP\nexec ${sleep}\n` }),
    {
      ...options,
      personConfig: `${'bare' in options ? 'sandbox: off\n' : ''}agents: { mine: { command: [./agent.sh] } }\n`,
    },
  );
  chmodSync(`${world.root}/agent.sh`, 0o755);
  const { child, done } = world.start(
    ...['spec', 'Rename photos', '--mode', 'quick', '--reference', 'rules.md'],
  );
  await until(() => isRunning(world.sleep));
  process.kill(-(child.pid ?? 0), 'SIGINT');
  const { code, stdout } = await done;
  expect(isRunning(world.sleep), 'the worker is gone when the command has ended').toBe(false);
  expect(code, stdout).toBe(5);
});
