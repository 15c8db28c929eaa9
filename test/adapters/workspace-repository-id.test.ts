import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOwner, repositoryId } from '../../src/adapters/git/repository-id.ts';
import { earlierPaths, readOwner } from '../../src/adapters/git/repository-owner.ts';
import type { RealPath } from '../../src/files/real-path.ts';
import { type Fixture, failureOf, plainFolder, repository } from './workspace-fixture.ts';

const statesOf = (fixture: Fixture) => join(fixture.environment.HOME, 'states');

const idOf = (fixture: Fixture, create: boolean, root = fixture.root) =>
  repositoryId(root, { create, states: statesOf(fixture), environment: fixture.environment });

test('a question alone makes no id; once made it stays the same', async () => {
  using fixture = repository();
  expect(await idOf(fixture, false)).toBeNull();
  expect(existsSync(fixture.path('.git/baton-id'))).toBe(false);
  const made = await idOf(fixture, true);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^repo-[0-9a-f]{12}$/),
    root: fixture.root,
    commonDir: fixture.path('.git'),
  });
  expect(await idOf(fixture, true)).toEqual(made);
  expect(await idOf(fixture, false)).toEqual(made);
  expect(JSON.parse(readFileSync(fixture.path('.git/baton-id'), 'utf8')).path).toBe(fixture.path('.git'));
  expect(fixture.git(['status', '--porcelain'])).toBe('');
});

test('sub folders, links and linked work trees belong to the same repository', async () => {
  using fixture = repository();
  fixture.write('src/a.ts', '');
  const made = await idOf(fixture, true);
  const linked = join(fixture.environment.HOME, 'linked');
  symlinkSync(fixture.path('src'), linked);
  expect(await idOf(fixture, false, fixture.path('src'))).toEqual(made);
  expect(await idOf(fixture, false, linked)).toEqual(made);
  const tree = join(fixture.environment.HOME, 'tree');
  fixture.git(['worktree', 'add', '-q', '-b', 'side', tree]);
  expect(await idOf(fixture, false, tree)).toEqual({ ...made, root: tree });
});

test('without a git program the id is the same one, and none is made', async () => {
  using fixture = repository();
  using plain = plainFolder();
  fixture.write('src/a.ts', '');
  const linked = join(fixture.environment.HOME, 'linked');
  fixture.git(['worktree', 'add', '-q', linked]);
  const idWithoutGit = (root: string, create: boolean) =>
    repositoryId(root, {
      create,
      states: statesOf(fixture),
      environment: { ...fixture.environment, PATH: '/nowhere' },
    });
  expect(await idWithoutGit(linked, false)).toBeNull();
  expect((await failureOf(idWithoutGit(linked, true))).code).toBe('repository_unreadable');
  const made = await idOf(fixture, true, linked);
  expect(await idWithoutGit(linked, false)).toEqual(made);
  expect(await idWithoutGit(fixture.path('src'), false)).toEqual({ ...made, root: fixture.root });
  expect(await idOf(fixture, false)).toEqual({ ...made, root: fixture.root });
  expect(await idOf(fixture, false, linked)).toEqual(made);
  expect((await failureOf(idWithoutGit(fixture.path('.git'), false))).code).toBe('repository_unreadable');
  expect(await idWithoutGit(plain.root, true)).toMatchObject({ commonDir: null });
});

test('where its settings put the work tree elsewhere, the folder is refused', async () => {
  using fixture = repository();
  await idOf(fixture, true);
  const elsewhere = join(fixture.environment.HOME, 'elsewhere');
  mkdirSync(elsewhere);
  fixture.git(['config', 'core.worktree', elsewhere]);
  expect((await failureOf(idOf(fixture, false))).code).toBe('no_work_tree');
});

/** The id, and the state folder that a first command makes for it. */
async function started(fixture: Fixture, root = fixture.root): Promise<string> {
  const { id, commonDir } = (await idOf(fixture, true, root)) ?? fail();
  const home = join(statesOf(fixture), id);
  mkdirSync(home, { recursive: true });
  await recordOwner(home, commonDir ?? fail());
  return id;
}

function fail(): never {
  throw new Error('the repository has no id');
}

test('a copied repository gets a new id, the original keeps its own', async () => {
  using fixture = repository();
  const id = await started(fixture);
  const copy = join(fixture.environment.HOME, 'copy');
  cpSync(fixture.root, copy, { recursive: true });
  expect(await idOf(fixture, false, copy)).toBeNull();
  expect(await started(fixture, copy)).not.toBe(id);
  expect((await idOf(fixture, false))?.id).toBe(id);
});

