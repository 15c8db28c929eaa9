import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deliverScript, HAPPY, QUICK_PROJECT } from '../support/deliver-script.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { type WorldAt, worldAt } from './world-at.ts';

const newWorld = worldsOfTest();

const SPEC = ['spec', 'Rename photos by date', '--mode', 'quick'];
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
const FILES = { ...QUICK_PROJECT, 'script.json': deliverScript(HAPPY) };

interface Row {
  readonly run: string;
}

const runsOf = async (location: WorldAt): Promise<string[]> =>
  (await location.json<Row[]>('list', '--all')).map(({ run }) => run);

function moved(world: World, to = path.join(world.root, '..', 'moved')): string {
  renameSync(world.root, to);
  return to;
}

/** Answers gates with their first option until the run ends. */
async function finish(location: WorldAt): Promise<void> {
  for (let n = 0; n < 8; n += 1) {
    const [gate] = await location.json<{ id: string; name: string; options: object }[]>('gates');
    if (!gate) return;
    const { stdout } = await location.person('answer', gate.id, Object.keys(gate.options)[0] ?? '');
    expect(stdout).not.toMatch(/git_failed|not_a_repository/);
  }
}

test('TRUST-20 after a move the runs are still listed, and a new run joins them', async () => {
  const world = newWorld({ git: true });
  expect(await world.run(...SPEC)).toMatchObject({ code: 4 });
  const [before] = await world.json<Row[]>('list');
  const location = worldAt(world, moved(world));
  const status = await location.run('status');
  expect(status.stdout).toContain(before?.run);
  expect(await location.run('spec', 'Another idea', '--mode', 'quick')).toMatchObject({ code: 4 });
  expect(await runsOf(location)).toContain(before?.run);
  expect(readdirSync(world.home).filter((name) => name.startsWith('repo-'))).toHaveLength(1);
});

test('TRUST-20 a run in its own clone goes on to its commit after the repository was moved twice', async () => {
  const world = newWorld({ git: true, files: FILES });
  expect(await world.run(...DELIVER)).toMatchObject({ code: 4 });
  const [run] = await world.json<Row[]>('list');
  const first = moved(world);
  const [gate] = await worldAt(world, first).json<{ id: string; options: object }[]>('gates');
  await worldAt(world, first).person('answer', gate?.id ?? '', Object.keys(gate?.options ?? {})[0] ?? '');
  const second = path.join(path.dirname(first), 'moved again');
  renameSync(first, second);
  const location = worldAt(world, second);
  expect(await runsOf(location)).toEqual([run?.run]);
  await finish(location);
  const shown = execFileSync('git', ['show', 'baton/deliver-add:src/sums.js'], {
    cwd: second,
    encoding: 'utf8',
  });
  expect(shown).toContain('export const add');
  expect(await location.run('doctor', '--deep')).toMatchObject({ code: 0 });
});

test('TRUST-20 a run in place goes on after the move, with its snapshots', async () => {
  const world = newWorld({ git: true, files: FILES });
  expect(await world.run(...DELIVER, '--in-place')).toMatchObject({ code: 4 });
  const [gate] = await world.json<{ id: string; options: object }[]>('gates');
  await world.person('answer', gate?.id ?? '', Object.keys(gate?.options ?? {})[0] ?? '');
  const to = moved(world);
  await finish(worldAt(world, to));
  expect(readFileSync(path.join(to, 'src/sums.js'), 'utf8')).toContain('export const add');
  const log = execFileSync('git', ['log', '--format=%s', '-1'], { cwd: to, encoding: 'utf8' });
  expect(log).not.toContain('start');
});

test('TRUST-20 a copied repository starts without the runs of the original', async () => {
  const world = newWorld({ git: true });
  await world.run(...SPEC);
  const before = await runsOf(worldAt(world, world.root));
  const copy = path.join(world.root, '..', 'copy');
  cpSync(world.root, copy, { recursive: true });
  const location = worldAt(world, copy);
  expect(await runsOf(location)).toEqual([]);
  expect(await location.run('spec', 'Another idea', '--mode', 'quick')).toMatchObject({ code: 4 });
  expect(await runsOf(location)).toHaveLength(1);
  expect(await runsOf(worldAt(world, world.root))).toEqual(before);
});

test('TRUST-20 of two moved copies exactly one keeps the runs, also when both start at once', async () => {
  const world = newWorld({ git: true });
  await world.run(...SPEC);
  const [before = ''] = await runsOf(worldAt(world, world.root));
  const locations = ['left', 'right'].map((name) => path.join(world.root, '..', name));
  for (const location of locations) cpSync(world.root, location, { recursive: true });
  rmSync(world.root, { recursive: true });
  await Promise.all(
    [...locations, ...locations].map((location) =>
      worldAt(world, location).run('spec', 'Another idea', '--mode', 'quick'),
    ),
  );
  const listed = await Promise.all(locations.map((location) => runsOf(worldAt(world, location))));
  expect(listed.filter((runs) => runs.includes(before))).toHaveLength(1);
  expect(listed.map((runs) => runs.filter((run) => run !== before).length)).toEqual([2, 2]);
});
