import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RealPath } from '../../src/files/real-path.ts';
import { openRights } from '../../src/files/state-files.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import {
  BRANCH,
  changeSet,
  contents,
  DOCS,
  edit,
  head,
  op,
  opened,
  personal,
  project,
  put,
  stateOf,
} from './tree-fixture.ts';
import { asOtherUser, type Fixture, failureOf, plainFolder } from './workspace-fixture.ts';

interface Attack {
  act(tree: Workspace, fixture: Fixture): void;
  created?: string[];
  modified?: string[];
  deleted?: string[];
  outside?: { path: string; code: string }[];
  /** Some of the control files that must be shown. */
  git?: string[];
}

const at = (tree: Workspace, path: string) => join(tree.root, path);
const ALL = ['.gitignore', 'README.md', 'run.sh', 'src/a.ts', 'src/b ü.ts'];

const ATTACKS: Record<string, Attack> = {
  'a write outside the scope': {
    act: (tree) => put(tree, 'lib/x.ts', 'x'),
    created: ['lib/x.ts'],
    outside: [{ path: 'lib/x.ts', code: 'outside_scope' }],
  },
  'a write to the documents’ folder': {
    act: (tree) => put(tree, `${DOCS}/spec.md`, 'approved, says the worker'),
    created: [`${DOCS}/spec.md`],
    outside: [{ path: `${DOCS}/spec.md`, code: 'protected' }],
  },
  'a hook, a setting and an exclusion in the git directory': {
    act: (tree) => {
      put(tree, '.git/hooks/pre-commit', '#!/bin/sh\n');
      put(tree, '.git/info/exclude', '*\n');
      put(tree, '.git/config', '[core]\n\tfsmonitor = /bin/false\n');
      put(tree, 'src/c.ts', 'c');
    },
    created: ['src/c.ts'],
    git: ['.git/config', '.git/hooks/pre-commit', '.git/info/exclude'],
  },
  'another branch': {
    act: (tree, fixture) => {
      fixture.git(['checkout', '-q', '-b', 'elsewhere'], tree.root);
      put(tree, 'src/c.ts', 'c');
      fixture.git(['add', '.'], tree.root);
      fixture.git(['commit', '-q', '-m', 'x'], tree.root);
    },
    created: ['src/c.ts'],
    git: ['.git/HEAD', '.git/refs/heads/elsewhere'],
  },
  'the whole tree removed': {
    act: (tree) => rmSync(tree.root, { recursive: true }),
    deleted: ALL,
    outside: ALL.filter((path) => !path.startsWith('src/')).map((path) => ({ path, code: 'outside_scope' })),
    git: ['.git'],
  },
  'a link in the place of the tree': {
    act: (tree, fixture) => {
      rmSync(tree.root, { recursive: true });
      symlinkSync(fixture.root, tree.root);
    },
    deleted: ALL,
    outside: ALL.filter((path) => !path.startsWith('src/')).map((path) => ({ path, code: 'outside_scope' })),
    git: ['.git'],
  },
  'a link that leads out': {
    act: (tree) => symlinkSync('/etc/passwd', at(tree, 'src/out')),
    created: ['src/out'],
    outside: [{ path: 'src/out', code: 'leaves_repository' }],
  },
  'a link that leads out by way of another, and one into the git directory': {
    act: (tree) => {
      symlinkSync('..', at(tree, 'src/up'));
      symlinkSync('up/../../..', at(tree, 'src/out'));
      symlinkSync('../.git/config', at(tree, 'src/git'));
    },
    created: ['src/git', 'src/out', 'src/up'],
    outside: [
      { path: 'src/git', code: 'leaves_repository' },
      { path: 'src/out', code: 'leaves_repository' },
    ],
  },
  'a folder replaced by a link to the person’s folder': {
    act: (tree, fixture) => {
      rmSync(at(tree, 'src'), { recursive: true });
      symlinkSync(fixture.path('src'), at(tree, 'src'));
    },
    created: ['src'],
    deleted: ['src/a.ts', 'src/b ü.ts'],
    outside: [{ path: 'src', code: 'leaves_repository' }],
  },
  'a file replaced by a folder and a pipe in the place of another': {
    act: (tree) => {
      rmSync(at(tree, 'src/a.ts'));
      put(tree, 'src/a.ts/x', 'x');
      rmSync(at(tree, 'src/b ü.ts'));
      execFileSync('sh', ['-c', 'mkfifo "$0"', at(tree, 'src/b ü.ts')]);
    },
    created: ['src/a.ts/x'],
    deleted: ['src/a.ts', 'src/b ü.ts'],
  },
  'a repository inside the tree': {
    act: (tree, fixture) => {
      fixture.git(['clone', '-q', fixture.root, at(tree, 'src/nested')]);
      put(tree, 'src/nested/node_modules/m.js', 'm');
    },
    created: ALL.map((path) => `src/nested/${path}`),
    outside: [{ path: 'src/nested/.git', code: 'protected' }],
  },
  'a repository made of a folder of the tree': {
    act: (tree, fixture) => {
      fixture.git(['init', '-q'], at(tree, 'src'));
      put(tree, 'src/c.ts', 'c');
    },
    created: ['src/c.ts'],
    outside: [{ path: 'src/.git', code: 'protected' }],
  },
  'names git cannot keep and names that are not UTF-8': {
    act: (tree) => {
      put(tree, 'src/.GIT/hooks/x', 'x');
      put(tree, 'src/git~1', 'x');
      put(tree, 'src/a\\b', 'x');
      put(tree, 'src/line\nend', 'x');
      writeFileSync(Buffer.concat([Buffer.from(at(tree, 'src/odd-')), Buffer.from([0xff])]), 'x');
    },
    created: ['src/a\\b', 'src/git~1', 'src/line\nend', 'src/odd-\ufffd'],
    outside: [
      { path: 'src/a\\b', code: 'control_character' },
      { path: 'src/git~1', code: 'protected' },
      { path: 'src/line\nend', code: 'control_character' },
      { path: 'src/odd-\ufffd', code: 'control_character' },
      { path: 'src/.GIT', code: 'protected' },
    ],
  },
  'everything ignored from now on': {
    act: (tree) => {
      put(tree, '.gitignore', '*\n');
      put(tree, 'src/a.ts', 'changed');
    },
    modified: ['.gitignore', 'src/a.ts'],
    outside: [{ path: '.gitignore', code: 'outside_scope' }],
  },
};

