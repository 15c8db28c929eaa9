import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommittedDocuments } from '../../src/adapters/workspace/documents/on-branch.ts';
import { sha256 } from '../../src/files/real-files.ts';
import { type Fixture, failureOf, repository, unbornRepository } from './workspace-fixture.ts';

const DOCS = 'docs/baton/dark-mode';
const BRANCH = 'baton/spec-dark-mode';
const FILES = [
  { name: 'spec.md', text: '# 명세\r\nline\n' },
  { name: 'qa_notes.md', text: 'q1: a1\n' },
];
const PATHS = [`${DOCS}/spec.md`, `${DOCS}/qa_notes.md`];

const head = (fixture: Fixture, ref = 'HEAD') => fixture.git(['rev-parse', ref]).trim();

function op(base: string | null, more: Record<string, unknown> = {}, effect = 'sp-3aa/7/0') {
  const input = { docs_path: `${DOCS}/`, branch: BRANCH, base, in_place: false, files: FILES };
  return {
    op: 'write_documents',
    effect,
    input: { ...input, message: 'spec: 어둠', overwrite: false, ...more },
  };
}

/** Everything of the person's that must not change: files, index bytes, status, branch, other refs. */
function personal(fixture: Fixture) {
  const names = readdirSync(fixture.root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = names
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(fixture.path('.git/')))
    .map((path) => `${path} ${sha256(readFileSync(path))}`)
    .sort();
  const index = fixture.path('.git/index');
  return {
    index: existsSync(index) ? sha256(readFileSync(index)) : null,
    status: fixture.git(['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '-uall']),
    head: readFileSync(fixture.path('.git/HEAD'), 'utf8'),
    refs: fixture
      .git(['for-each-ref'])
      .split('\n')
      .filter((line) => !line.includes('refs/heads/baton/')),
    files,
  };
}

test('documents are committed on the branch, and dirty, staged, deleted and untracked files stay as they are', async () => {
  using fixture = repository('my 프로젝트');
  for (const name of ['dirty.txt', 'staged.txt', 'gone.txt']) fixture.write(name, 'first\n');
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'more']);
  fixture.write('dirty.txt', 'dirty\n');
  fixture.write('staged.txt', 'staged\n');
  fixture.git(['add', 'staged.txt']);
  fixture.git(['rm', '-q', 'gone.txt']);
  fixture.write('untracked ü.txt', 'mine\n');
  fixture.write(`${DOCS}/draft.md`, 'mine too\n');
  const base = head(fixture);
  const before = personal(fixture);
  const workspace = await fixture.open();
  const result = (await workspace.perform(op(base))) as CommittedDocuments;
  expect(personal(fixture)).toEqual(before);
  expect(result).toEqual({ branch: BRANCH, commit: head(fixture, BRANCH), files: PATHS });
  expect(head(fixture, `${BRANCH}^`)).toBe(base);
  expect(fixture.git(['diff', '--name-status', base, BRANCH])).toBe(`A\t${PATHS[1]}\nA\t${PATHS[0]}\n`);
  for (const [n, path] of PATHS.entries())
    expect(fixture.git(['cat-file', 'blob', `${BRANCH}:${path}`])).toBe(FILES[n]?.text);
  expect(fixture.git(['log', '-1', '--format=%B', BRANCH])).toBe(
    'spec: 어둠\n\nBaton-Effect: sp-3aa/7/0\n\n',
  );
  expect(fixture.git(['fsck', '--strict', '--no-dangling'])).toBe('');
});

