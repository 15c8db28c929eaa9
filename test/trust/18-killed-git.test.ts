import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { deliverScript, HAPPY, QUICK_PROJECT } from '../support/deliver-script.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';

const newWorld = worldsOfTest();
const DELIVER = [
  'deliver',
  'Add',
  '--mode',
  'single',
  '--model-config',
  'balanced',
  '--script',
  'script.json',
];
const SPEC = ['spec', 'Rename photos', '--mode', 'quick'];
const FILES = { ...QUICK_PROJECT, 'script.json': deliverScript(HAPPY) };

let folders: string[] = [];
let running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
  running = [];
});

/**
 * A git that is killed once, with the Baton that called it, inside the first call whose arguments match the pattern:
 * what it leaves is the lock of the ref it was about to move.
 */
function killedGit(pattern: string, ref: string): string {
  const bin = mkdtempSync(path.join(tmpdir(), 'baton-killed-git-'));
  folders.push(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const lines = [
    '#!/bin/sh',
    `case "$*" in ${pattern})`,
    `  if mkdir "${bin}/killed" 2>/dev/null; then`,
    // The word of the arguments that names the ref; a fetch names it twice.
    `    for word in "$@"; do case "$word" in ${ref}) name="\${word%%:*}";; esac; done`,
    '    mkdir -p "$(dirname ".git/$name")"; : > ".git/$name.lock"',
    '    kill -9 "$PPID"; exit 137',
    '  fi;;',
    'esac',
    `exec "${real}" "$@"`,
    '',
  ];
  writeFileSync(path.join(bin, 'git'), lines.join('\n'), { mode: 0o755 });
  return `${bin}:${process.env.PATH ?? ''}`;
}

/** Answers gates with their first option until the run ends, or the command is killed. */
async function answerAll(world: World, most = 8): Promise<void> {
  for (let n = 0; n < most; n += 1) {
    const [gate] = await world.json<{ id: string; options: object }[]>('gates');
    if (!gate) return;
    await world.person('answer', gate.id, Object.keys(gate.options)[0] ?? '');
  }
}

function locksIn(world: World): string[] {
  const found = execFileSync('find', ['.git', '-name', '*.lock'], { cwd: world.root, encoding: 'utf8' });
  return found.split('\n').filter(Boolean);
}

test.each([
  ['of a clone\u2019s start commit', DELIVER, '*update-ref*refs/baton/*', 'refs/baton/*'],
  ['of the branch with the commit', DELIVER, '*fetch*refs/heads/baton/*', 'refs/heads/baton/*'],
  ['of the branch with the documents', SPEC, '*update-ref*refs/heads/baton/*', 'refs/heads/baton/*'],
])('TRUST-18 a kill inside git leaves the lock %s: doctor names it, and the run goes on', async (...row) => {
  const [, start, pattern, ref] = row;
  const world = newWorld({ git: true, files: FILES, env: { PATH: killedGit(pattern, ref) } });
  await world.run(...start);
  for (let n = 0; n < 8 && locksIn(world).length === 0; n += 1) await answerAll(world, 1);
  expect(locksIn(world)).toEqual([expect.stringMatching(/^\.git\/refs\/(baton|heads\/baton)\/.+\.lock$/)]);
  const doctor = await world.run('doctor');
  expect(doctor.stdout.replace(/\s+/g, '')).toContain(locksIn(world)[0]);

  const [run] = await world.json<{ run: string }[]>('list');
  await world.person('resume', run?.run ?? '');
  await answerAll(world);
  expect(await world.json<unknown[]>('list')).toEqual([]);
  expect(locksIn(world)).toEqual([]);
  const branches = execFileSync('git', ['branch', '--list', 'baton/*'], {
    cwd: world.root,
    encoding: 'utf8',
  });
  expect(branches).toMatch(/baton\/(deliver-add|spec-rename-photos)/);
});

test('TRUST-18 a lock of a git that still runs, and a lock of another ref, are left alone', async () => {
  const world = newWorld({ git: true, files: FILES });
  const alive = spawn('git', ['cat-file', '--batch'], { cwd: world.root, stdio: ['pipe', 'pipe', 'ignore'] });
  running.push(alive);
  alive.stdin?.write('HEAD\n');
  await new Promise((resolve) => alive.stdout?.once('data', resolve));
  await world.run(...DELIVER);
  const [run] = await world.json<{ run: string }[]>('list');
  const ours = path.join(world.root, `.git/refs/baton/trees/${run?.run}.lock`);
  const theirs = path.join(world.root, '.git/refs/heads/main.lock');
  for (const lock of [ours, theirs]) writeFileSync(lock, '');
  const startAnother = async (task: string) => {
    for (const state of readdirSync(world.home))
      rmSync(path.join(world.home, state, 'cleaned'), { force: true });
    await world.run('deliver', task, '--mode', 'single', '--model-config', 'balanced');
    return [ours, theirs].map((lock) => existsSync(lock));
  };
  expect((await world.run('doctor')).stdout).not.toContain('.lock');
  expect(await startAnother('Sort')).toEqual([true, true]);
  alive.kill('SIGKILL');
  await new Promise((resolve) => alive.once('close', resolve));
  expect((await world.run('doctor')).stdout.replace(/\s+/g, '')).toContain(ours);
  expect(await startAnother('Name')).toEqual([false, true]);
});

test('TRUST-18 half clones and temporary objects are named by doctor and removed by a later run', async () => {
  const world = newWorld({ git: true, files: FILES });
  await world.run(...DELIVER);
  const [state = ''] = execFileSync('ls', [world.home], { encoding: 'utf8' }).split('\n');
  const home = path.join(world.home, state);
  const [run] = await world.json<{ run: string }[]>('list');
  const half = path.join(home, 'trees', `.${run?.run}.0123abcd.part`);
  mkdirSync(path.join(half, 'tree'), { recursive: true });
  const objects = [
    path.join(world.root, '.git/objects/ab/tmp_obj_x1'),
    path.join(home, 'trees', run?.run ?? '', 'view/objects/pack/tmp_pack_x1'),
  ];
  for (const file of objects) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  const hourAgo = new Date(Date.now() - 60 * 60_000);
  for (const file of [half, ...objects]) utimesSync(file, hourAgo, hourAgo);
  const told = (await world.run('doctor')).stdout.replace(/\s+/g, '');
  for (const file of [half, ...objects]) expect(told).toContain(file);

  // Cleaning is done once a day.
  const yesterday = new Date(Date.now() - 25 * 60 * 60_000);
  if (existsSync(path.join(home, 'cleaned'))) utimesSync(path.join(home, 'cleaned'), yesterday, yesterday);
  await world.run('deliver', 'Sort', '--mode', 'single', '--model-config', 'balanced');
  expect([half, ...objects].filter((file) => existsSync(file))).toEqual([]);
  await answerAll(world, 12);
  expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
});
