import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { mount, unmount } from '../support/mounts.ts';
import { type Done, type World, worldsOfTest } from '../surfaces/end-to-end.ts';

const newWorld = worldsOfTest();
const start = (task: string) => ['spec', task, '--mode', 'quick'];

const stateOf = (world: World) =>
  path.join(world.home, readdirSync(world.home).find((name) => /^(repo|dir)-/.test(name)) ?? '');
const storeOf = (world: World) => path.join(stateOf(world), 'baton.db');
const flat = ({ stdout, stderr }: Done) => `${stdout}${stderr}`.replace(/\s+/g, ' ');
const runsOf = async (world: World) =>
  (await world.json<{ run: string }[]>('list', '--all')).map(({ run }) => run).sort();
const filesOf = (world: World, part: RegExp) => readdirSync(stateOf(world)).filter((name) => part.test(name));

/** Two runs, the first of them in the backup of the day. */
async function twoRuns(): Promise<{ world: World; runs: string[] }> {
  const world = newWorld({ git: true });
  expect(await world.run(...start('Rename photos'))).toMatchObject({ code: 4 });
  expect(await world.run(...start('Sort photos'))).toMatchObject({ code: 4 });
  return { world, runs: await runsOf(world) };
}

test('TRUST-22 the first process of a day that drives a run keeps a backup; a question keeps none', async () => {
  const { world } = await twoRuns();
  expect(filesOf(world, /\.bak$/)).toHaveLength(1);
  const [backup = ''] = filesOf(world, /\.bak$/).map((name) => path.join(stateOf(world), name));
  const copy = new DatabaseSync(backup, { readOnly: true });
  expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(copy.prepare('select count(*) as n from runs').get()).toEqual({ n: 1 });
  copy.close();
  rmSync(backup);
  for (const question of [['status'], ['list'], ['gates'], ['doctor', '--deep']])
    await world.run(...question);
  expect(filesOf(world, /\.bak$/)).toEqual([]);

  for (let day = 1; day <= 9; day += 1) {
    const old = path.join(stateOf(world), `baton.db.2020-01-0${day}.bak`);
    writeFileSync(old, '');
    utimesSync(old, new Date(2020, 0, day), new Date(2020, 0, day));
  }
  await world.run(...start('Name photos'));
  expect(filesOf(world, /\.bak$/).filter((name) => name.includes('.2020-'))).toHaveLength(6);
  expect(filesOf(world, /\.bak$/)).toHaveLength(7);
});

test('TRUST-22 a store cut short: every command names the file and the repair, which restores and keeps the file', async () => {
  const { world } = await twoRuns();
  const store = storeOf(world);
  truncateSync(store, Math.floor(statSync(store).size / 2) + 100);
  rmSync(`${store}-wal`, { force: true });
  const damaged = readFileSync(store);
  for (const command of [['status'], ['list'], ['doctor'], start('Another')]) {
    const end = await world.run(...command);
    expect(end.code).not.toBe(0);
    expect(flat(end).replaceAll(' ', '')).toContain(store);
    expect(flat(end)).toContain('baton doctor --repair');
  }
  const repaired = await world.run('doctor', '--repair');
  const [aside = ''] = filesOf(world, /\.damaged-/);
  expect(readFileSync(path.join(stateOf(world), aside)).equals(damaged)).toBe(true);
  expect(flat(repaired).replaceAll(' ', '')).toContain(aside);
  expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
  expect((await runsOf(world)).length).toBeGreaterThanOrEqual(1);
  expect(await world.run(...start('Another'))).toMatchObject({ code: 4 });
  expect(await world.run('doctor', '--repair')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('sound'),
  });
});

