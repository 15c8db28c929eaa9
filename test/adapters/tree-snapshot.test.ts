import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/engine/errors.ts';
import { child, realFolder } from '../../src/files/real-path.ts';
import { copyIndex } from '../../src/files/state-files.ts';
import { bytesRead } from '../support/bytes-read.ts';
import {
  changeSet,
  checkoutOf,
  contents,
  edit,
  opened,
  personal,
  project,
  put,
  stateOf,
} from './tree-fixture.ts';
import { type Fixture, failureOf, plainFolder, recordGit } from './workspace-fixture.ts';

type Edit =
  | { readonly kind: 'file' | 'program'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'gone'; readonly path: string };

const PARTS = ['a', 'b ü', '한글', 'Z', '-x', 'a.ts', '*', 'e\u0301'];
const path = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .constantFrom('a\r\nb\r\n', 'a\r\nb\n', '$Id$\n', '', 'x')
    .map((text) => new Uint8Array(Buffer.from(text))),
);
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('file' as const, 'program' as const), path, bytes }),
    fc.record({ kind: fc.constant('link' as const), path, to: fc.constantFrom('a', '../a', 'nowhere') }),
    fc.record({ kind: fc.constant('gone' as const), path }),
  ),
  { maxLength: 8 },
);

/** Puts what each edit says in its place, whatever stood there or on the way. */
function apply(root: string, list: readonly Edit[]): void {
  for (const one of list) {
    const parts = one.path.split('/');
    for (let n = 1; n < parts.length; n += 1) {
      const above = join(root, ...parts.slice(0, n));
      const found = lstatSync(above, { throwIfNoEntry: false });
      if (found && !found.isDirectory()) rmSync(above);
    }
    const at = join(root, one.path);
    rmSync(at, { recursive: true, force: true });
    if (one.kind === 'gone') continue;
    mkdirSync(dirname(at), { recursive: true });
    if (one.kind === 'link') symlinkSync(one.to, at);
    else writeFileSync(at, one.bytes);
    if (one.kind === 'program') chmodSync(at, 0o755);
  }
}

function differences(then: Record<string, string>, now: Record<string, string>) {
  const paths = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort((a, b) => (a < b ? -1 : 1));
  return {
    created: paths.filter((one) => then[one] === undefined),
    deleted: paths.filter((one) => now[one] === undefined),
    modified: paths.filter((one) => then[one] && now[one] && then[one] !== now[one]),
  };
}

