import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { failureOf, plainFolder, repository, unbornRepository } from './workspace-fixture.ts';

test('WF-10 a repository has git, with its branch and commit', async () => {
  using fixture = repository('my project');
  const workspace = await fixture.open();
  const head = fixture.git(['rev-parse', 'HEAD']).trim();
  expect(await workspace.facts()).toEqual({ folder: 'my project', git: { branch: 'main', head } });
});

test('WF-10 a plain directory has no git', async () => {
  using fixture = plainFolder('notes');
  const workspace = await fixture.open();
  expect(await workspace.facts()).toEqual({ folder: 'notes', git: null });
});

test('WF-10 inside the git directory itself a workspace is refused, although git exits with 0 there', async () => {
  using fixture = repository();
  expect(fixture.git(['rev-parse', '--is-inside-work-tree'], fixture.path('.git')).trim()).toBe('false');
  expect((await failureOf(fixture.open(fixture.path('.git')))).code).toBe('no_work_tree');
});

test('WF-10 a repository where git is not installed is refused', async () => {
  using fixture = repository();
  const environment = { ...fixture.environment, PATH: fixture.environment.HOME };
  const workspace = openWorkspace({ root: fixture.root, namespace: 'baton', environment });
  expect((await failureOf(workspace)).code).toBe('repository_unreadable');
});

test('a plain folder misses no git, installed or not; something above it called .git counts as a repository', async () => {
  using fixture = plainFolder('notes');
  const environment = { ...fixture.environment, PATH: fixture.environment.HOME };
  const open = () => openWorkspace({ root: fixture.root, namespace: 'baton', environment });
  expect(await (await open()).facts()).toEqual({ folder: 'notes', git: null });
  const above = join(fixture.root, '..', '.git');
  mkdirSync(join(above, 'objects'), { recursive: true });
  expect(await failureOf(open())).toMatchObject({
    code: 'repository_unreadable',
    detail: expect.stringContaining(above),
  });
});

test('a detached HEAD has no branch', async () => {
  using fixture = repository();
  fixture.git(['checkout', '-q', '--detach']);
  const facts = await (await fixture.open()).facts();
  expect(facts.git).toEqual({ branch: null, head: fixture.git(['rev-parse', 'HEAD']).trim() });
});

test('an unborn branch has a name and no commit', async () => {
  using fixture = unbornRepository();
  expect((await (await fixture.open()).facts()).git).toEqual({ branch: 'main', head: null });
});

test('a branch name with a slash or one that is also a tag is given as it is', async () => {
  using fixture = repository();
  fixture.git(['tag', 'team/über']);
  fixture.git(['checkout', '-q', '-b', 'team/über']);
  expect((await (await fixture.open()).facts()).git?.branch).toBe('team/über');
});

test('a folder below the top level, or reached through a link, opens the whole tree at its real path', async () => {
  using fixture = repository();
  fixture.write('src/deep/a.ts', '');
  const linked = join(fixture.environment.HOME, 'linked');
  symlinkSync(fixture.root, linked);
  expect((await fixture.open(fixture.path('src/deep'))).root).toBe(fixture.root);
  expect((await fixture.open(join(linked, 'src'))).root).toBe(fixture.root);
});

test('a linked work tree has a branch of its own', async () => {
  using fixture = repository();
  const tree = join(fixture.environment.HOME, 'tree');
  fixture.git(['worktree', 'add', '-q', '-b', 'side', tree]);
  const workspace = await fixture.open(tree);
  expect(workspace.root).toBe(tree);
  expect((await workspace.facts()).git?.branch).toBe('side');
});

test('WF-10 a bare repository is refused, and a linked tree of it has git', async () => {
  using fixture = repository();
  const bare = join(fixture.environment.HOME, 'bare.git');
  fixture.git(['clone', '-q', '--bare', fixture.root, bare]);
  expect((await failureOf(fixture.open(bare))).code).toBe('no_work_tree');
  const tree = join(bare, 'tree');
  fixture.git(['worktree', 'add', '-q', tree, 'main'], bare);
  const workspace = await fixture.open(tree);
  expect(workspace.root).toBe(tree);
  expect((await workspace.facts()).git?.branch).toBe('main');
});

test('a submodule is a repository of its own', async () => {
  using library = repository('library');
  using fixture = repository();
  fixture.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib']);
  const workspace = await fixture.open(fixture.path('lib'));
  expect(workspace.root).toBe(fixture.path('lib'));
  expect((await workspace.facts()).git?.head).toBe(library.git(['rev-parse', 'HEAD']).trim());
});

test('variables of an outer git call do not lead to another repository', async () => {
  using fixture = repository();
  using other = plainFolder();
  using third = repository();
  const environment = { ...fixture.environment, GIT_DIR: fixture.path('.git'), GIT_WORK_TREE: other.root };
  const open = (root: string) => openWorkspace({ root, namespace: 'baton', environment });
  expect((await failureOf(open(other.root))).code).toBe('no_work_tree');
  expect((await (await open(third.root)).facts()).git?.head).toBe(third.git(['rev-parse', 'HEAD']).trim());
});

test.skipIf(process.getuid?.() !== 0)(
  'a repository of another owner is refused until the person trusts it',
  async () => {
    using fixture = repository();
    chownSync(fixture.root, 65534, 65534);
    chownSync(fixture.path('.git'), 65534, 65534);
    expect((await failureOf(fixture.open())).code).toBe('git_refused');
    const set = ['config', '--global', 'safe.directory', fixture.root];
    execFileSync('git', set, { cwd: '/', env: fixture.environment });
    expect((await (await fixture.open()).facts()).git?.branch).toBe('main');
  },
);

test('a folder that is missing, or is a file, cannot be opened', async () => {
  using fixture = plainFolder();
  writeFileSync(fixture.path('file'), '');
  expect((await failureOf(fixture.open(fixture.path('none')))).code).toBe('folder_missing');
  expect((await failureOf(fixture.open(fixture.path('file')))).code).toBe('folder_missing');
});

test('free space is a number of bytes', async () => {
  using fixture = plainFolder();
  mkdirSync(fixture.path('x'));
  const free = await (await fixture.open()).freeBytes();
  expect(Number.isSafeInteger(free)).toBe(true);
  expect(free).toBeGreaterThan(0);
});

test('an unknown question or write is refused by name', async () => {
  using fixture = plainFolder();
  const workspace = await fixture.open();
  const keepNothing = () => Promise.reject(new Error('nothing to keep'));
  expect((await failureOf(workspace.query({ what: 'toString', input: {} }, keepNothing))).code).toBe(
    'unknown_query',
  );
  expect((await failureOf(workspace.perform({ op: 'no', effect: 'sp-1/1/0', input: {} }))).code).toBe(
    'unknown_op',
  );
});

test('a folder that becomes a repository, stops being one and gets a bare one is seen as what it is', async () => {
  using fixture = plainFolder();
  const workspace = await fixture.open();
  expect((await workspace.facts()).git).toBeNull();
  fixture.git(['init', '-q', '-b', 'main']);
  expect((await workspace.facts()).git).toEqual({ branch: 'main', head: null });
  expect((await workspace.facts()).git).toEqual({ branch: 'main', head: null });
  rmSync(fixture.path('.git'), { recursive: true });
  expect((await workspace.facts()).git).toBeNull();
  fixture.git(['init', '-q', '--bare', '.git']);
  expect((await failureOf(workspace.facts())).code).toBe('no_work_tree');
});
