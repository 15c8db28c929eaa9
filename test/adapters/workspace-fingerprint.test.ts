import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../src/adapters/git/git.ts';
import {
  changedSinceFingerprint,
  fingerprintTree,
} from '../../src/adapters/workspace/snapshots/tree-fingerprint.ts';
import { realFolder } from '../../src/files/real-path.ts';
import { type Fixture, plainFolder, repository } from './workspace-fixture.ts';

/** What another process, opened later, sees as changed after `act`. */
async function changes(fixture: Fixture, act: () => unknown, root = fixture.root): Promise<string[]> {
  const fingerprint = await (await fixture.open(root)).fingerprint();
  await act();
  return await (await fixture.open(root)).changedSince(fingerprint);
}

/** A tree with one tracked, one untracked and one ignored file, none of them young. */
function project(): Fixture {
  const fixture = repository();
  fixture.write('.gitignore', 'ignored/\n*.log\n');
  fixture.write('src/a ü.ts', 'aaaa\n');
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'more']);
  fixture.write('notes.txt', 'mine\n');
  fixture.write('ignored/x', 'x\n');
  return fixture;
}

describe('with git', () => {
  test('nothing done is nothing changed, whatever only reads', async () => {
    using fixture = project();
    const act = () => {
      readFileSync(fixture.path('src/a ü.ts'));
      fixture.git(['status']);
      fixture.git(['update-index', '--refresh']);
      fixture.git(['log']);
    };
    expect(await changes(fixture, act)).toEqual([]);
  });

  const writes: [string, string[], (fixture: Fixture) => unknown][] = [
    ['a tracked file is rewritten', ['src/a ü.ts'], (f) => f.write('src/a ü.ts', 'longer than before\n')],
    [
      'a tracked file is rewritten with the same size',
      ['src/a ü.ts'],
      (f) => f.write('src/a ü.ts', 'bbbb\n'),
    ],
    ['an untracked file is rewritten', ['notes.txt'], (f) => f.write('notes.txt', 'them\n')],
    ['a file is added', ['new file.md'], (f) => f.write('new file.md', 'x')],
    ['an ignored file is added', [], (f) => f.write('debug.log', 'x')],
    ['a file is removed', ['notes.txt'], (f) => rmSync(f.path('notes.txt'))],
    [
      'a file is renamed',
      ['notes.txt', 'other.txt'],
      (f) => renameSync(f.path('notes.txt'), f.path('other.txt')),
    ],
    ['a file becomes a program', ['notes.txt'], (f) => chmodSync(f.path('notes.txt'), 0o755)],
    [
      'a file becomes a link',
      ['notes.txt'],
      (f) => {
        rmSync(f.path('notes.txt'));
        symlinkSync('README.md', f.path('notes.txt'));
      },
    ],
    ['a file is staged', ['.git/index'], (f) => f.git(['add', 'notes.txt'])],
    [
      'the branch is changed',
      ['.git/HEAD', '.git/refs/heads/side'],
      (f) => f.git(['checkout', '-q', '-b', 'side']),
    ],
    ['HEAD is detached', ['.git/HEAD'], (f) => f.git(['checkout', '-q', '--detach'])],
    [
      'a commit is made',
      ['.git/refs/heads/main'],
      (f) => f.git(['commit', '-q', '--allow-empty', '-m', 'x']),
    ],
    ['a setting is changed', ['.git/config'], (f) => f.git(['config', 'core.fsmonitor', '/bin/true'])],
    ['a hook is added', ['.git/hooks/pre-commit'], (f) => f.write('.git/hooks/pre-commit', '#!/bin/sh\n')],
    [
      'an exclusion is added',
      ['.git/info/exclude'],
      (f) => writeFileSync(f.path('.git/info/exclude'), 'new*\n'),
    ],
    ['garbage is collected', [], (f) => f.git(['gc', '-q', '--prune=now'])],
    ['another run commits on its own branch', [], (f) => f.git(['branch', 'baton/spec-other'])],
  ];

  test.each(writes)('%s: %j', async (_, expected, act) => {
    using fixture = project();
    expect(await changes(fixture, () => act(fixture))).toEqual(expected);
  });

  test('a file with the same size and the time set back is seen', async () => {
    using fixture = project();
    utimesSync(fixture.path('notes.txt'), 1, 1);
    const act = () => {
      fixture.write('notes.txt', 'them\n');
      utimesSync(fixture.path('notes.txt'), 1, 1);
    };
    expect(await changes(fixture, act)).toEqual(['notes.txt']);
  });

  test('a young file written again with the same bytes is not a change', async () => {
    using fixture = project();
    expect(await changes(fixture, () => fixture.write('notes.txt', 'mine\n'))).toEqual([]);
  });

  test('a file that was dirty before is a change only when it is written again', async () => {
    using fixture = project();
    fixture.write('src/a ü.ts', 'dirty\n');
    expect(await changes(fixture, () => undefined)).toEqual([]);
    expect(await changes(fixture, () => fixture.git(['checkout', '-q', '.']))).toEqual(['src/a ü.ts']);
  });

  test('what the person ignores everywhere is ignored here', async () => {
    using fixture = project();
    mkdirSync(join(fixture.environment.HOME, '.config/git'), { recursive: true });
    writeFileSync(join(fixture.environment.HOME, '.config/git/ignore'), '.idea/\n');
    expect(await changes(fixture, () => fixture.write('.idea/x', 'x'))).toEqual([]);
    writeFileSync(join(fixture.environment.HOME, 'mine'), '*.swp\n');
    writeFileSync(join(fixture.environment.HOME, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n');
    expect(await changes(fixture, () => fixture.write('a.swp', 'x'))).toEqual([]);
  });

  test('files of a submodule and of a nested repository are seen', async () => {
    using library = repository('library');
    using fixture = repository();
    fixture.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib']);
    fixture.git(['clone', '-q', library.root, fixture.path('nested')]);
    const act = () => {
      fixture.write('lib/README.md', 'changed');
      fixture.write('nested/new.txt', 'x');
    };
    expect(await changes(fixture, act)).toEqual(['lib/README.md', 'nested/new.txt']);
  });

  test('a linked work tree has its own HEAD and index, hooks and settings are shared', async () => {
    using fixture = project();
    const tree = join(fixture.environment.HOME, 'tree');
    fixture.git(['worktree', 'add', '-q', '-b', 'side', tree]);
    const act = () => {
      writeFileSync(join(tree, 'README.md'), 'x');
      fixture.git(['add', '.'], tree);
      fixture.git(['checkout', '-q', '--detach'], tree);
      fixture.git(['checkout', '-q', '--detach']);
      fixture.write('.git/hooks/pre-push', '');
    };
    const expected = ['.git/HEAD', '.git/hooks/pre-push', '.git/index', 'README.md'];
    expect(await changes(fixture, act, tree)).toEqual(expected);
  });
});

describe('without git', () => {
  test('writes are seen, folders of tools are left out', async () => {
    using fixture = plainFolder();
    fixture.write('a/b/c.txt', 'x');
    fixture.write('node_modules/m/i.js', 'x');
    expect(await changes(fixture, () => undefined)).toEqual([]);
    const act = () => {
      fixture.write('a/b/c.txt', 'y');
      fixture.write('node_modules/m/i.js', 'y');
      mkdirSync(fixture.path('empty'));
    };
    expect(await changes(fixture, act)).toEqual(['a/b/c.txt', 'empty']);
  });

  test('a folder with too many entries is compared in its two upper levels', async () => {
    using fixture = plainFolder();
    for (let n = 0; n < 8; n += 1) fixture.write(`a/b/c/${n}.txt`, 'x');
    fixture.write('a/top.txt', 'x');
    const root = await realFolder(fixture.root);
    const { environment } = fixture;
    const location = { git: createGit(environment), root, namespace: 'baton', environment, most: 6 };
    const fingerprint = await fingerprintTree(location);
    expect(JSON.parse(fingerprint).scope).toBe('top');
    fixture.write('a/b/c/0.txt', 'y');
    expect(await changedSinceFingerprint(location, fingerprint)).toEqual([]);
    fixture.write('a/top.txt', 'y');
    expect(await changedSinceFingerprint(location, fingerprint)).toEqual(['a/top.txt']);
  });

  test('a folder that grows beyond the limit, or becomes a repository, is changed as a whole', async () => {
    using fixture = plainFolder();
    fixture.write('a/b/c.txt', 'x');
    const root = await realFolder(fixture.root);
    const { environment } = fixture;
    const location = { git: createGit(environment), root, namespace: 'baton', environment, most: 6 };
    const fingerprint = await fingerprintTree(location);
    for (let n = 0; n < 8; n += 1) fixture.write(`a/b/${n}.txt`, 'x');
    expect(await changedSinceFingerprint(location, fingerprint)).toEqual(['.']);
    using other = plainFolder();
    expect(await changes(other, () => other.git(['init', '-q']))).toContain('.');
  });
});
