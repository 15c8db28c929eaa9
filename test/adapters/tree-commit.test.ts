import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../src/ports/workspace.ts';
import {
  BRANCH,
  changeSet,
  checkoutOf,
  contents,
  DOCS,
  EDITS,
  edit,
  head,
  op,
  opened,
  personal,
  project,
  put,
  shelf,
} from './tree-fixture.ts';
import { type Fixture, failureOf, plainFolder, unbornRepository } from './workspace-fixture.ts';

const PATHS = Object.values(EDITS).flat();
const FILES = [
  { name: 'spec.md', text: '# 명세\n' },
  { name: 'qa_notes.md', text: 'q1\n' },
  { name: 'changes.md', text: 'changes\n' },
];

interface Done {
  commit: string;
  branch: string | null;
  skipped: { path: string; why: string }[];
}

function commit(more: Record<string, unknown> = {}, effect?: string) {
  const input = { paths: PATHS, documents: [`${DOCS}/qa_notes.md`, `${DOCS}/conventions.md`], all: false };
  return op('commit', { ...input, message: 'deliver: 어둠\n\nwhy', ...more }, effect);
}

function documents(more: Record<string, unknown> = {}) {
  const where = { docs_path: `${DOCS}/`, branch: null, base: null, in_place: true };
  return op(
    'write_documents',
    { ...where, files: FILES, message: '', overwrite: true, ...more },
    'de-7k2/2/0',
  );
}

const TREES: [string, (fixture: Fixture) => Promise<Workspace>][] = [
  ['a clone', (fixture) => opened(fixture)],
  [
    'the checkout',
    async (fixture) => {
      const tree = await checkoutOf(fixture);
      await tree.perform(op('open_tree', { base: head(fixture), branch: null }, 'de-7k2/1/0'));
      return tree;
    },
  ],
];

/** Git as the person sees the tree: the clone through our own directory, the checkout as it is. */
const committed = (fixture: Fixture, tree: Workspace, ...args: string[]) =>
  fixture.git(['-c', 'core.quotePath=false', ...args], tree.root);