test('hooks, filters and fsmonitor of the repository do not run', async () => {
  using fixture = repository();
  const trace = join(fixture.environment.HOME, 'trace');
  const script = `#!/bin/sh\necho "$0" >> '${trace}'\nexit 1\n`;
  for (const name of [
    'pre-commit',
    'commit-msg',
    'post-commit',
    'reference-transaction',
    'post-index-change',
  ]) {
    fixture.write(`.git/hooks/${name}`, script);
    chmodSync(fixture.path(`.git/hooks/${name}`), 0o755);
  }
  fixture.write('.git/evil', script);
  chmodSync(fixture.path('.git/evil'), 0o755);
  writeFileSync(fixture.path('.git/info/attributes'), '* filter=evil\n');
  const set = (key: string, value: string) => fixture.git(['config', key, value]);
  for (const key of ['filter.evil.clean', 'core.fsmonitor', 'core.pager', 'gpg.program', 'diff.external'])
    set(key, fixture.path('.git/evil'));
  set('commit.gpgSign', 'true');
  set('log.showSignature', 'true');
  set('core.hooksPath', fixture.path('.git/hooks'));
  const workspace = await fixture.open();
  const effect = op(head(fixture));
  const result = await workspace.perform(effect);
  expect(await workspace.lookup(effect)).toEqual(result);
  await workspace.changedSince(await workspace.fingerprint());
  await workspace.facts();
  expect(existsSync(trace)).toBe(false);
});

test('a commit is by the person the settings name, else by Baton; an author can be given', async () => {
  using fixture = repository();
  const workspace = await fixture.open();
  const who = () => fixture.git(['log', '-1', '--format=%an <%ae> / %cn <%ce>', BRANCH]).trim();
  await workspace.perform(op(head(fixture)));
  expect(who()).toBe('Baton <baton@localhost> / Baton <baton@localhost>');
  const env = fixture.environment;
  execFileSync('git', ['config', '--global', 'user.name', '김 Ada'], { env });
  execFileSync('git', ['config', '--global', 'user.email', 'ada@example.com'], { env });
  await workspace.perform(op(head(fixture), {}, 'sp-3aa/8/0'));
  expect(who()).toBe('김 Ada <ada@example.com> / 김 Ada <ada@example.com>');
  fixture.git(['config', 'user.email', 'local@example.com']);
  await workspace.perform(op(head(fixture), { author: 'Bo <bo@example.com>' }, 'sp-3aa/9/0'));
  expect(who()).toBe('Bo <bo@example.com> / 김 Ada <local@example.com>');
});

