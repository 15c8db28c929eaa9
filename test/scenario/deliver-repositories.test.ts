import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  BRANCH,
  changedIn,
  changing,
  deliver,
  deliverState,
  GREETING,
  gitIn,
  groundsOfTest,
  personal,
  runIn,
  SMALL,
  told,
} from './deliver-lab.ts';

const grounds = groundsOfTest();

/** A pre-commit hook that tells where it ran and stops a commit without its sign. */
const HOOK = '#!/bin/sh\necho ran >> "$HOOK_TRACE"\n';

test('dirty, staged, untracked and stashed work, hooks, a filter, CRLF, odd names and a submodule: the commit has the change alone', async () => {
  const library = grounds.repository({ 'lib.txt': 'lib\n' });
  const ground = grounds.repository({
    ...SMALL,
    '.gitattributes': '*.bin filter=large\n*.bat text eol=crlf\n',
    'run.bat': 'echo hello\n',
    'data.bin': 'BIG one\n',
    'notes/über uns 메모.txt': 'hello\n',
  });
  const trace = path.join(ground.base, 'trace');
  ground.git('config', 'filter.large.clean', `sh -c 'echo clean >> "${trace}"; sed s/BIG/POINTER/'`);
  ground.git('config', 'filter.large.smudge', 'sed s/POINTER/BIG/');
  ground.git('submodule', '--quiet', 'add', library.root, 'lib');
  ground.git('add', '--renormalize', '.');
  ground.git('commit', '-q', '-m', 'all kinds');
  for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change'])
    ground.write(`.git/hooks/${hook}`, HOOK.replace('ran', hook).replace('$HOOK_TRACE', trace), 0o755);
  ground.write('greeting.txt', 'stashed\n');
  ground.git('stash', '-q');
  ground.write('greeting.txt', 'dirty\n');
  ground.write('staged.txt', 'staged\n');
  ground.git('add', 'staged.txt');
  ground.git('rm', '-q', '--cached', 'README');
  ground.write('untracked ü.txt', 'mine\n');
  rmSync(trace, { force: true });
  const before = personal(ground);
  const edits = [
    ...GREETING,
    { path: 'run.bat', content: 'echo HELLO\r\n' },
    { path: 'data.bin', content: 'BIG two\n' },
    { path: 'notes/über uns 메모.txt', content: 'HELLO\n' },
    { path: 'with space/빈 칸.txt', content: 'new\n' },
  ];
  const lab = await grounds.open(ground, changing(edits));
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(personal(ground)).toEqual(before);
  expect(changedIn(ground, BRANCH)).toEqual([
    'M data.bin',
    'M greeting.txt',
    'M notes/über uns 메모.txt',
    'M run.bat',
    'A with space/빈 칸.txt',
  ]);
  expect(ground.git('cat-file', 'blob', `${BRANCH}:data.bin`)).toBe('POINTER two');
  expect(ground.git('cat-file', 'blob', `${BRANCH}:run.bat`)).toBe('echo HELLO');
  expect(ground.git('ls-tree', BRANCH, 'lib')).toBe(ground.git('ls-tree', 'HEAD', 'lib'));
  const ran = readFileSync(trace, 'utf8').split('\n');
  expect(ran.filter((line) => line === 'pre-commit')).toHaveLength(1);
  expect(ran.slice(0, ran.indexOf('pre-commit'))).not.toContain('post-checkout');
  runIn(ground, BRANCH, 'sh check.sh');
});

test('a shallow, sparse clone with a detached HEAD, reached through a link: the hidden files stay in the commit', async () => {
  const origin = grounds.repository({ ...SMALL, 'hidden/one.txt': 'hidden\n' });
  origin.write('second.txt', 'second\n');
  origin.git('add', '.');
  origin.git('commit', '-q', '-m', 'second');
  const real = path.join(origin.base, 'clone');
  gitIn(origin.base, 'clone', '-q', '--depth', '1', `file://${origin.root}`, real);
  for (const [key, value] of Object.entries({ 'user.name': 'Tess', 'user.email': 'tess@example.org' }))
    gitIn(real, 'config', key, value);
  gitIn(real, 'sparse-checkout', 'set', '--no-cone', '/*', '!/hidden/');
  gitIn(real, 'checkout', '-q', '--detach');
  const link = path.join(origin.base, 'link');
  symlinkSync(real, link);
  const ground = origin.at(link);
  const before = personal(ground);
  expect(existsSync(ground.path('hidden/one.txt'))).toBe(false);
  const lab = await grounds.open(ground);
  expect(await deliver(lab)).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(personal(ground)).toEqual(before);
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(ground.git('show', `${BRANCH}:hidden/one.txt`)).toBe('hidden');
  runIn(ground, BRANCH, 'sh check.sh');
});

test('a work tree of a bare repository: the branch appears in the bare one, the work tree stays', async () => {
  const seed = grounds.repository(SMALL);
  const bare = path.join(seed.base, 'all.git');
  gitIn(seed.base, 'clone', '-q', '--bare', seed.root, bare);
  const tree = path.join(seed.base, 'my tree');
  gitIn(bare, 'worktree', 'add', '-q', '-b', 'mine', tree);
  gitIn(bare, 'config', 'user.name', 'Tess');
  gitIn(bare, 'config', 'user.email', 'tess@example.org');
  const ground = seed.at(tree);
  ground.write('greeting.txt', 'dirty\n');
  const before = personal(ground);
  const lab = await grounds.open(ground);
  expect(await deliver(lab)).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(personal(ground)).toEqual(before);
  expect(gitIn(bare, 'show', `${BRANCH}:greeting.txt`)).toBe('HELLO');
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});

test('a branch of the same name without commits is used, one with commits is left alone and the next name taken', async () => {
  const ground = grounds.repository(SMALL);
  ground.git('branch', BRANCH);
  const first = await grounds.open(ground);
  const one = await deliver(first);
  expect((await deliverState(first, one.run)).branch).toBe(BRANCH);
  const held = ground.git('rev-parse', BRANCH);
  const before = personal(ground);
  const two = await deliver(first);
  expect(two).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect((await deliverState(first, two.run)).branch).toBe(`${BRANCH}-2`);
  expect(ground.git('rev-parse', BRANCH)).toBe(held);
  expect(changedIn(ground, `${BRANCH}-2`)).toEqual(['M greeting.txt']);
  expect(told(first, 'deliver.notice.published')).toEqual([
    { level: 'info', branch: BRANCH },
    { level: 'info', branch: `${BRANCH}-2` },
  ]);
  expect(personal(ground)).toEqual(before);
});