test.each(Object.entries(ATTACKS))(
  '%s is contained, recorded and shown, and can be put back',
  async (_, attack) => {
    using fixture = project();
    const before = personal(fixture);
    const tree = await opened(fixture);
    const start = contents(tree.root);
    const fingerprint = await tree.fingerprint();
    attack.act(tree, fixture);
    const found = await changeSet(tree, { scope: ['src/**', 'src'], max_files: 100 });
    expect(found).toMatchObject({
      created: attack.created ?? [],
      modified: attack.modified ?? [],
      deleted: attack.deleted ?? [],
      outside: attack.outside ?? [],
    });
    for (const path of attack.git ?? []) expect(found.git).toContain(path);
    if (!attack.git) expect(found.git).toEqual([]);
    const seen = await tree.changedSince(fingerprint);
    for (const path of [...found.created, ...found.modified, ...found.deleted, ...(attack.git ?? [])])
      expect(seen).toContain(path);
    const { kept } = await tree.restore('start');
    expect(contents(tree.root)).toEqual(start);
    expect(await tree.changedSince(fingerprint)).toEqual([]);
    expect(await changeSet(tree)).toMatchObject({
      created: [],
      modified: [],
      deleted: [],
      outside: [],
      git: [],
    });
    expect(fixture.git(['status', '--porcelain'], tree.root)).toBe('');
    const lost = fixture.git(['--git-dir', join(tree.root, '../git'), 'cat-file', '-t', kept]);
    expect(lost).toBe('commit\n');
    expect(personal(fixture)).toEqual(before);
  },
);