describe('any set of edits', () => {
  test('the change set is exactly the edits, and a restore gives back bytes, rights and links', async () => {
    using fixture = project();
    fixture.write('.gitattributes', '* text=auto ident\n*.ts eol=crlf\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'attributes']);
    const tree = await opened(fixture);
    let n = 0;
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        n += 1;
        apply(tree.root, first);
        const then = contents(tree.root);
        const hash = await tree.snapshot(`s${n}`);
        apply(tree.root, second);
        const now = contents(tree.root);
        expect(await changeSet(tree, { since: `s${n}` })).toMatchObject(differences(then, now));
        await tree.restore(`s${n}`);
        expect(contents(tree.root)).toEqual(then);
        expect((await changeSet(tree, { since: `s${n}` })).tree).toBe(hash);
      }),
      { numRuns: 25 },
    );
  });

  test('the same change set comes from a folder without git', async () => {
    using fixture = plainFolder();
    fixture.write('a', 'x');
    const folder = await checkoutOf(fixture);
    let n = 0;
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        n += 1;
        apply(fixture.root, first);
        const then = contents(fixture.root);
        await folder.snapshot(`s${n}`);
        apply(fixture.root, second);
        const expected = differences(then, contents(fixture.root));
        expect(await changeSet(folder, { since: `s${n}` })).toMatchObject(expected);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a snapshot', () => {
  test('keeps its first content under its name and leaves the tree alone', async () => {
    using fixture = project();
    const tree = await opened(fixture);
    edit(tree);
    const before = contents(tree.root);
    const hash = await tree.snapshot('de-7k2/4/0');
    expect(contents(tree.root)).toEqual(before);
    put(tree, 'src/a.ts', 'later\n');
    expect(await tree.snapshot('de-7k2/4/0')).toBe(hash);
    expect(await tree.snapshot('de-7k2/4/1')).not.toBe(hash);
    await tree.restore('de-7k2/4/0');
    expect(contents(tree.root)).toEqual(before);
    expect((await failureOf(tree.restore('never'))).code).toBe('no_such_snapshot');
    expect((await failureOf(tree.snapshot('../x'))).code).toBe('path_refused');
  });

  test('a file written again right afterwards with the same size is seen, however often', async () => {
    using fixture = project();
    const tree = await opened(fixture);
    const checkout = await checkoutOf(fixture);
    for (let n = 0; n < 8; n += 1) {
      for (const location of [tree, checkout]) {
        put(location, 'src/a.ts', `${n}1`);
        await location.snapshot(`s${n}`);
        put(location, 'src/a.ts', `${n}2`);
        expect(await changeSet(location, { since: `s${n}` })).toMatchObject({ modified: ['src/a.ts'] });
      }
    }
  });

  test('git’s memory of files is copied without becoming younger', async () => {
    using fixture = plainFolder();
    fixture.write('index', 'x');
    utimesSync(fixture.path('index'), 1000.7, 1000.7);
    const root = await realFolder(fixture.root);
    expect(await copyIndex(child(root, 'index'), child(root, 'copy'))).toBe(true);
    expect(statSync(fixture.path('copy')).mtimeMs).toBe(1_000_000);
    expect(await copyIndex(child(root, 'missing'), child(root, 'copy'))).toBe(false);
  });

  test('leaves ignored files out and alone, and each restore keeps what was there', async () => {
    using fixture = project();
    const tree = await opened(fixture);
    put(tree, 'ignored/cache', 'cache');
    put(tree, 'work.txt', 'unfinished');
    expect(await changeSet(tree)).toMatchObject({ created: ['work.txt'] });
    const kept = [await tree.restore('start'), await tree.restore('start')];
    expect(kept).toEqual([{ kept: 'refs/baton/kept/start/1' }, { kept: 'refs/baton/kept/start/2' }]);
    expect(existsSync(join(tree.root, 'ignored/cache'))).toBe(true);
    expect(existsSync(join(tree.root, 'work.txt'))).toBe(false);
    const ours = join(dirname(tree.root), 'git');
    expect(fixture.git(['--git-dir', ours, 'show', `${kept[0]?.kept}:work.txt`])).toBe('unfinished');
  });

  test('a file tracked although it is ignored belongs to the tree', async () => {
    using fixture = project();
    fixture.write('forced.log', 'tracked\n');
    fixture.git(['add', '-f', 'forced.log']);
    fixture.git(['commit', '-q', '-m', 'forced']);
    const tree = await opened(fixture);
    rmSync(join(tree.root, 'forced.log'));
    expect(await changeSet(tree)).toMatchObject({ deleted: ['forced.log'] });
    put(tree, 'forced.log', 'again\n');
    expect(await changeSet(tree)).toMatchObject({ modified: ['forced.log'] });
    const checkout = await checkoutOf(fixture);
    await checkout.snapshot('one');
    fixture.write('forced.log', 'mine\n');
    expect(await changeSet(checkout, { since: 'one' })).toMatchObject({ modified: ['forced.log'] });
  });

  test('of the person’s checkout lies in the state directory, and nothing is ever put back', async () => {
    using fixture = project();
    fixture.write('src/a.ts', 'dirty\n');
    fixture.write('staged.txt', 'staged\n');
    fixture.git(['add', 'staged.txt']);
    fixture.write('untracked.txt', 'mine\n');
    const before = { ...personal(fixture), all: contents(fixture.root, true) };
    const checkout = await checkoutOf(fixture);
    await checkout.snapshot('start');
    expect({ ...personal(fixture), all: contents(fixture.root, true) }).toEqual(before);
    edit(checkout);
    const edited = contents(fixture.root, true);
    expect(await failureOf(checkout.restore('start'))).toMatchObject({
      code: 'never_reverts',
      retry: 'permanent',
    });
    expect(contents(fixture.root, true)).toEqual(edited);
    expect(await changeSet(checkout)).toMatchObject({ created: ['src/new ü.ts'], modified: ['src/a.ts'] });
    expect(existsSync(stateOf(fixture))).toBe(true);
  });

  test('of a checkout sees files of submodules and nested repositories', async () => {
    using library = project('library');
    using fixture = project();
    fixture.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib']);
    fixture.git(['clone', '-q', library.root, fixture.path('nested')]);
    const checkout = await checkoutOf(fixture);
    await checkout.snapshot('start');
    fixture.write('lib/README.md', 'changed');
    fixture.write('nested/new.txt', 'x');
    const found = await changeSet(checkout);
    expect(found).toMatchObject({ modified: ['lib/README.md'], created: ['nested/new.txt'] });
  });

  test('of a folder without git needs no git program', async () => {
    using fixture = plainFolder();
    fixture.write('a.txt', 'a');
    const folder = await checkoutOf({
      ...fixture,
      environment: { ...fixture.environment, PATH: '/nowhere' },
    });
    await folder.snapshot('start');
    fixture.write('a.txt', 'b');
    expect(await changeSet(folder)).toMatchObject({ modified: ['a.txt'] });
    expect((await failureOf(folder.restore('start'))).code).toBe('never_reverts');
  });

  test('without a state folder is our own mistake', async () => {
    using fixture = project();
    await expect((await fixture.open()).snapshot('x')).rejects.toThrow(InvariantError);
  });

  test('after the first reads only what has changed', async () => {
    using fixture = project();
    // Files up to this size are read by git, larger ones mapped.
    const size = 32 * 1024;
    const names = Array.from({ length: 256 }, (_, n) => `large/${n}.bin`);
    for (const name of names) fixture.write(name, name.padEnd(size));
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'large']);
    const tree = await opened(fixture);
    put(tree, 'large/new.txt', 'x');
    for (const workspace of [await checkoutOf(fixture), tree]) {
      // A file as young as git's memory of it is always read again, so these are older.
      for (const name of names) utimesSync(join(workspace.root, name), 1, 1);
      expect(await bytesRead(() => workspace.snapshot('first'))).toBeGreaterThan(names.length * size);
      expect(await bytesRead(() => workspace.snapshot('second'))).toBeLessThan((names.length * size) / 4);
    }
  });
});

test('where git does not get through the files, the largest is named: a person is asked about it', async () => {
  using fixture = project();
  const { environment } = recordGit(fixture);
  const tree = await opened({ ...fixture, environment: environment as Fixture['environment'] });
  const git = join(fixture.environment.HOME, 'bin', 'git');
  const fails = 'case "$*" in *"--replace --stdin"*) echo "did not end" >&2; exit 1 ;; esac';
  writeFileSync(git, readFileSync(git, 'utf8').replace('#!/bin/sh', `#!/bin/sh\n${fails}`));
  put(tree, 'small', 'x');
  expect((await failureOf(changeSet(tree))).detail).toBe('git update-index: did not end');
  put(tree, 'src/large', '');
  truncateSync(join(tree.root, 'src/large'), 20e9);
  const { code, detail } = await failureOf(changeSet(tree));
  expect([code, detail]).toEqual([
    'git_failed',
    'git update-index: did not end; the largest file: src/large, 20000 MB',
  ]);
});
