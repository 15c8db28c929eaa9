import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../src/ports/workspace.ts';
import {
  BRANCH,
  changeSet,
  contents,
  EDITS,
  edit,
  head,
  op,
  opened,
  personal,
  project,
  put,
  treeOf,
} from './tree-fixture.ts';
import { type Fixture, failureOf, plainFolder, unbornRepository } from './workspace-fixture.ts';

/** A whole run: edits, a restore, the edits again, commit and publish. The person's own things stay as they are. */
async function live(fixture: Fixture, person = fixture.root): Promise<Workspace> {
  const before = personal(fixture, person);
  const base = head(fixture, 'HEAD', person);
  const tree = await opened(fixture, 'de-7k2', person);
  const start = contents(tree.root);
  edit(tree);
  expect(await changeSet(tree)).toMatchObject({ ...EDITS, outside: [], git: [] });
  await tree.restore('start');
  expect(contents(tree.root)).toEqual(start);
  expect(await changeSet(tree)).toMatchObject({ modified: [], created: [], deleted: [] });
  edit(tree);
  const paths = Object.values(EDITS).flat();
  const input = { paths, documents: [], message: 'deliver: 어둠', all: false };
  const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
  expect(fixture.git(['status', '--porcelain'], tree.root)).toBe('');
  const result = { branch: BRANCH, commit };
  expect(await tree.lookup(op('publish', result))).toBeNull();
  expect(await tree.perform(op('publish', result))).toEqual(result);
  expect(await tree.lookup(op('publish', result))).toEqual(result);
  expect(head(fixture, `${BRANCH}^`, person)).toBe(base);
  const changed = fixture.git(['diff', '-z', '--name-only', base, commit], person).split('\0');
  expect(changed.filter(Boolean).sort()).toEqual([...paths].sort());
  expect(personal(fixture, person)).toEqual(before);
  return tree;
}