describe('where the branch stands', () => {
  test('a detached HEAD stays detached', async () => {
    using fixture = repository();
    fixture.git(['checkout', '-q', '--detach']);
    const before = personal(fixture);
    await (await fixture.open()).perform(op(head(fixture)));
    expect(personal(fixture)).toEqual(before);
  });

  test('an unborn HEAD gives a root commit and stays unborn', async () => {
    using fixture = unbornRepository();
    fixture.write('mine.txt', 'x');
    fixture.git(['add', '.']);
    const before = personal(fixture);
    await (await fixture.open()).perform(op(null));
    expect(personal(fixture)).toEqual(before);
    expect(fixture.git(['rev-list', '--count', BRANCH]).trim()).toBe('1');
    expect(fixture.git(['ls-tree', '-r', '--name-only', BRANCH])).toBe(`${PATHS[1]}\n${PATHS[0]}\n`);
  });

  test('a linked work tree and a repository reached through a link are committed to alike', async () => {
    using fixture = repository();
    const tree = join(fixture.environment.HOME, 'tree');
    fixture.git(['worktree', 'add', '-q', '-b', 'side', tree]);
    const linked = join(fixture.environment.HOME, 'linked');
    symlinkSync(fixture.root, linked);
    const before = personal(fixture);
    await (await fixture.open(tree)).perform(op(head(fixture)));
    await (await fixture.open(linked)).perform(op(head(fixture), {}, 'sp-3aa/8/0'));
    expect(fixture.git(['rev-list', '--count', `main..${BRANCH}`]).trim()).toBe('2');
    expect(personal(fixture)).toEqual(before);
    expect(fixture.git(['status', '--porcelain'], tree)).toBe('');
  });

  test('a linked tree of a bare repository and a submodule get the branch in their own repository', async () => {
    using fixture = repository();
    const bare = join(fixture.environment.HOME, 'bare.git');
    fixture.git(['clone', '-q', '--bare', fixture.root, bare]);
    fixture.git(['worktree', 'add', '-q', join(bare, 'tree'), 'main'], bare);
    await (await fixture.open(join(bare, 'tree'))).perform(op(head(fixture)));
    expect(fixture.git(['rev-list', '--count', BRANCH], bare).trim()).toBe('2');
    using outer = repository('outer');
    outer.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', fixture.root, 'lib']);
    const before = outer.git(['status', '--porcelain']);
    await (await outer.open(outer.path('lib'))).perform(op(head(fixture)));
    expect(outer.git(['rev-list', '--count', BRANCH], outer.path('lib')).trim()).toBe('2');
    expect(outer.git(['status', '--porcelain'])).toBe(before);
    expect(outer.git(['branch', '--list', 'baton/*'])).toBe('');
  });

  test('a branch left behind the base starts again from the base', async () => {
    using fixture = repository();
    fixture.git(['branch', BRANCH]);
    fixture.git(['commit', '-q', '--allow-empty', '-m', 'second']);
    await (await fixture.open()).perform(op(head(fixture)));
    expect(head(fixture, `${BRANCH}^`)).toBe(head(fixture));
  });

  test('names that are not UTF-8 and the modes of other files survive', async () => {
    using fixture = repository();
    const odd = Buffer.concat([Buffer.from(`${fixture.root}/odd-`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, 'odd\n');
    fixture.write('run.sh', '#!/bin/sh\n');
    chmodSync(fixture.path('run.sh'), 0o755);
    symlinkSync('run.sh', fixture.path('link'));
    fixture.write('docs/other/x.md', 'x\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'odd']);
    await (await fixture.open()).perform(op(head(fixture)));
    expect(fixture.git(['diff', '--name-only', '--diff-filter=DMRT', 'HEAD', BRANCH])).toBe('');
    expect(fixture.git(['diff', '--name-only', 'HEAD', BRANCH]).trim().split('\n').sort()).toEqual(
      [...PATHS].sort(),
    );
  });
});

describe('refusals leave the branch as it was', () => {
  test('documents with other content on the base, unless they may be replaced', async () => {
    using fixture = repository();
    fixture.write(`${DOCS}/spec.md`, 'older\n');
    fixture.write(`${DOCS}/other.md`, 'stays\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'older']);
    const workspace = await fixture.open();
    const failure = await failureOf(workspace.perform(op(head(fixture))));
    expect(failure).toMatchObject({ code: 'documents_exist', retry: 'permanent' });
    expect(failure.detail).toContain(PATHS[0]);
    expect(fixture.git(['branch', '--list', BRANCH])).toBe('');
    await workspace.perform(op(head(fixture), { overwrite: true }));
    expect(fixture.git(['show', `${BRANCH}:${DOCS}/other.md`])).toBe('stays\n');
    expect(fixture.git(['show', `${BRANCH}:${PATHS[0]}`])).toBe(FILES[0]?.text);
  });

  test('a file or link of the base in the way of the folder', async () => {
    using fixture = repository();
    symlinkSync('elsewhere', fixture.path('docs'));
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'link']);
    const failure = await failureOf((await fixture.open()).perform(op(head(fixture), { overwrite: true })));
    expect(failure.code).toBe('guard_refused');
    expect(fixture.git(['branch', '--list', BRANCH])).toBe('');
  });

  test('a branch with commits of somebody else, one that is checked out, a base that is gone', async () => {
    using fixture = repository();
    const workspace = await fixture.open();
    const base = head(fixture);
    fixture.git(['checkout', '-q', '-b', BRANCH]);
    expect((await failureOf(workspace.perform(op(base)))).code).toBe('branch_checked_out');
    fixture.git(['commit', '-q', '--allow-empty', '-m', 'mine\n\nBaton-Effect: sp-zzz/1/0']);
    const theirs = head(fixture);
    fixture.git(['checkout', '-q', 'main']);
    expect((await failureOf(workspace.perform(op(base)))).code).toBe('branch_moved');
    expect(head(fixture, BRANCH)).toBe(theirs);
    const gone = 'a'.repeat(40);
    expect((await failureOf(workspace.perform(op(gone, { branch: 'baton/spec-x' })))).code).toBe(
      'base_missing',
    );
  });

  test('a branch that is not ours, and a folder that is no repository any more', async () => {
    using fixture = repository();
    const workspace = await fixture.open();
    expect((await failureOf(workspace.perform(op(head(fixture), { branch: 'main' })))).code).toBe(
      'guard_refused',
    );
    const base = head(fixture);
    fixture.git(['init', '-q', '--separate-git-dir', join(fixture.environment.HOME, 'away')]);
    writeFileSync(fixture.path('.git'), 'gitdir: /nowhere\n');
    expect((await failureOf(workspace.perform(op(base)))).code).toBe('repository_unreadable');
  });
});

/** A git that does something around `update-ref`; `$real` runs the real one. */
function wrapGit(fixture: Fixture, around: string): Record<string, string> {
  const bin = join(fixture.environment.HOME, 'bin');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(bin);
  const script = `#!/bin/sh\nreal='${real}'\ncase " $* " in *" update-ref "*) ${around} ;; esac\nexec "$real" "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  return { ...fixture.environment, PATH: `${bin}:${fixture.environment.PATH}` };
}

/** Performs in a process of its own, which the wrapped git kills. */
function performAndDie(fixture: Fixture, environment: Record<string, string>, effect: unknown): void {
  const module = new URL('../../src/adapters/workspace/checkout/open.ts', import.meta.url).href;
  const code = `
    const { openWorkspace } = await import(${JSON.stringify(module)});
    const environment = ${JSON.stringify(environment)};
    const workspace = await openWorkspace({ root: ${JSON.stringify(fixture.root)}, namespace: 'baton', environment });
    await workspace.perform(${JSON.stringify(effect)});
  `;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect([done.signal, done.stderr]).toEqual(['SIGKILL', '']);
}

describe('after a crash', () => {
  test('a kill between the commit and the ref update: nothing to look up, and a repeat commits once', async () => {
    using fixture = repository();
    const effect = op(head(fixture));
    performAndDie(fixture, wrapGit(fixture, 'kill -9 $PPID; exit 1'), effect);
    const workspace = await fixture.open();
    expect(fixture.git(['fsck', '--lost-found'])).toContain('dangling commit');
    expect(await workspace.lookup(effect)).toBeNull();
    const result = await workspace.perform(effect);
    expect(await workspace.lookup(effect)).toEqual(result);
    expect(fixture.git(['rev-list', '--count', `main..${BRANCH}`]).trim()).toBe('1');
  });

  test('a kill after the ref update: the commit is found, and a repeat gives it again', async () => {
    using fixture = repository();
    const effect = op(head(fixture));
    performAndDie(fixture, wrapGit(fixture, '"$real" "$@"; kill -9 $PPID; exit 0'), effect);
    const workspace = await fixture.open();
    const expected = { branch: BRANCH, commit: head(fixture, BRANCH), files: PATHS };
    expect(await workspace.lookup(effect)).toEqual(expected);
    expect(await workspace.perform(effect)).toEqual(expected);
    expect(fixture.git(['rev-list', '--count', `main..${BRANCH}`]).trim()).toBe('1');
  });

  test('a branch that moves right before the ref update is not overwritten', async () => {
    using fixture = repository();
    const base = head(fixture);
    const theirs = fixture.git(['commit-tree', '-m', 'theirs', `${base}^{tree}`]).trim();
    const environment = wrapGit(fixture, `"$real" update-ref refs/heads/${BRANCH} ${theirs}`);
    const { openWorkspace } = await import('../../src/adapters/workspace/checkout/open.ts');
    const workspace = await openWorkspace({ root: fixture.root, namespace: 'baton', environment });
    expect((await failureOf(workspace.perform(op(base)))).code).toBe('branch_moved');
    expect(head(fixture, BRANCH)).toBe(theirs);
  });

  test('only the last line of a message names its effect', async () => {
    using fixture = repository();
    const workspace = await fixture.open();
    const message = 'spec\n\nBaton-Effect: sp-3aa/9/9\n\ntext of a worker\n\n---\nBaton-Effect: sp-3aa/9/9';
    const result = await workspace.perform(op(head(fixture), { message }));
    expect(await workspace.lookup(op(head(fixture)))).toEqual(result);
    expect(await workspace.lookup(op(head(fixture), {}, 'sp-3aa/9/9'))).toBeNull();
  });
});