test('a moved repository keeps its id, for a question too, and the state folder names its path', async () => {
  using fixture = repository();
  const id = await started(fixture);
  const moved = join(fixture.environment.HOME, 'moved');
  renameSync(fixture.root, moved);
  expect(await idOf(fixture, false, moved)).toMatchObject({ id, root: moved });
  const home = join(statesOf(fixture), id) as RealPath;
  expect((await readOwner(home)).path).toBe(join(moved, '.git'));
  expect(await earlierPaths(home)).toEqual([fixture.path('.git')]);
  expect(JSON.parse(readFileSync(join(moved, '.git/baton-id'), 'utf8')).path).toBe(join(moved, '.git'));
  // A backup put back at the old path is the copy now.
  cpSync(moved, fixture.root, { recursive: true });
  writeFileSync(fixture.path('.git/baton-id'), JSON.stringify({ id, path: fixture.path('.git') }));
  expect(await idOf(fixture, false)).toBeNull();
  expect((await idOf(fixture, false, moved))?.id).toBe(id);
});

test('a state folder of an earlier version names no path; its repository is taken over all the same', async () => {
  using fixture = repository();
  const id = await started(fixture);
  rmSync(join(statesOf(fixture), id, 'owner'), { recursive: true });
  expect((await idOf(fixture, false))?.id).toBe(id);
  const moved = join(fixture.environment.HOME, 'moved');
  renameSync(fixture.root, moved);
  expect((await idOf(fixture, false, moved))?.id).toBe(id);
});

test('many commands at once in two moved copies: one copy keeps the id, the other gets one of its own', async () => {
  for (let round = 1; round <= 5; round += 1) {
    using fixture = repository();
    const id = await started(fixture);
    const locations = ['left', 'right'].map((name) => join(fixture.environment.HOME, name));
    for (const location of locations) cpSync(fixture.root, location, { recursive: true });
    rmSync(fixture.root, { recursive: true });
    const found = await Promise.all(
      [...locations, ...locations, ...locations].map(async (location) => [
        location,
        (await idOf(fixture, true, location))?.id,
      ]),
    );
    const byLocation = locations.map(
      (location) => new Set(found.filter(([at]) => at === location).map(([, of]) => of)),
    );
    expect(byLocation.map(({ size }) => size)).toEqual([1, 1]);
    expect(byLocation.filter((ids) => ids.has(id))).toHaveLength(1);
    for (const [n, location] of locations.entries())
      expect(byLocation[n]?.has((await idOf(fixture, false, location))?.id)).toBe(true);
  }
});

test.each([
  '',
  'not json',
  '{"id":"../../etc","path":"HERE"}',
  '{"id":"repo-0123456789ab","path":"/elsewhere"}',
])('an id file that says %j is replaced', async (text) => {
  using fixture = repository();
  writeFileSync(fixture.path('.git/baton-id'), text.replace('HERE', fixture.path('.git')));
  expect(await idOf(fixture, false)).toBeNull();
  const made = await idOf(fixture, true);
  expect(made?.id).toMatch(/^repo-[0-9a-f]{12}$/);
  expect(made?.id).not.toBe('repo-0123456789ab');
  expect(await idOf(fixture, false)).toEqual(made);
});

test.each([null, 'not json', '{"id":"repo-0123456789ab","path":"/elsewhere"}'])(
  'many at once agree on one id, whatever they find: %j',
  async (found) => {
    using fixture = repository();
    const file = fixture.path('.git/baton-id');
    const ids = new Set<string | undefined>();
    for (let round = 1; round <= 10; round += 1) {
      if (found === null) rmSync(file, { force: true });
      else writeFileSync(file, found);
      const all = await Promise.all(Array.from({ length: 8 }, () => idOf(fixture, true)));
      expect(new Set(all.map((one) => one?.id)).size).toBe(1);
      expect(await idOf(fixture, false)).toEqual(all[0]);
      ids.add(all[0]?.id);
      expect(ids.size).toBe(round);
    }
    expect(readdirSync(fixture.path('.git')).filter((name) => name.includes('baton-id'))).toEqual([
      'baton-id',
    ]);
  },
);

test('a plain folder has the id of its real path and nothing is written', async () => {
  using fixture = plainFolder();
  using other = plainFolder();
  const id = await idOf(fixture, false);
  expect(id).toMatchObject({
    id: expect.stringMatching(/^dir-[0-9a-f]{12}$/),
    root: fixture.root,
    commonDir: null,
  });
  const linked = join(fixture.environment.HOME, 'linked');
  symlinkSync(fixture.root, linked);
  expect(await idOf(fixture, true, linked)).toEqual(id);
  expect((await idOf(other, true))?.id).not.toBe(id?.id);
  expect(readdirSync(fixture.root)).toEqual([]);
});