test('settings of the workers’ git directory and of the tree make our git run nothing', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  const trace = join(fixture.environment.HOME, 'trace');
  const evil = join(fixture.environment.HOME, 'evil');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`);
  chmodSync(evil, 0o755);
  const keys = [
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'core.fsmonitor',
    'core.pager',
  ];
  for (const key of [...keys, 'diff.external', 'diff.evil.textconv', 'core.sshCommand', 'gpg.program'])
    fixture.git(['config', key, evil], tree.root);
  fixture.git(['config', 'filter.evil.required', 'true'], tree.root);
  fixture.git(['config', 'core.hooksPath', join(tree.root, '.git/hooks')], tree.root);
  fixture.git(['config', 'core.worktree', '/'], tree.root);
  for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction']) {
    put(tree, `.git/hooks/${hook}`, readFileSync(evil));
    chmodSync(at(tree, `.git/hooks/${hook}`), 0o755);
  }
  put(tree, '.gitattributes', '* filter=evil diff=evil\n');
  put(tree, '.git/info/attributes', '* filter=evil\n');
  put(tree, 'src/a.ts', 'changed\n');
  await tree.snapshot('one');
  await tree.changedSince(await tree.fingerprint());
  await changeSet(tree);
  const keep = () => Promise.resolve(`sha256:${'0'.repeat(64)}` as const);
  await tree.perform(op('save_patch', { since: 'start' }), keep);
  const input = { paths: ['src/a.ts', '.gitattributes'], documents: [], message: 'm', all: false };
  const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
  await tree.perform(op('publish', { branch: BRANCH, commit }));
  await tree.restore('start');
  expect(existsSync(trace)).toBe(false);
  expect(fixture.git(['show', `${BRANCH}:src/a.ts`])).toBe('changed\n');
});

test('a file or folder without rights is kept and put back all the same', async () => {
  using fixture = project();
  await asOtherUser(fixture, async () => undefined);
  const tree = await opened(fixture);
  edit(tree);
  chmodSync(at(tree, 'src/a.ts'), 0o000);
  chmodSync(at(tree, 'src'), 0o500);
  execFileSync('chown', ['-R', '65534', stateOf(fixture), fixture.root, fixture.environment.HOME]);
  await asOtherUser(fixture, async () => {
    await tree.restore('start');
  });
  expect(readFileSync(at(tree, 'src/a.ts'), 'utf8')).toBe('export const a = 1;\n');
  expect(existsSync(at(tree, 'src/new ü.ts'))).toBe(false);
});

test('WF-77 what is under a link or named like git is refused at the commit, and nothing is staged', async () => {
  using fixture = project();
  using elsewhere = plainFolder('elsewhere');
  elsewhere.write('secret.txt', 'secret');
  const tree = await opened(fixture);
  symlinkSync(elsewhere.root, at(tree, 'out'));
  symlinkSync(elsewhere.path('secret.txt'), at(tree, 'leaf'));
  mkdirSync(at(tree, 'fine'));
  put(tree, 'fine/x.txt', 'x');
  const paths = [
    'out/secret.txt',
    'leaf',
    'out',
    '.git/config',
    '../x',
    '/etc/passwd',
    `${DOCS}/spec.md`,
    'a\\b',
  ];
  for (const path of paths) {
    const input = { paths: ['fine/x.txt', path], documents: [], message: 'm', all: false };
    const failure = await failureOf(tree.perform(op('commit', input)));
    expect(failure).toMatchObject({ code: 'guard_refused', retry: 'permanent' });
  }
  expect((await tree.facts()).git?.head).toBe(head(fixture));
});

test('a worker that moves the tree away loses nothing of the run', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  edit(tree);
  await tree.snapshot('de-7k2/4/0');
  renameSync(tree.root, `${tree.root}-moved`);
  await tree.restore('de-7k2/4/0');
  expect(readFileSync(at(tree, 'src/a.ts'), 'utf8')).toBe('export const a = 2;\n');
  expect(existsSync(at(tree, 'run.sh'))).toBe(false);
});

test('a tree git cannot read is made readable: a pipe it would wait at for ever goes, files and links stay', async () => {
  using fixture = plainFolder();
  const root = fixture.root as RealPath;
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/a.ts'), 'a');
  symlinkSync('a.ts', join(root, 'src/link'));
  execFileSync('mkfifo', [join(root, '.gitignore'), join(root, 'src/.gitattributes')]);
  chmodSync(join(root, 'src'), 0o500);
  await openRights(root);
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['src', 'src/a.ts', 'src/link']);
});

test('ignored files are found although what git remembered of the tree is gone', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  rmSync(join(dirname(tree.root), 'git', 'index'));
  put(tree, 'node_modules/.bin/tool', 'true');
  await tree.noteIgnored('de-1', 0);
  expect((await changeSet(tree, { run: 'de-1' })).ignored).toEqual(['node_modules/.bin/tool']);
});

test('an ignored folder something was removed from is named, whatever was written beside it', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  put(tree, 'node_modules/a/deep/old', 'old');
  put(tree, 'node_modules/b/new', 'old');
  const began = Math.floor(statSync(at(tree, 'node_modules/b/new')).ctimeMs) + 1;
  do {
    put(tree, 'node_modules/a/gone', 'gone');
    rmSync(at(tree, 'node_modules/a/gone'));
  } while (statSync(at(tree, 'node_modules/a')).ctimeMs < began);
  put(tree, 'node_modules/b/new', 'new');
  await tree.noteIgnored('de-1', began);
  expect((await changeSet(tree, { run: 'de-1' })).ignored).toEqual(['node_modules/a/', 'node_modules/b/new']);
});
