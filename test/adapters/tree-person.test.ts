import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectTrees } from '../../src/adapters/workspace/clone/collect.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { BRANCH, changeSet, checkoutOf, op, opened, project, put, shelf, stateOf } from './tree-fixture.ts';
import type { Fixture } from './workspace-fixture.ts';

/** The person's own folder, opened for a run. */
async function inPlace(fixture: Fixture): Promise<Workspace> {
  const location = await checkoutOf(fixture);
  await location.perform(op('open_tree', { base: null, branch: null }, 'de-7k2/1/0'));
  return location;
}

const LOCATIONS = [
  ['a clone', opened],
  ['the person’s folder', inPlace],
] as const;

/** An object only the person's repository has, and no ref of it. */
function loose(fixture: Fixture, content: string): void {
  fixture.write('loose', content);
  fixture.git(['add', 'loose']);
  fixture.git(['reset', '-q']);
  rmSync(fixture.path('loose'));
}

function prune(fixture: Fixture): void {
  fixture.git(['reflog', 'expire', '--expire=now', '--all']);
  fixture.git(['gc', '-q', '--prune=now']);
}

describe.each(LOCATIONS)('a repository that is pruned while a run lives in %s', (_, open) => {
  test('loses the run nothing: what is there is read anew, what was kept is still to be compared with', async () => {
    using fixture = project();
    loose(fixture, 'the same words\n');
    loose(fixture, 'other words\n');
    const tree = await open(fixture);
    put(tree, 'src/c.ts', 'the same words\n');
    await tree.snapshot('before');
    put(tree, 'src/d.ts', 'other words\n');
    await changeSet(tree);
    prune(fixture);
    expect(await changeSet(tree)).toMatchObject({ created: ['src/c.ts', 'src/d.ts'] });
    rmSync(join(tree.root, 'src/c.ts'));
    const { keep, texts } = shelf();
    const input = { since: 'before', scope: null, max_files: null };
    expect(await tree.query({ what: 'change_set', input }, keep)).toMatchObject({ deleted: ['src/c.ts'] });
    expect([...texts.values()].join('')).toContain('-the same words');
  });

  test('loses the commit of the run nothing either, which is taken over afterwards', async () => {
    using fixture = project();
    loose(fixture, 'the same words\n');
    const tree = await open(fixture);
    put(tree, 'lib/c.ts', 'the same words\n');
    const input = { paths: ['lib/c.ts'], message: 'm', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    prune(fixture);
    if (open === opened) await tree.perform(op('publish', { branch: BRANCH, commit }));
    expect(fixture.git(['show', `${commit}:lib/c.ts`])).toBe('the same words\n');
    expect(fixture.git(['fsck', '--full', '--connectivity-only'])).toBe('');
  });
});

test('a commit the person replaces and prunes is still what a run in their folder compares with', async () => {
  using fixture = project();
  const location = await inPlace(fixture);
  put(location, 'src/a.ts', 'export const a = 3;\n');
  fixture.git(['commit', '-q', '--amend', '-am', 'another']);
  prune(fixture);
  expect(await changeSet(location)).toMatchObject({ modified: ['src/a.ts'], created: [], deleted: [] });
});

describe.each(LOCATIONS)('a repository without core.fileMode and a run in %s', (_, open) => {
  test('WF-92: the right to run a file is committed and kept in a patch as it was judged', async () => {
    using fixture = project();
    fixture.write(
      '.git/config',
      `${readFileSync(fixture.path('.git/config'), 'utf8')}[core]\n\tfileMode = false\n`,
    );
    const tree = await open(fixture);
    put(tree, 'new.sh', '#!/bin/sh\n');
    put(tree, 'plain.txt', 'x\n');
    for (const name of ['new.sh', 'src/a.ts']) chmodSync(join(tree.root, name), 0o755);
    chmodSync(join(tree.root, 'run.sh'), 0o644);
    const found = (await changeSet(tree)) as unknown as {
      content: string;
      modified: string[];
      created: string[];
    };
    expect(found).toMatchObject({ modified: ['run.sh', 'src/a.ts'], created: ['new.sh', 'plain.txt'] });
    const paths = [...found.modified, ...found.created];
    if (open === opened) {
      const { keep, texts } = shelf();
      await tree.perform(op('save_patch', { since: 'start' }), keep);
      expect([...texts.values()].join('').match(/new mode 100755|new file mode 100755/g)).toHaveLength(2);
    }
    const input = { paths, message: 'rights', all: false, since: 'start', content: found.content };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    if (open === opened) await tree.perform(op('publish', { branch: BRANCH, commit }));
    const listed = fixture
      .git(['ls-tree', '-r', commit, ...paths])
      .split('\n')
      .filter(Boolean);
    expect(listed.map((line) => `${line.slice(0, 6)} ${line.slice(line.indexOf('\t') + 1)}`).sort()).toEqual([
      '100644 plain.txt',
      '100644 run.sh',
      '100755 new.sh',
      '100755 src/a.ts',
    ]);
  });
});

test.each(LOCATIONS)(
  'in %s a link that only leads somewhere on this machine counts as one out of the tree',
  async (_, open) => {
    using fixture = project();
    const tree = await open(fixture);
    symlinkSync(join(tree.root, 'src/a.ts'), join(tree.root, 'absolute'));
    symlinkSync(`../${tree.root.split('/').at(-1)}/src/a.ts`, join(tree.root, 'around'));
    symlinkSync('src/a.ts', join(tree.root, 'inside'));
    const { outside } = await changeSet(tree);
    expect(outside).toEqual([
      { path: 'absolute', code: 'leaves_repository' },
      { path: 'around', code: 'leaves_repository' },
    ]);
  },
);

test.each(LOCATIONS)(
  'in %s files a changed .gitignore hides are listed as altering how the change is checked',
  async (_, open) => {
    using fixture = project();
    fixture.write('sub/.gitignore', '*.tmp\n!kept.tmp\n');
    fixture.git(['add', '-A']);
    fixture.git(['commit', '-q', '-m', 'ignored']);
    const tree = await open(fixture);
    put(tree, 'old.log', 'ignored before\n');
    put(tree, 'sub/kept.tmp', 'not ignored before\n');
    put(tree, 'fake/runner.sh', 'exit 0\n');
    put(tree, 'one:(top)', 'x\n');
    put(tree, '.gitignore', 'ignored/\n*.log\nfake/\none*\n');
    put(tree, 'sub/.gitignore', '*.tmp\n');
    expect((await changeSet(tree)).alters_checks).toEqual([
      '.gitignore',
      'sub/.gitignore',
      'fake/',
      'one:(top)',
      'sub/kept.tmp',
    ]);
  },
);

test('locks a killed git left in the directories of a clone do not stand in the way', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  put(tree, 'src/c.ts', 'x\n');
  const dir = join(stateOf(fixture), 'trees', 'de-7k2');
  const locks = [
    `view/refs/heads/${BRANCH}.lock`,
    'view/HEAD.lock',
    'view/packed-refs.lock',
    'git/refs/baton/snapshots/next.lock',
  ].map((name) => join(dir, name));
  for (const lock of locks) {
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
  }
  await tree.snapshot('next');
  await tree.perform(op('commit', { paths: ['src/c.ts'], message: 'over it', all: false }));
  expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
});

