import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, playDeliver } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

let folders: string[] = [];
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
});

/** Notes which descriptors it has, and what it reads through the one that the person's shell has open. */
function query(who: string): string {
  const all = "echo $(ls /proc/self/fd | tr '\\n' ' ')";
  return `(echo ${who}; ${all}; cat /proc/self/fd/200/key) 2> /dev/null | tr '\\n' ' ' >> seen; echo >> seen`;
}

test.each([
  ['in a sandbox', {}],
  ['without a sandbox', { bare: true }],
])(
  'TRUST-01 %s, no descriptor of the person’s shell reaches a worker, a check, an install or a hook',
  async (_, options) => {
    const home = mkdtempSync(path.join(tmpdir(), 'baton-person-'));
    folders.push(home);
    writeFileSync(path.join(home, 'key'), 'the key');
    const files = {
      'baton.yaml':
        "checks: { build: null, test: 'sh check.sh', lint: null, type_check: null, install: 'sh install.sh' }\n",
      'package.json': '{ "name": "app", "version": "1.0.0" }\n',
      'check.sh': `${query('check')}\n`,
      'install.sh': `${query('install')}\n`,
      'greeting.txt': 'hello\n',
      '.gitignore': 'seen\n',
    };
    const below = ['bash', '-c', 'exec 200< "$0"; exec "$@"', home];
    const world = newWorld({ git: true, files, below, ...options });
    const hook = world.file('.git/hooks/pre-commit', `#!/bin/sh\n${query('hook')}\n`);
    process.getBuiltinModule('node:fs').chmodSync(hook, 0o755);
    const { run } = await playDeliver(world, changing(undefined, { runs: query('worker') }));
    await answerDeliver(world, run, 'code_only');
    const seen = globSync('*/trees/*/tree/seen', { cwd: world.home }).flatMap((file) =>
      readFileSync(path.join(world.home, file), 'utf8').trim().split('\n'),
    );
    // Standard input, output and errors; the last one is the folder that `ls` lists.
    const whole = ['check', 'hook', 'install', 'worker'].map((who) => `${who} 0 1 2 3`);
    expect([...new Set(seen.map((line) => line.trim()))].sort()).toEqual(whole);
  },
);
