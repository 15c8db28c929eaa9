import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import type { Store } from '../../src/ports/store.ts';
import { T0 } from '../support/changes.ts';

const IDS = Array.from({ length: 16 }, (_, n) => `sp-${n}`);
const CHILD = fileURLToPath(new URL('../support/group-store.ts', import.meta.url));

let dir: string;
let file: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'baton-group-'));
  file = join(dir, 'baton.db');
  store = await openSqliteStore({ file, now: () => T0 });
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

function revisions(): Promise<(number | undefined)[]> {
  return Promise.all(IDS.map(async (id) => (await store.load(id))?.revision));
}

const told = () => join(dir, 'told');

/** Runs the child until it is dead; `after` ends it from outside once it was told of that many commits. */
function life(die: string, after = Number.POSITIVE_INFINITY): Promise<string | null> {
  const process_ = spawn(process.execPath, [CHILD, file, told(), die], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const timer = setInterval(() => {
    if (lines().length >= after) process_.kill('SIGKILL');
  }, 1);
  return new Promise((resolve, reject) => {
    process_.on('error', reject);
    process_.on('close', (_code, signal) => {
      clearInterval(timer);
      resolve(signal);
    });
  });
}

function lines(): string[] {
  return existsSync(told()) ? readFileSync(told(), 'utf8').split('\n').filter(Boolean) : [];
}

test('a process killed while a group waits for its commit loses all of it and had told nobody', async () => {
  expect(await life('queued')).toBe('SIGKILL');
  expect(await revisions()).toEqual(IDS.map(() => 2));
  expect(lines()).toEqual(IDS.map((id) => `${id} 2 committed`));
});

test('a process killed at the first word of a commit has stored the whole group', async () => {
  expect(await life('told')).toBe('SIGKILL');
  expect(await revisions()).toEqual(IDS.map(() => 3));
  expect(lines()).toHaveLength(16);
});

test.each([16, 90, 333])(
  'a process killed at any moment (after %i words) leaves whole groups and everything it told of',
  async (after) => {
    expect(await life('never', after)).toBe('SIGKILL');
    const found = await revisions();
    expect(new Set(found).size).toBe(1);
    const last = Math.max(...lines().map((line) => Number(line.split(' ')[1])));
    expect(found[0]).toBeGreaterThanOrEqual(last);
    expect(await store.integrity()).toEqual([]);
  },
);