describe('repositories to survive', () => {
  test('a plain one, in a folder with spaces and letters of its own', async () => {
    using fixture = project('my 프로젝트 (1)');
    await live(fixture);
    expect(fixture.git(['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  test('one whose settings forbid git to fetch, or send every fetch elsewhere', async () => {
    using fixture = project();
    fixture.git(['config', 'protocol.allow', 'never']);
    fixture.git(['config', 'protocol.file.allow', 'never']);
    fixture.git(['config', 'url.https://nowhere.invalid/.insteadOf', '/']);
    await live(fixture);
  });

  test('dirty, staged, deleted, untracked and stashed work of the person stays and is not in the tree', async () => {
    using fixture = project();
    fixture.write('src/a.ts', 'stashed\n');
    fixture.git(['stash', '-q']);
    fixture.write('src/a.ts', 'dirty\n');
    fixture.write('staged.txt', 'staged\n');
    fixture.git(['add', 'staged.txt']);
    fixture.git(['rm', '-q', '--cached', 'README.md']);
    rmSync(fixture.path('run.sh'));
    fixture.write('untracked ü.txt', 'mine\n');
    const tree = await live(fixture);
    expect(existsSync(join(tree.root, 'staged.txt'))).toBe(false);
    expect(existsSync(join(tree.root, 'untracked ü.txt'))).toBe(false);
    expect(readFileSync(fixture.path('src/a.ts'), 'utf8')).toBe('dirty\n');
  });

  test('submodules: an empty folder in the tree, the link kept in the commit', async () => {
    using library = project('library');
    using fixture = project();
    fixture.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib']);
    fixture.git(['commit', '-q', '-m', 'lib']);
    const tree = await live(fixture);
    expect(readdirSync(join(tree.root, 'lib'))).toEqual([]);
    const link = fixture.git(['ls-tree', 'HEAD', 'lib']);
    expect(fixture.git(['ls-tree', BRANCH, 'lib'])).toBe(link);
    put(tree, 'lib/x.txt', 'x');
    const found = await changeSet(tree);
    expect(found.created).toContain('lib/x.txt');
    expect(found.outside).toEqual([{ path: 'lib/x.txt', code: 'protected' }]);
    await tree.restore('start');
    expect(existsSync(join(tree.root, 'lib/x.txt'))).toBe(false);
  });

  test('hooks of the person run at the final commit and at no other time', async () => {
    using fixture = project();
    const trace = join(fixture.environment.HOME, 'trace');
    const names = ['pre-commit', 'commit-msg', 'post-checkout', 'post-index-change', 'reference-transaction'];
    for (const name of [...names, 'post-merge', 'post-rewrite', 'pre-auto-gc']) {
      fixture.write(`.git/hooks/${name}`, `#!/bin/sh\necho ${name} >> '${trace}'\n`);
      chmodSync(fixture.path(`.git/hooks/${name}`), 0o755);
    }
    const tree = await opened(fixture);
    edit(tree);
    await changeSet(tree);
    await tree.restore('start');
    edit(tree);
    expect(existsSync(trace)).toBe(false);
    const input = { paths: EDITS.modified, documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    const ran = readFileSync(trace, 'utf8');
    expect(ran).toContain('pre-commit\n');
    expect(ran).toContain('commit-msg\n');
    await tree.perform(op('publish', { branch: BRANCH, commit }));
    expect(readFileSync(trace, 'utf8')).toBe(ran);
  });

  test('filters: the tree has what the repository keeps, the person’s filter runs at the final commit alone', async () => {
    using fixture = project();
    const trace = join(fixture.environment.HOME, 'trace');
    const filter = (word: string) => `sh -c 'echo ${word} >> "${trace}"; sed s/BIG/POINTER/' --`;
    fixture.write('.gitattributes', '*.bin filter=large\n');
    fixture.git(['config', 'filter.large.clean', filter('clean')]);
    fixture.git(['config', 'filter.large.smudge', `sed s/POINTER/BIG/`]);
    fixture.git(['config', 'filter.large.required', 'true']);
    fixture.write('data.bin', 'BIG one\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'large']);
    rmSync(trace);
    const tree = await treeOf(fixture);
    const result = await tree.perform(op('open_tree', { base: head(fixture), branch: BRANCH }));
    expect(result).toMatchObject({ filters: ['large'] });
    expect(readFileSync(join(tree.root, 'data.bin'), 'utf8')).toBe('POINTER one\n');
    edit(tree);
    await changeSet(tree);
    await tree.restore('start');
    expect(existsSync(trace)).toBe(false);
    put(tree, 'data.bin', 'BIG two\n');
    const input = { paths: ['data.bin'], documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input, 'de-7k2/9/0'))) as { commit: string };
    await tree.perform(op('publish', { branch: BRANCH, commit }, 'de-7k2/10/0'));
    expect(fixture.git(['show', `${BRANCH}:data.bin`])).toBe('POINTER two\n');
    expect(readFileSync(trace, 'utf8')).toMatch(/^(clean\n)+$/);
  });

  test('CRLF: files look as in the checkout, are kept byte for byte and committed as git keeps them', async () => {
    using fixture = project();
    fixture.write(
      '.gitattributes',
      '*.bat text eol=crlf\n*.txt text=auto\n*.u16 working-tree-encoding=UTF-16\n',
    );
    fixture.write('win.bat', 'one\r\ntwo\r\n');
    fixture.write('plain.txt', 'one\ntwo\n');
    fixture.write('wide.u16', Buffer.from('\ufeffwide\n', 'utf16le'));
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'ends']);
    const tree = await live(fixture);
    expect(readFileSync(join(tree.root, 'win.bat'), 'utf8')).toBe('one\r\ntwo\r\n');
    put(tree, 'plain.txt', 'mixed\r\nends\n');
    put(tree, 'win.bat', 'one\r\nthree\r\n');
    const odd = contents(tree.root);
    await tree.snapshot('mixed');
    put(tree, 'plain.txt', 'mixed\nends\n');
    await tree.restore('mixed');
    expect(contents(tree.root)).toEqual(odd);
    const input = { paths: ['win.bat', 'plain.txt'], documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input, 'de-7k2/9/0'))) as { commit: string };
    await tree.perform(op('publish', { branch: BRANCH, commit }, 'de-7k2/10/0'));
    expect(fixture.git(['show', `${BRANCH}:win.bat`])).toBe('one\nthree\n');
  });

  test('a detached HEAD', async () => {
    using fixture = project();
    fixture.git(['checkout', '-q', '--detach']);
    await live(fixture);
  });

  test('a shallow clone', async () => {
    using origin = project('origin');
    origin.git(['commit', '-q', '--allow-empty', '-m', 'more']);
    using fixture = plainFolder();
    fixture.git(['clone', '-q', '--depth', '1', `file://${origin.root}`, '.']);
    const tree = await live(fixture);
    expect(fixture.git(['rev-parse', '--is-shallow-repository']).trim()).toBe('true');
    expect(fixture.git(['log', '--oneline'], tree.root).trim().split('\n')).toHaveLength(2);
    fixture.git(['fsck', '--connectivity-only']);
  });

  test.each([['--cone'], ['--no-cone']])(
    'a sparse checkout %s: the same files, the rest untouched',
    async (kind) => {
      using fixture = project();
      fixture.write('other/big.txt', 'big\n');
      fixture.git(['add', '.']);
      fixture.git(['commit', '-q', '-m', 'other']);
      fixture.git(['sparse-checkout', 'set', kind, ...(kind === '--cone' ? ['src'] : ['/*', '!/other/'])]);
      const tree = await live(fixture);
      expect(existsSync(join(tree.root, 'other'))).toBe(false);
      expect(fixture.git(['show', `${BRANCH}:other/big.txt`])).toBe('big\n');
      put(tree, 'other/new.txt', 'x\n');
      put(tree, 'other/big.txt', 'small\n');
      expect(await changeSet(tree)).toMatchObject({
        created: ['other/big.txt', 'other/new.txt', 'src/new ü.ts'],
      });
      const input = { paths: ['other/big.txt', 'other/new.txt'], documents: [], message: 'm', all: false };
      const { commit } = (await tree.perform(op('commit', input, 'de-7k2/9/0'))) as { commit: string };
      await tree.perform(op('publish', { branch: BRANCH, commit }, 'de-7k2/10/0'));
      expect(fixture.git(['show', `${BRANCH}:other/big.txt`])).toBe('small\n');
    },
  );

  test('an existing branch of that name: an empty one moves on, one with commits is left alone', async () => {
    using fixture = project();
    fixture.git(['branch', BRANCH]);
    await live(fixture);
    fixture.git(['checkout', '-q', BRANCH]);
    fixture.git(['commit', '-q', '--allow-empty', '-m', 'mine']);
    fixture.git(['checkout', '-q', 'main']);
    const mine = head(fixture, BRANCH);
    const tree = await opened(fixture, 'de-other');
    put(tree, 'x.txt', 'x');
    const input = { paths: ['x.txt'], documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    const failure = await failureOf(tree.perform(op('publish', { branch: BRANCH, commit })));
    expect(failure).toMatchObject({ code: 'branch_moved', retry: 'permanent' });
    expect(head(fixture, BRANCH)).toBe(mine);
  });

  test('a branch somebody has checked out is not moved', async () => {
    using fixture = project();
    const tree = await opened(fixture);
    put(tree, 'x.txt', 'x');
    const input = { paths: ['x.txt'], documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    fixture.git(['worktree', 'add', '-q', '-b', BRANCH, join(fixture.environment.HOME, 'tree')]);
    const failure = await failureOf(tree.perform(op('publish', { branch: BRANCH, commit })));
    expect(failure.code).toBe('branch_checked_out');
    expect(head(fixture, BRANCH)).toBe(head(fixture));
  });

  test('a work tree of a bare repository', async () => {
    using fixture = project();
    const bare = join(fixture.environment.HOME, 'bare.git');
    fixture.git(['clone', '-q', '--bare', fixture.root, bare]);
    fixture.git(['worktree', 'add', '-q', '-b', 'side', join(bare, 'tree')], bare);
    await live(fixture, join(bare, 'tree'));
    const failure = await failureOf(treeOf(fixture, 'de-bare', bare));
    expect(failure.code).toBe('no_work_tree');
  });

  test('a repository reached through a link, and one that reads objects of another', async () => {
    using origin = project('origin');
    using fixture = plainFolder();
    fixture.git(['clone', '-q', '--shared', origin.root, '.']);
    const linked = join(fixture.environment.HOME, 'linked');
    symlinkSync(fixture.root, linked);
    await live(fixture, linked);
  });

  test('a repository with hashes of 64 digits', async () => {
    using fixture = plainFolder();
    fixture.git(['init', '-q', '-b', 'main', '--object-format=sha256']);
    for (const [name, text] of [
      ['src/a.ts', '1\n'],
      ['run.sh', '2\n'],
    ] as const)
      fixture.write(name, text);
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'first']);
    await live(fixture);
  });

  test('a repository without a commit: the tree starts empty, the first commit has no parent', async () => {
    using fixture = unbornRepository();
    fixture.write('mine.txt', 'mine');
    const tree = await treeOf(fixture);
    const result = await tree.perform(op('open_tree', { base: null, branch: BRANCH }));
    expect(result).toMatchObject({ base: null, branch: BRANCH });
    expect(contents(tree.root)).toEqual({});
    put(tree, 'src/a.ts', 'a\n');
    expect(await changeSet(tree)).toMatchObject({ created: ['src/a.ts'] });
    const input = { paths: ['src/a.ts'], documents: [], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    await tree.perform(op('publish', { branch: BRANCH, commit }));
    expect(fixture.git(['rev-list', '--count', BRANCH]).trim()).toBe('1');
    expect(fixture.git(['status', '--porcelain'])).toBe('?? mine.txt\n');
  });
});
