import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks, parsePatch } from '../../src/adapters/workspace/changes/patch.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { checkoutOf, contents, op, opened, project, put } from './tree-fixture.ts';
import { type Fixture, failureOf, plainFolder } from './workspace-fixture.ts';

const LINES = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`);
const TEXT = `${LINES.join('\n')}\n`;

const header = (path: string) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
const change = (n: number, to: string) =>
  `@@ -${n - 1},3 +${n - 1},3 @@\n line ${n - 1}\n-line ${n}\n+${to}\n line ${n + 1}\n`;
const patch = (text: string, scope: string[] | null = null, effect?: string) =>
  op('apply_patch', { patch: text, scope }, effect);

/** The same in all three kinds of trees. */
const TREES: [string, () => Promise<{ fixture: Fixture; tree: Workspace }>][] = [
  [
    'a clone',
    async () => {
      const fixture = project();
      return { fixture, tree: await opened(fixture) };
    },
  ],
  [
    'the checkout',
    async () => {
      const fixture = project();
      return { fixture, tree: await checkoutOf(fixture) };
    },
  ],
  [
    'a folder without git',
    async () => {
      const fixture = plainFolder();
      return { fixture, tree: await checkoutOf(fixture) };
    },
  ],
];

describe.each(TREES)('in %s', (_, make) => {
  test('all files of a patch change together, rights are kept, and a repeat changes nothing more', async () => {
    const { fixture, tree } = await make();
    using _fixture = fixture;
    put(tree, 'src/one.ts', TEXT);
    chmodSync(join(tree.root, 'src/one.ts'), 0o755);
    put(tree, 'src/old.ts', 'only\n');
    const created = '--- /dev/null\n+++ b/src/deep/new ü.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n';
    const removed = '--- a/src/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-only\n';
    const text = `${header('src/one.ts')}${change(3, 'three')}${change(10, 'ten')}${created}${removed}`;
    const write = patch(text, ['src/**']);
    expect(await tree.lookup(write)).toBeNull();
    const result = { applied: true, files: ['src/one.ts', 'src/deep/new ü.ts', 'src/old.ts'] };
    expect(await tree.perform(write)).toEqual(result);
    const expected = TEXT.replace('line 3\n', 'three\n').replace('line 10\n', 'ten\n');
    expect(readFileSync(join(tree.root, 'src/one.ts'), 'utf8')).toBe(expected);
    expect(statSync(join(tree.root, 'src/one.ts')).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(tree.root, 'src/deep/new ü.ts'), 'utf8')).toBe('a\nb\n');
    expect(existsSync(join(tree.root, 'src/old.ts'))).toBe(false);
    expect(await tree.lookup(write)).toEqual(result);
    expect(await tree.perform(write)).toEqual(result);
    expect(readFileSync(join(tree.root, 'src/one.ts'), 'utf8')).toBe(expected);
  });

  test('WF-58: a crash between two files is finished by the repeat; a file changed by others is left alone', async () => {
    const { fixture, tree } = await make();
    using _fixture = fixture;
    for (const name of ['one', 'two']) put(tree, `src/${name}.ts`, TEXT);
    const text = ['one', 'two'].map((name) => `${header(`src/${name}.ts`)}${change(3, 'three')}`).join('');
    await tree.snapshot('patch/de-7k2/3/0');
    put(tree, 'src/one.ts', TEXT.replace('line 3\n', 'three\n'));
    expect(await tree.lookup(patch(text))).toBeNull();
    expect(await tree.perform(patch(text))).toMatchObject({ applied: true });
    expect(readFileSync(join(tree.root, 'src/two.ts'), 'utf8')).toContain('three\n');
    await tree.snapshot('patch/de-7k2/4/0');
    put(tree, 'src/two.ts', 'somebody else\n');
    const again = patch(`${header('src/two.ts')}${change(10, 'ten')}`, null, 'de-7k2/4/0');
    expect((await failureOf(tree.perform(again))).code).toBe('tree_changed');
    expect(readFileSync(join(tree.root, 'src/two.ts'), 'utf8')).toBe('somebody else\n');
  });

  test('WF-58: a failing second block leaves every byte, a hostile header never reaches the apply step', async () => {
    const { fixture, tree } = await make();
    using _fixture = fixture;
    using outside = plainFolder('outside');
    outside.write('x.ts', TEXT);
    put(tree, 'src/one.ts', TEXT);
    put(tree, 'src/two.ts', TEXT);
    put(tree, 'lib/x.ts', TEXT);
    symlinkSync(outside.root, join(tree.root, 'src/out'));
    symlinkSync('one.ts', join(tree.root, 'src/leaf.ts'));
    const before = contents(tree.root);
    const good = `${header('src/one.ts')}${change(3, 'three')}`;
    const half = `${good}${change(10, 'ten').replace(' line 9', ' line 99')}`;
    const refused = async (text: string, reason: string) => {
      const result = await tree.perform(patch(text, ['src/**']));
      expect(result).toMatchObject({ applied: false, reason });
      expect(await tree.lookup(patch(text, ['src/**']))).toEqual(result);
      expect(contents(tree.root)).toEqual(before);
      expect(readFileSync(outside.path('x.ts'), 'utf8')).toBe(TEXT);
    };
    await refused(half, 'failed_hunk');
    await refused(`${header('src/two.ts')}${change(3, 'three')}${half}`, 'failed_hunk');
    const hostile = [
      '../x.ts',
      '/etc/passwd',
      'src/../../x',
      '.git/config',
      'src/.git/x',
      'docs/baton/x/spec.md',
    ];
    await refused(`${good}--- /dev/null\n+++ b/src/two.ts/x\n@@ -0,0 +1 @@\n+x\n`, 'path_violation');
    const nested = ['src/new', 'src/new/x'].map((to) => `--- /dev/null\n+++ b/${to}\n@@ -0,0 +1 @@\n+x\n`);
    await refused(nested.join(''), 'path_violation');
    await refused(nested.reverse().join(''), 'path_violation');
    for (const path of [...hostile, 'lib/x.ts', 'src/out/x.ts', 'src/leaf.ts', 'src', 'C:/x'])
      await refused(`${good}${header(path)}${change(3, 'three')}`, 'path_violation');
    const other = '--- a/src/one.ts\n+++ b/../x.ts\n';
    await refused(`${other}${change(3, 'x')}`, 'refused_kind');
    const kinds = [
      'diff --git a/src/one.ts b/src/three.ts\nsimilarity index 90%\nrename from src/one.ts\nrename to src/three.ts\n',
      'diff --git a/src/one.ts b/src/one.ts\nold mode 100644\nnew mode 100755\n',
      'diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+/etc\n',
      'diff --git a/src/b b/src/b\nnew file mode 100644\nGIT binary patch\nliteral 1\nIcmZQz\n',
      'diff --git a/src/two.ts b/src/two.ts\nold mode 100644\nnew mode 100755\n'.concat(
        `--- a/src/two.ts\n+++ b/src/two.ts\n${change(3, 'three')}`,
      ),
      'GIT binary patch\nliteral 1\nIcmZQz\n',
      'diff --git a/src/b b/src/b\nBinary files a/src/b and b/src/b differ\n',
      'diff --git a/src/e b/src/e\nnew file mode 100644\nindex 0000000..e69de29\n',
      '--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n',
    ];
    for (const text of kinds) await refused(`${good}${text}`, 'refused_kind');
    await refused(`${good}${good}`, 'refused_kind');
    for (const text of ['', 'just words\n', '```diff\n```\n']) await refused(text, 'empty_patch');
    const missing = `${header('src/none.ts')}${change(3, 'three')}`;
    await refused(missing, 'failed_hunk');
    await refused('--- /dev/null\n+++ b/src/one.ts\n@@ -0,0 +1 @@\n+x\n', 'failed_hunk');
    await refused('--- a/src/one.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n', 'failed_hunk');
  });

  test('WF-58: a write that fails puts the bytes back', async () => {
    const { fixture, tree } = await make();
    using _fixture = fixture;
    put(tree, 'src/one.ts', TEXT);
    const before = contents(tree.root);
    // A name the file system takes, and does not take with anything behind it.
    const long = `--- /dev/null\n+++ b/src/${'x'.repeat(250)}\n@@ -0,0 +1 @@\n+x\n`;
    const write = patch(`${header('src/one.ts')}${change(3, 'three')}${long}`);
    expect((await failureOf(tree.perform(write))).detail).toContain('ENAMETOOLONG');
    expect(contents(tree.root)).toEqual(before);
  });
});

describe('blocks', () => {
  const apply = (old: string, text: string) => {
    const parsed = parsePatch(text);
    if (!parsed.ok) return parsed.reason;
    const applied = applyHunks(old, parsed.files[0]?.hunks ?? []);
    return applied.ok ? applied.text : `block ${applied.hunk}`;
  };

  test('line numbers that are off are found by their lines, the nearest place first', () => {
    const moved = `${header('x')}${change(10, 'ten').replace('@@ -9,3 +9,3 @@', '@@ -2,3 +2,3 @@')}`;
    expect(apply(TEXT, moved)).toBe(TEXT.replace('line 10\n', 'ten\n'));
    const twice = 'a\nx\nb\na\nx\nb\n';
    expect(apply(twice, `${header('x')}@@ -4,3 +4,3 @@\n a\n-x\n+y\n b\n`)).toBe('a\nx\nb\na\ny\nb\n');
  });

  test('line ends of the file stay, with or without one at the end', () => {
    const crlf = TEXT.replaceAll('\n', '\r\n');
    expect(apply(crlf, `${header('x')}${change(3, 'three')}`)).toBe(crlf.replace('line 3\r\n', 'three\r\n'));
    const windows = `${header('x')}${change(3, 'three')}`.replaceAll('\n', '\r\n');
    expect(apply(TEXT, windows)).toBe(TEXT.replace('line 3\n', 'three\n'));
    const open = '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n';
    expect(apply('a\nb', `${header('x')}${open}`)).toBe('a\nc');
    expect(apply('a\nb\n', `${header('x')}${open}`)).toBe('block 1');
    expect(apply('a\nb', `${header('x')}@@ -1,2 +1,3 @@\n a\n b\n+c\n`)).toBe('a\nb\nc\n');
    expect(apply('a\nb', `${header('x')}@@ -1,2 +1,3 @@\n+c\n a\n b\n`)).toBe('c\na\nb');
  });

  test('names git quoted, times behind names and headers without prefixes are read', () => {
    const names = (text: string) => {
      const parsed = parsePatch(`${text}@@ -1 +1 @@\n-a\n+b\n`);
      return parsed.ok ? parsed.files.map(({ after }) => after) : parsed.reason;
    };
    expect(names('--- "a/src/\\303\\274 \\"x\\".ts"\n+++ "b/src/\\303\\274 \\"x\\".ts"\n')).toEqual([
      'src/ü "x".ts',
    ]);
    expect(names('--- a/x.ts\t2026-01-01\n+++ b/x.ts\t2026-01-01\n')).toEqual(['x.ts']);
    expect(names('--- src/x.ts\n+++ src/x.ts\n')).toEqual(['src/x.ts']);
    expect(names('--- "a/x\\\n+++ "b/x\\\n')).not.toContain('x');
  });

  test('what git writes as a difference of two texts is applied to exactly the second', async () => {
    using fixture = plainFolder();
    const line = fc.constantFrom(
      'a',
      'b',
      '',
      ' x',
      '-y',
      '+z',
      '\\ w',
      'ü',
      '--- q',
      '+++ q',
      '@@ -1 +1 @@',
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([list, open]) => list.join('\n') + (open || list.length === 0 ? '' : '\n'));
    fc.assert(
      fc.property(text, text, (old, fresh) => {
        fc.pre(old !== fresh);
        writeFileSync(fixture.path('a'), old);
        writeFileSync(fixture.path('b'), fresh);
        const shell = `git diff --no-index --no-color a b | sed -e 's|^+++ b/b|+++ b/a|'`;
        const difference = fixture.git(['-c', `alias.d=!${shell}`, 'd']);
        const body = difference.split('\n').slice(4).join('\n');
        expect(apply(old, `--- a/a\n+++ b/a\n${body}`)).toBe(fresh);
      }),
      { numRuns: 60 },
    );
  });
});
