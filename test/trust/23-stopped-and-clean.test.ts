import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { deliverScript, HAPPY, QUICK_PROJECT } from '../support/deliver-script.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';

const newWorld = worldsOfTest();
/** Gives a command a terminal of its own; part of util-linux. */
const TERMINAL = 'script';
const SPEC = ['spec', 'Rename photos', '--mode', 'quick'];

let running: ChildProcess[] = [];
let stopped: number[] = [];
afterEach(() => {
  for (const pid of stopped) process.kill(pid, 'SIGKILL');
  for (const child of running) child.kill('SIGKILL');
  running = [];
  stopped = [];
});

interface Terminal {
  /** Waits until the command has written a text, or has ended. */
  until(text: string): Promise<void>;
  type(text: string): void;
  readonly done: Promise<number | null>;
  shown(): string;
}

/** The command at a terminal that stays open. */
function terminal(world: World, ...args: string[]): Terminal {
  const command = [process.execPath, world.main, ...args].map((word) => `'${word}'`).join(' ');
  const env = { ...process.env, BATON_HOME: world.home, LANG: 'en_US.UTF-8', NO_COLOR: '1' };
  const child = spawn(TERMINAL, ['-qec', command, '/dev/null'], { cwd: world.root, env, detached: true });
  running.push(child);
  let shown = '';
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    for (const query of waiting) query();
  });
  child.on('exit', () => {
    for (const query of waiting) query();
  });
  return {
    until: (text) =>
      new Promise((resolve) => {
        const query = () => {
          if (!shown.includes(text) && child.exitCode === null) return;
          waiting.delete(query);
          resolve();
        };
        waiting.add(query);
        query();
      }),
    type: (text) => void child.stdin.write(text),
    done: new Promise((resolve) => child.on('close', resolve)),
    shown: () => shown,
  };
}

test('TRUST-23 a stopped driver is named by status and resume, with how to continue and how to end it', async () => {
  const world = newWorld({ git: true });
  const person = terminal(world, ...SPEC);
  await person.until('› ');
  const [run] = await world.json<{ run: string }[]>('list');
  const name = run?.run ?? '';
  const { holder } = await world.json<{ holder: { pid: number } }>('status', name);
  process.kill(holder.pid, 'SIGSTOP');
  stopped.push(holder.pid);
  for (const [args, code] of [
    [['status'], 0],
    [['status', name], 0],
    [['resume', name], 3],
  ] as const) {
    const end = await world.run(...args);
    const text = `${end.stdout}${end.stderr}`.replace(/\s+/g, ' ');
    expect(text).toContain(`kill -CONT ${holder.pid}`);
    expect(text).toContain(`kill -KILL ${holder.pid}`);
    expect(end.code).toBe(code);
  }
  process.kill(holder.pid, 'SIGCONT');
  expect((await world.run('status')).stdout).not.toContain('kill -CONT');
});

async function started(): Promise<World> {
  const world = newWorld({ git: true, files: { ...QUICK_PROJECT, 'script.json': deliverScript(HAPPY) } });
  const options = ['--mode', 'single', '--model-config', 'balanced', '--script', 'script.json'];
  await world.run('deliver', 'Add', ...options);
  execFileSync('git', ['branch', 'baton/deliver-result'], { cwd: world.root });
  return world;
}

function left(world: World): { refs: string[]; branches: string; states: string[]; id: boolean } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: world.root, encoding: 'utf8' });
  return {
    refs: git('for-each-ref', '--format=%(refname)', 'refs/baton').split('\n').filter(Boolean),
    branches: git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim(),
    states: readdirSync(world.home).filter((name) => name.startsWith('repo-')),
    id: existsSync(path.join(world.root, '.git/baton-id')),
  };
}

test('TRUST-23 clean lists what Baton left, removes it after the folder\u2019s name was typed, and keeps branches', async () => {
  const world = await started();
  const before = left(world);
  const wrong = terminal(world, 'clean');
  await wrong.until('› ');
  wrong.type('yes\r');
  expect(await wrong.done).toBe(3);
  expect(left(world)).toEqual(before);

  const right = terminal(world, 'clean');
  await right.until('› ');
  for (const one of ['baton-id', 'refs/baton/trees/', 'baton/deliver-result', 'repo-'])
    expect(right.shown().replace(/\s+/g, '')).toContain(one);
  right.type('photos\r');
  expect(await right.done).toBe(0);
  expect(left(world)).toEqual({ refs: [], branches: 'baton/deliver-result\nmain', states: [], id: false });
  expect((await world.run('status')).stdout).toContain('Nothing has been started here yet');
});

test('TRUST-23 clean --branches removes the branches with results too', async () => {
  const world = await started();
  const person = terminal(world, 'clean', '--branches');
  await person.until('› ');
  person.type('photos\r');
  expect(await person.done).toBe(0);
  expect(left(world)).toEqual({ refs: [], branches: 'main', states: [], id: false });
});

test('TRUST-23 clean is refused to a script, without a typed name, and while a process drives a run', async () => {
  const world = await started();
  const before = left(world);
  expect(await world.run('clean')).toMatchObject({ code: 3 });
  expect(await world.person('clean')).toMatchObject({ code: 3 });
  const person = terminal(world, ...SPEC);
  await person.until('› ');
  const other = terminal(world, 'clean');
  expect(await other.done).toBe(3);
  expect(other.shown().replace(/\s+/g, ' ')).toMatch(/Nothing was removed: sp-\w+ is driven by/);
  expect(left(world)).toEqual(before);
});
