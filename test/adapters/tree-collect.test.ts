import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectTrees } from '../../src/adapters/workspace/clone/collect.ts';
import { edit, op, opened, personal, project, put, shelf, stateOf } from './tree-fixture.ts';
import { type Fixture, failureOf } from './workspace-fixture.ts';

const DAY = 24 * 60 * 60 * 1000;
const pins = (fixture: Fixture) =>
  fixture.git(['for-each-ref', '--format=%(refname)', 'refs/baton/']).split('\n').filter(Boolean);

function collect(fixture: Fixture, days: number, live: string[], keep?: number) {
  const now = new Date(Date.now() + days * DAY).toISOString();
  const options = { home: stateOf(fixture), now, live, environment: fixture.environment };
  return collectTrees({ ...options, ...(keep === undefined ? {} : { keep }) });
}

test('trees of ended runs go after 14 days with their pins, those of live runs stay however old', async () => {
  using fixture = project();
  const before = personal(fixture);
  const ended = await opened(fixture, 'de-ended');
  const live = await opened(fixture, 'de-live');
  edit(ended);
  chmodSync(join(ended.root, 'src'), 0o500);
  expect(pins(fixture)).toEqual(['refs/baton/trees/de-ended', 'refs/baton/trees/de-live']);
  expect(await collect(fixture, 13, ['de-live'])).toMatchObject({
    removed: [],
    kept: ['de-ended', 'de-live'],
  });
  const done = await collect(fixture, 15, ['de-live']);
  expect(done).toMatchObject({ removed: ['de-ended'], kept: ['de-live'], failed: [] });
  expect(readdirSync(join(stateOf(fixture), 'trees'))).toEqual(['de-live']);
  expect(pins(fixture)).toEqual(['refs/baton/trees/de-live']);
  expect((await failureOf(ended.snapshot('x'))).code).toBe('tree_missing');
  await live.restore('start');
  expect(personal(fixture)).toEqual(before);
});

test('a tree counts from its last use, parts of an interrupted opening go too, another time can be given', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  const file = join(stateOf(fixture), 'trees/de-7k2/tree.json');
  const old = new Date(Date.now() - 20 * DAY);
  utimesSync(file, old, old);
  const part = join(stateOf(fixture), 'trees/.de-x.01234567.part');
  mkdirSync(part);
  writeFileSync(join(part, 'tree.json'), readFileSync(file, 'utf8').replace('de-7k2', 'de-x'));
  utimesSync(join(part, 'tree.json'), old, old);
  const base = fixture.git(['rev-parse', 'HEAD']).trim();
  fixture.git(['update-ref', 'refs/baton/trees/de-x', base]);
  await tree.snapshot('again');
  expect(await collect(fixture, 0, [])).toMatchObject({ removed: ['de-x'], kept: ['de-7k2'] });
  expect(pins(fixture)).toEqual(['refs/baton/trees/de-7k2']);
  expect(await collect(fixture, 2, [], 1)).toMatchObject({ removed: ['de-7k2'] });
});

test('a repository that is gone, a state directory that is gone and a foreign file are no obstacle', async () => {
  using fixture = project();
  expect(await collect(fixture, 15, [])).toEqual({ removed: [], kept: [], failed: [] });
  await opened(fixture);
  writeFileSync(join(stateOf(fixture), 'trees/note.txt'), 'mine');
  rmSync(fixture.root, { recursive: true });
  const done = await collect(fixture, 15, []);
  expect(done.removed).toContain('de-7k2');
  expect(existsSync(join(stateOf(fixture), 'trees/de-7k2'))).toBe(false);
  expect(existsSync(join(stateOf(fixture), 'trees/note.txt'))).toBe(true);
});

test('a saved patch outlives the clone it came from', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  put(tree, 'src/a.ts', 'kept\n');
  const { keep, texts } = shelf();
  const saved = (await tree.perform(op('save_patch', { since: 'start' }), keep)) as { patch: string };
  await collect(fixture, 15, []);
  expect(existsSync(tree.root)).toBe(false);
  expect(texts.get(saved.patch)).toContain('+kept');
});