describe.each(TREES)('a commit in %s', (_, make) => {
  test('holds exactly the named paths and documents that are there, and can be found again', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    put(tree, 'unnamed.txt', 'not part of it\n');
    await tree.perform(documents());
    expect(await tree.lookup(commit())).toBeNull();
    const done = (await tree.perform(commit())) as Done;
    expect(done.skipped).toEqual([]);
    const names = committed(fixture, tree, 'show', '--name-only', '--format=', done.commit)
      .trim()
      .split('\n');
    expect(names.sort()).toEqual([...PATHS, `${DOCS}/qa_notes.md`].sort());
    expect(committed(fixture, tree, 'log', '-1', '--format=%B', done.commit).trim()).toBe(
      'deliver: 어둠\n\nwhy\n\nBaton-Effect: de-7k2/3/0',
    );
    expect(await tree.lookup(commit())).toEqual(done);
    expect(await tree.lookup(commit({}, 'de-7k2/4/0'))).toBeNull();
    const status = committed(fixture, tree, 'status', '--porcelain', '-uall').trim().split('\n');
    expect(status.map((line) => line.trim()).sort()).toEqual(
      [`?? ${DOCS}/changes.md`, `?? ${DOCS}/spec.md`, '?? unnamed.txt'].sort(),
    );
    const rest = {
      paths: ['unnamed.txt'],
      documents: undefined,
      staged: ['changes.md', 'spec.md'],
      docs_path: DOCS,
    };
    const next = (await tree.perform(commit(rest, 'de-7k2/5/0'))) as Done;
    const all = committed(fixture, tree, 'show', '--name-only', '--format=', next.commit).trim().split('\n');
    expect(all.sort()).toEqual([`${DOCS}/changes.md`, `${DOCS}/spec.md`, 'unnamed.txt']);
    expect(committed(fixture, tree, 'status', '--porcelain', '-uall')).toBe('');
  });

  test('a hook that refuses leaves every file, the branch and what is staged; the next try goes through', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    await tree.perform(documents());
    const hook = fixture.write('.git/hooks/pre-commit', '#!/bin/sh\necho "no: style" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const before = { files: contents(tree.root), status: committed(fixture, tree, 'status', '--porcelain') };
    const failure = await failureOf(tree.perform(commit()));
    expect(failure).toMatchObject({ code: 'hook_failed', retry: 'permanent' });
    expect(failure.detail).toContain('no: style');
    expect({ files: contents(tree.root), status: committed(fixture, tree, 'status', '--porcelain') }).toEqual(
      before,
    );
    expect((await tree.facts()).git?.head).toBe(head(fixture));
    expect(await tree.lookup(commit())).toBeNull();
    writeFileSync(
      hook,
      '#!/bin/sh\ngit diff --cached --name-only -z | tr "\\\\0" "\\\\n" > "$HOME/staged"\n',
    );
    await tree.perform(commit());
    const staged = readFileSync(join(fixture.environment.HOME, 'staged'), 'utf8').trim().split('\n');
    expect(staged.sort()).toEqual([...PATHS, `${DOCS}/qa_notes.md`].sort());
  });

  test('hooks the person keeps elsewhere run, a relative folder is theirs and not the worker’s', async () => {
    using fixture = project();
    const trace = join(fixture.environment.HOME, 'trace');
    fixture.write('.hooks/commit-msg', `#!/bin/sh\necho person >> '${trace}'\necho "Change-Id: 1" >> "$1"\n`);
    chmodSync(fixture.path('.hooks/commit-msg'), 0o755);
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'hooks']);
    fixture.git(['config', 'core.hooksPath', '.hooks']);
    const tree = await make(fixture);
    edit(tree);
    if (tree.root !== fixture.root) put(tree, '.hooks/commit-msg', `#!/bin/sh\necho worker >> '${trace}'\n`);
    const done = (await tree.perform(commit())) as Done;
    expect(readFileSync(trace, 'utf8')).toBe('person\n');
    expect(await tree.lookup(commit())).toEqual(done);
  });

  test('an ignored document gives one warning and a commit', async () => {
    using fixture = project();
    fixture.write('.gitignore', 'ignored/\nqa_notes.md\n');
    fixture.git(['commit', '-q', '-a', '-m', 'ignore']);
    const tree = await make(fixture);
    edit(tree);
    await tree.perform(documents());
    const done = (await tree.perform(commit())) as Done;
    expect(done.skipped).toEqual([{ path: `${DOCS}/qa_notes.md`, why: 'ignored' }]);
    expect(await tree.lookup(commit())).toEqual(done);
  });

  test('nothing changed is no commit', async () => {
    using fixture = project();
    const tree = await make(fixture);
    const failure = await failureOf(tree.perform(commit({ paths: ['src/a.ts'], documents: [] })));
    expect(failure).toMatchObject({ code: 'nothing_to_commit', retry: 'permanent' });
    expect((await tree.facts()).git?.head).toBe(head(fixture));
  });

  test('WF-69: a folder of documents that is not one refuses commit and clean-up, the tree unchanged', async () => {
    using fixture = project();
    using outside = plainFolder('outside');
    outside.write('spec.md', 'theirs');
    const tree = await make(fixture);
    edit(tree);
    await tree.perform(documents());
    mkdirSync(join(tree.root, 'docs/baton/memory'), { recursive: true });
    put(tree, 'docs/baton/memory/spec.md', 'memory');
    symlinkSync(outside.root, join(tree.root, 'docs/baton/linked'));
    const before = { files: contents(tree.root), status: committed(fixture, tree, 'status', '--porcelain') };
    const attacks = [
      '',
      'docs/baton/',
      'docs/baton/ /',
      'docs/baton/memory',
      'docs/baton/..',
      'docs/baton/../x',
    ];
    const more = [
      'docs/baton',
      '/docs/baton/x',
      'docs/baton/a/b',
      'docs',
      '.',
      '..',
      'src',
      'docs/baton/linked',
    ];
    for (const docs_path of [...attacks, ...more]) {
      const clean = op('clean_up', { docs_path, remove: ['spec.md'] });
      expect((await failureOf(tree.perform(clean))).code).toBe('guard_refused');
      const write = commit({ docs_path, documents: ['spec.md'], all: true });
      expect((await failureOf(tree.perform(write))).code).toBe('guard_refused');
    }
    for (const name of ['../spec.md', '.git', 'a/b/spec.md', '', '..', '/etc/passwd']) {
      const clean = op('clean_up', { docs_path: DOCS, remove: ['spec.md', name] });
      expect((await failureOf(tree.perform(clean))).code).toBe('guard_refused');
    }
    expect({ files: contents(tree.root), status: committed(fixture, tree, 'status', '--porcelain') }).toEqual(
      before,
    );
    expect((await tree.facts()).git?.head).toBe(head(fixture));
    expect(readFileSync(outside.path('spec.md'), 'utf8')).toBe('theirs');
  });

  test('WF INV-11: clean-up removes only uncommitted copies, and nothing before the commit is there', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    await tree.perform(documents());
    const remove = ['spec.md', 'qa_notes.md', 'changes.md', 'missing.md'];
    const early = op('clean_up', { docs_path: DOCS, remove, commit: 'f'.repeat(40) });
    const before = contents(tree.root);
    expect((await failureOf(tree.perform(early))).code).toBe('commit_missing');
    expect(contents(tree.root)).toEqual(before);
    const done = (await tree.perform(commit())) as Done;
    const clean = op('clean_up', { docs_path: DOCS, remove, commit: done.commit });
    expect(await tree.lookup(clean)).toBeNull();
    const result = (await tree.perform(clean)) as { removed: string[]; kept: string[] };
    expect(result.kept).toEqual([`${DOCS}/qa_notes.md`]);
    expect(existsSync(join(tree.root, DOCS, 'spec.md'))).toBe(false);
    expect(existsSync(join(tree.root, DOCS, 'qa_notes.md'))).toBe(true);
    expect(await tree.lookup(clean)).toEqual(result);
    expect(committed(fixture, tree, 'status', '--porcelain')).toBe('');
  });

  test('documents we wrote are no part of the change set, one a worker edited is, and lies outside', async () => {
    using fixture = project();
    const tree = await make(fixture);
    await tree.perform(documents());
    expect(await tree.lookup(documents())).toMatchObject({
      files: FILES.map(({ name }) => `${DOCS}/${name}`),
    });
    edit(tree);
    expect(await changeSet(tree)).toMatchObject({ ...EDITS, outside: [] });
    put(tree, `${DOCS}/spec.md`, 'approved!');
    const outside = [{ path: `${DOCS}/spec.md`, code: 'protected' }];
    expect(await changeSet(tree)).toMatchObject({ created: [`${DOCS}/spec.md`, ...EDITS.created], outside });
    await tree.perform(documents());
    expect(await changeSet(tree)).toMatchObject({ ...EDITS, outside: [] });
    rmSync(join(tree.root, DOCS, 'qa_notes.md'));
    symlinkSync('spec.md', join(tree.root, DOCS, 'qa_notes.md'));
    expect((await changeSet(tree)).outside).toEqual([{ path: `${DOCS}/qa_notes.md`, code: 'protected' }]);
  });
});