test('a lock a killed git left where snapshots of the person’s folder are kept does not stand in the way', async () => {
  using fixture = project();
  const location = await inPlace(fixture);
  const [own = ''] = readdirSync(join(stateOf(fixture), 'snapshots'));
  const lock = join(stateOf(fixture), 'snapshots', own, 'git/refs/baton/snapshots/next.lock');
  writeFileSync(lock, '');
  utimesSync(lock, 1, 1);
  await location.snapshot('next');
  expect(existsSync(lock)).toBe(false);
});

test('a lock whose time lies ahead is waited for no longer than a young one', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  const lock = join(stateOf(fixture), 'trees', 'de-7k2', 'git/refs/baton/snapshots/next.lock');
  writeFileSync(lock, '');
  utimesSync(lock, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400);
  await tree.snapshot('next');
  expect(existsSync(lock)).toBe(false);
});

test('what a run in the person’s folder noted about its commits goes when it has ended long ago', async () => {
  using fixture = project();
  const location = await inPlace(fixture);
  for (const run of ['de-ended', 'de-live']) {
    put(location, `${run}.ts`, 'x\n');
    const input = { paths: [`${run}.ts`], message: 'x', all: false };
    await location.perform(op('commit', input, `${run}/3/0`));
  }
  const home = stateOf(fixture);
  const now = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const collect = (days: number) =>
    collectTrees({ home, now: now(days), live: ['de-live'], environment: fixture.environment });
  await collect(13);
  expect(readdirSync(join(home, 'commits'))).toHaveLength(2);
  await collect(15);
  expect(readdirSync(join(home, 'commits'))).toHaveLength(1);
  expect(
    await location.lookup(op('commit', { paths: ['de-live.ts'], message: 'x', all: false }, 'de-live/3/0')),
  ).not.toBeNull();
});

test('the packages that checks loaded go with the trees of runs that have ended', async () => {
  using fixture = project();
  const checks = join(stateOf(fixture), 'cache', 'checks');
  for (const run of ['de-live', 'de-over']) mkdirSync(join(checks, run, 'gomod'), { recursive: true });
  const collect = (days: number) =>
    collectTrees({
      home: stateOf(fixture),
      now: new Date(Date.now() + days * 86_400_000).toISOString(),
      live: ['de-live'],
      environment: fixture.environment,
    });
  await collect(13);
  expect(readdirSync(checks)).toEqual(['de-live', 'de-over']);
  await collect(15);
  expect(readdirSync(checks)).toEqual(['de-live']);
});
