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
import { repositoryId } from '../../src/adapters/workspace/repository-id.ts';
import { type Fixture, plainFolder, repository } from './workspace-fixture.ts';

const idOf = (fixture: Fixture, create: boolean, root = fixture.root) =>
  repositoryId(root, { create, environment: fixture.environment });

test('a question alone makes no id; once made it stays the same', async () => {
  using fixture = repository();
  expect(await idOf(fixture, false)).toBeNull();
  expect(existsSync(fixture.path('.git/baton-id'))).toBe(false);
  const made = await idOf(fixture, true);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^repo-[0-9a-f]{12}$/),
    root: fixture.root,
    git: true,
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

test('without a git program the id is the same one, also when it is the first to ask', async () => {
  using fixture = repository();
  using plain = plainFolder();
  fixture.write('src/a.ts', '');
  const linked = join(fixture.environment.HOME, 'linked');
  fixture.git(['worktree', 'add', '-q', linked]);
  const idWithoutGit = (root: string, create: boolean) =>
    repositoryId(root, { create, environment: { ...fixture.environment, PATH: '/nowhere' } });
  expect(await idWithoutGit(linked, false)).toBeNull();
  const made = await idWithoutGit(linked, true);
  expect(made).toMatchObject({ id: expect.stringMatching(/^repo-/), root: linked, git: true });
  expect(await idWithoutGit(fixture.path('src'), false)).toEqual({ ...made, root: fixture.root });
  expect(await idOf(fixture, false)).toEqual({ ...made, root: fixture.root });
  expect(await idOf(fixture, false, linked)).toEqual(made);
  expect(await idWithoutGit(fixture.path('.git'), false)).toMatchObject({ git: false });
  expect(await idWithoutGit(plain.root, true)).toMatchObject({ git: false });
});

test('where its settings put the work tree elsewhere, the folder is no part of it', async () => {
  using fixture = repository();
  await idOf(fixture, true);
  const elsewhere = join(fixture.environment.HOME, 'elsewhere');
  mkdirSync(elsewhere);
  fixture.git(['config', 'core.worktree', elsewhere]);
  expect(await idOf(fixture, false)).toMatchObject({ git: false });
});

test('a copied or moved repository gets a new id, the original keeps its own', async () => {
  using fixture = repository();
  const made = await idOf(fixture, true);
  const copy = join(fixture.environment.HOME, 'copy');
  cpSync(fixture.root, copy, { recursive: true });
  expect(await idOf(fixture, false, copy)).toBeNull();
  const copied = await idOf(fixture, true, copy);
  expect(copied?.id).not.toBe(made?.id);
  expect(await idOf(fixture, false)).toEqual(made);
  const moved = join(fixture.environment.HOME, 'moved');
  renameSync(copy, moved);
  expect((await idOf(fixture, true, moved))?.id).not.toBe(copied?.id);
  expect(readdirSync(join(moved, '.git')).filter((name) => name.includes('baton-id'))).toEqual(['baton-id']);
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
    git: false,
  });
  const linked = join(fixture.environment.HOME, 'linked');
  symlinkSync(fixture.root, linked);
  expect(await idOf(fixture, true, linked)).toEqual(id);
  expect((await idOf(other, true))?.id).not.toBe(id?.id);
  expect(readdirSync(fixture.root)).toEqual([]);
});