describe('in place', () => {
  async function started(fixture: Fixture): Promise<Workspace> {
    const tree = await checkoutOf(fixture);
    await tree.perform(op('open_tree', { base: null, branch: null }, 'de-7k2/1/0'));
    return tree;
  }

  test.each(['code only', 'commit all', 'no commit'])(
    'WF-72: dirty, staged and untracked work of the person is still so after %s',
    async (option) => {
      using fixture = project();
      for (const name of ['dirty.txt', 'staged.txt', 'both.txt']) fixture.write(name, 'first\n');
      fixture.git(['add', '.']);
      fixture.git(['commit', '-q', '-m', 'more']);
      fixture.write('dirty.txt', 'dirty\n');
      fixture.write('staged.txt', 'staged\n');
      fixture.write('both.txt', 'staged\n');
      fixture.write('added.txt', 'added\n');
      fixture.git(['add', 'staged.txt', 'both.txt', 'added.txt']);
      fixture.write('both.txt', 'dirty\n');
      fixture.git(['rm', '-q', '--cached', 'README.md']);
      fixture.write('untracked.txt', 'mine\n');
      const own = () => fixture.git(['status', '--porcelain', '--', '*.txt', 'README.md']);
      const cached = () => fixture.git(['diff', '--cached', '--', '*.txt', 'README.md']);
      const before = { status: own(), cached: cached() };
      const tree = await started(fixture);
      edit(tree);
      await tree.perform(documents());
      expect(await changeSet(tree)).toMatchObject(EDITS);
      if (option !== 'no commit') await tree.perform(commit({ all: option === 'commit all' }));
      await tree.perform(op('clean_up', { docs_path: DOCS, remove: FILES.map(({ name }) => name) }));
      expect({ status: own(), cached: cached() }).toEqual(before);
      expect(fixture.git(['show', 'HEAD:both.txt'])).toBe('first\n');
      expect(readFileSync(fixture.path('both.txt'), 'utf8')).toBe('dirty\n');
    },
  );

  test('a crash between the commit and the person’s index is made good by the lookup', async () => {
    using fixture = project();
    const tree = await started(fixture);
    edit(tree);
    fixture.write('staged.txt', 'staged\n');
    fixture.git(['add', 'staged.txt']);
    const index = readFileSync(fixture.path('.git/index'));
    const done = (await tree.perform(commit())) as Done;
    writeFileSync(fixture.path('.git/index'), index);
    expect(fixture.git(['diff', '--cached', '--name-only']).trim().split('\n').length).toBeGreaterThan(1);
    expect(await tree.lookup(commit())).toEqual(done);
    expect(fixture.git(['diff', '--cached', '--name-only'])).toBe('staged.txt\n');
  });

  test('a merge in progress or another git at work is left to the person', async () => {
    using fixture = project();
    const tree = await started(fixture);
    edit(tree);
    fixture.write('.git/index.lock', '');
    expect(await failureOf(tree.perform(commit()))).toMatchObject({
      code: 'index_locked',
      retry: 'transient',
    });
    rmSync(fixture.path('.git/index.lock'));
    fixture.write('.git/MERGE_HEAD', `${head(fixture)}\n`);
    expect((await failureOf(tree.perform(commit()))).code).toBe('repository_busy');
    rmSync(fixture.path('.git/MERGE_HEAD'));
    await tree.perform(commit());
  });

  test('a first commit, a detached HEAD and a linked work tree are committed to where they are', async () => {
    using fixture = unbornRepository();
    const tree = await started(fixture);
    put(tree, 'src/a.ts', 'a\n');
    await tree.perform(commit({ paths: ['src/a.ts'], documents: [] }));
    expect(fixture.git(['status', '--porcelain'])).toBe('');
    fixture.git(['checkout', '-q', '--detach']);
    put(tree, 'src/a.ts', 'b\n');
    const done = (await tree.perform(commit({ paths: ['src/a.ts'], documents: [] }, 'de-7k2/4/0'))) as Done;
    expect(done).toMatchObject({ branch: null, commit: head(fixture) });
    const linked = join(fixture.environment.HOME, 'linked');
    fixture.git(['worktree', 'add', '-q', '-b', 'side', linked]);
    const side = await checkoutOf(fixture, linked);
    put(side, 'src/a.ts', 'c\n');
    await side.perform(commit({ paths: ['src/a.ts'], documents: [] }, 'de-7k2/5/0'));
    expect(fixture.git(['status', '--porcelain'], linked)).toBe('');
    expect(fixture.git(['status', '--porcelain'])).toBe('');
  });

  test('each run has a start of its own; publishing and saving a patch are for clones', async () => {
    using fixture = project();
    const tree = await checkoutOf(fixture);
    const open = (run: string) => op('open_tree', { base: null, branch: null }, `${run}/1/0`);
    expect(await tree.lookup(open('de-one'))).toBeNull();
    const first = await tree.perform(open('de-one'));
    expect(first).toMatchObject({ snapshot: 'de-one/start' });
    expect(await tree.lookup(open('de-one'))).toEqual(first);
    put(tree, 'src/a.ts', 'changed\n');
    await tree.perform(open('de-two'));
    expect(await changeSet(tree)).toMatchObject({ modified: [] });
    expect(await changeSet(tree, { since: 'de-two/start' })).toMatchObject({ modified: [] });
    expect(await changeSet(tree, { since: 'de-one/start' })).toMatchObject({ modified: ['src/a.ts'] });
    for (const name of ['publish', 'save_patch'])
      expect((await failureOf(tree.perform(op(name, {})))).code).toBe('unknown_op');
  });
});

