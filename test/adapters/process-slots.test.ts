import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import { limitProcesses } from '../../src/adapters/processes/slots.ts';
import type { SpawnSpec } from '../../src/ports/processes.ts';
import { until } from '../support/lab.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'baton-slots-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const slots = () => path.join(folder, 'slots');
const limited = (most: number) => limitProcesses(createProcesses(), { dir: slots(), most: async () => most });

/** A process that says it is there and stays until its gate file exists. */
function spec(name: string, signal?: AbortSignal): SpawnSpec {
  const gate = path.join(folder, `${name}.go`);
  return {
    argv: ['/bin/sh', '-c', `touch ${name}.here; while [ ! -e ${gate} ]; do sleep 0.02; done`],
    cwd: folder,
    call_id: `slots-${name}`,
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
    stdout: path.join(folder, `${name}.out`),
    stderr: path.join(folder, `${name}.err`),
    ...(signal ? { signal } : {}),
  };
}

const here = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.here'))
    .sort();
const go = (name: string) => writeFileSync(path.join(folder, `${name}.go`), '');

test('no more processes than the limit run at once; the next starts when one has ended', async () => {
  const one = limited(2);
  const other = limited(2); // as another process of ours would have it
  const first = await one.spawn(spec('a'));
  await other.spawn(spec('b'));
  const third = one.spawn(spec('c'));
  await until(() => here().length === 2);
  expect(readdirSync(slots()).sort()).toEqual(['0', '1']);
  expect(here()).toEqual(['a.here', 'b.here']);
  go('a');
  await first.exit;
  const running = await third;
  await until(() => here().includes('c.here'));
  go('b');
  go('c');
  await running.exit;
  await until(() => readdirSync(slots()).length === 0);
});

test('the place of a process of ours that died is free, and so is one it never finished taking', async () => {
  const processes = limited(1);
  const dead = { ...processes.self(), pid: 4_000_000, start: '1' };
  const taken = await processes.spawn(spec('a'));
  go('a');
  await taken.exit;
  writeFileSync(path.join(slots(), '0'), JSON.stringify(dead));
  const next = await processes.spawn(spec('b'));
  go('b');
  await next.exit;
});

test('an abort ends the waiting for a place', async () => {
  const processes = limited(1);
  const first = await processes.spawn(spec('a'));
  const stop = new AbortController();
  const waiting = processes.spawn(spec('b', stop.signal));
  stop.abort();
  const second = await waiting;
  go('a');
  go('b');
  await Promise.all([first.exit, second.exit]);
});