test('TRUST-22 a store of garbage: the backup is restored, and what it does not have is named', async () => {
  const { world, runs } = await twoRuns();
  const store = storeOf(world);
  writeFileSync(store, Buffer.alloc(40_000, 'garbage '));
  rmSync(`${store}-wal`, { force: true });
  expect(flat(await world.run('status'))).toContain('baton doctor --repair');
  const repaired = await world.run('doctor', '--repair');
  expect(flat(repaired)).toMatch(/1 run\..*backup of \d{4}-.*Later changes are lost/);
  const [kept] = await runsOf(world);
  expect(runs).toContain(kept);
  const resumed = await world.run('resume', kept ?? '');
  expect(resumed.code).toBe(4);
});

test('TRUST-22 rows damaged inside a sound file are made anew from the log; nothing is lost', async () => {
  const { world, runs } = await twoRuns();
  const db = new DatabaseSync(storeOf(world));
  db.prepare('update runs set state = ?, step = ? where id = ?').run('{"kind":', '{', runs[1] ?? '');
  db.close();
  expect(await world.run('doctor')).toMatchObject({ code: 1 });
  const repaired = await world.run('doctor', '--repair');
  expect(repaired).toMatchObject({ code: 0 });
  expect(flat(repaired)).toMatch(new RegExp(`2 runs.*Rebuilt from their logs: ${runs[1]}`));
  expect(await runsOf(world)).toEqual(runs);
  expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
});

test('TRUST-22 a missing store beside the files of runs is an error, not an empty list; the repair restores the backup', async () => {
  const { world } = await twoRuns();
  for (const end of ['', '-wal', '-shm']) rmSync(storeOf(world) + end, { force: true });
  for (const command of [['status'], ['list'], start('Another')]) {
    const end = await world.run(...command);
    expect(end).toMatchObject({ code: 3 });
    expect(flat(end)).toMatch(/store_missing.*baton doctor --repair/);
  }
  expect(existsSync(storeOf(world))).toBe(false);
  await world.run('doctor', '--repair');
  expect(await runsOf(world)).toHaveLength(1);
});

test('TRUST-22 without any backup the repair makes an empty store and names the runs it knows of', async () => {
  const world = newWorld({ git: true });
  await world.run('deliver', 'Add a greeting', '--mode', 'single', '--model-config', 'balanced');
  const [run = ''] = await runsOf(world);
  for (const name of readdirSync(stateOf(world)))
    if (name.startsWith('baton.db')) rmSync(path.join(stateOf(world), name));
  const repaired = await world.run('doctor', '--repair');
  expect(repaired).toMatchObject({ code: 1 });
  expect(flat(repaired)).toMatch(new RegExp(`empty store.*Lost: ${run}`));
  expect(await world.run(...start('Another'))).toMatchObject({ code: 4 });
});

let mounted: string[] = [];
afterEach(() => {
  for (const dir of mounted.reverse()) {
    unmount(dir);
    rmSync(dir, { recursive: true, force: true });
  }
  mounted = [];
});

test('TRUST-22 a read-only state folder still shows runs; what would write is refused', async () => {
  const store = mkdtempSync(path.join(tmpdir(), 'baton-store-'));
  const home = mkdtempSync(path.join(tmpdir(), 'baton-home-'));
  expect(mount('--bind', store, home)).toBeNull();
  mounted.push(home);
  const world = newWorld({ home, git: true });
  await world.run(...start('Rename photos'));
  const [run = ''] = await runsOf(world);
  expect(mount('-o', 'remount,ro,bind', home)).toBeNull();
  for (const command of [
    ['status'],
    ['status', run],
    ['log', run],
    ['show', run],
    ['gates'],
    ['doctor', '--deep'],
  ]) {
    const end = await world.run(...command);
    expect({ command, ...end }).toMatchObject({ command, code: 0 });
  }
  expect((await world.run('status')).stdout).toContain(run);
  for (const command of [['resume', run], ['stop', run], start('Another')]) {
    const end = await world.run(...command);
    expect([1, 3]).toContain(end.code);
    expect(flat(end)).toContain('store_read_only');
  }
  expect(mount('-o', 'remount,rw,bind', home)).toBeNull();
  expect(await world.run('stop', run)).toMatchObject({ code: 0 });
  rmSync(store, { recursive: true, force: true });
});