test('WF-92: without a commit history and index stay, and the patch applied to the base gives the tree', async () => {
  using fixture = project();
  fixture.write('bin.dat', Buffer.from([0, 1, 2, 255]));
  fixture.write('latin.txt', Buffer.from([0xe9, 10]));
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'binary']);
  const before = personal(fixture);
  const tree = await opened(fixture);
  edit(tree);
  put(tree, 'bin.dat', Buffer.from([9, 0, 255]));
  put(tree, 'latin.txt', Buffer.from([0xe8, 10]));
  put(tree, 'open.txt', 'no line end');
  symlinkSync('src/a.ts', join(tree.root, 'link'));
  chmodSync(join(tree.root, 'README.md'), 0o755);
  const { keep, texts } = shelf();
  const saved = (await tree.perform(op('save_patch', { since: 'start' }), keep)) as { patch: string };
  expect(personal(fixture)).toEqual(before);
  expect(fixture.git(['branch', '--list', 'baton/*'])).toBe('');
  expect(await tree.facts()).toMatchObject({ git: { branch: BRANCH, head: head(fixture) } });
  const copy = join(fixture.environment.HOME, 'copy');
  fixture.git(['clone', '-q', fixture.root, copy]);
  writeFileSync(join(fixture.environment.HOME, 'patch'), texts.get(saved.patch) ?? '');
  fixture.git(['apply', '--binary', join(fixture.environment.HOME, 'patch')], copy);
  expect(contents(copy)).toEqual(contents(tree.root));
  const location = await checkoutOf(fixture);
  await location.perform(op('open_tree', { base: null, branch: null }, 'de-9/1/0'));
  edit(location);
  const history = { head: head(fixture), index: fixture.git(['ls-files', '-s']) };
  await location.perform(op('clean_up', { docs_path: DOCS, remove: ['spec.md'], commit: null }));
  expect({ head: head(fixture), index: fixture.git(['ls-files', '-s']) }).toEqual(history);
  expect(await changeSet(location)).toMatchObject(EDITS);
});
