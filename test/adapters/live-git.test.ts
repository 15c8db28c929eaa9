import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isAbandoned } from '../../src/adapters/git/locks.ts';
import { child, realFolder } from '../../src/files/real-path.ts';
import { until } from '../support/lab.ts';
import { type Fixture, repository } from './workspace-fixture.ts';

const HOUR_MS = 3_600_000;
/** Long enough for a git to be done with a lock, and not older than a git that starts now is counted. */
const RECENT_MS = 2001;

/** A process that runs until it is killed, by any name. */
async function napping(fixture: Fixture, name: string, cwd: string, input?: string): Promise<ChildProcess> {
  const program = path.join(fixture.environment.HOME, name);
  symlinkSync('/bin/sleep', program);
  const fd = input === undefined ? 'ignore' : openSync(input, 'r');
  const nap = spawn(program, ['600'], { cwd, stdio: [fd, 'ignore', 'ignore'] });
  await once(nap, 'spawn');
  if (typeof fd === 'number') closeSync(fd);
  return nap;
}

type Nap = (fixture: Fixture) => Promise<ChildProcess>;
const elsewhere = ({ environment }: Fixture) => environment.HOME;

/** The age of the lock, which git runs, and whether the lock was left by a killed one. */
const ROWS: readonly (readonly [string, number, Nap | null, boolean])[] = [
  ['an old lock and no git', HOUR_MS, null, true],
  ['a lock of this moment', 0, null, false],
  ['a git that works in the repository', RECENT_MS, (at) => napping(at, 'git', at.root), false],
  ['a helper of git', RECENT_MS, (at) => napping(at, 'git-remote-x', at.path('.git')), false],
  ['a git that works in a linked work tree', RECENT_MS, (at) => napping(at, 'git', linkedTree(at)), false],
  [
    'a git that has a file open',
    RECENT_MS,
    (at) => napping(at, 'git', elsewhere(at), at.path('.git/HEAD')),
    false,
  ],
  ['a git that works elsewhere', RECENT_MS, (at) => napping(at, 'git', elsewhere(at)), true],
  ['a git in a folder with a longer name', RECENT_MS, (at) => napping(at, 'git', longer(at)), true],
  ['a git that is younger than the lock', HOUR_MS, (at) => napping(at, 'git', at.root), true],
  ['another program', RECENT_MS, (at) => napping(at, 'sleep', at.root), true],
];

function linkedTree(fixture: Fixture): string {
  const tree = path.join(path.dirname(fixture.root), 'linked');
  fixture.git(['worktree', 'add', '-q', '--detach', tree]);
  return tree;
}

function longer(fixture: Fixture): string {
  mkdirSync(`${fixture.root}-2`);
  return `${fixture.root}-2`;
}

test.each(ROWS)('with %s', async (_name, age, start, abandoned) => {
  using fixture = repository();
  const nap = await start?.(fixture);
  try {
    const lock = fixture.write('.git/refs/baton/x.lock', '');
    // The start of a process is known to 20 ms.
    const begun = Date.now();
    await until(() => Date.now() > begun + 50);
    const time = new Date(Date.now() - age);
    utimesSync(lock, time, time);
    const commonDir = await realFolder(fixture.path('.git'));
    const file = ['refs', 'baton', 'x.lock'].reduce(child, commonDir);
    expect(await isAbandoned(file, commonDir)).toBe(abandoned);
    expect(await isAbandoned(child(commonDir, 'none.lock'), commonDir)).toBe(false);
  } finally {
    nap?.kill('SIGKILL');
  }
});
