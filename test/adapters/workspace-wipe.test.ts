import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OutputBase } from '../../src/contract/deliver-found.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { contents, head, op, opened, personal } from './tree-fixture.ts';
import { asOtherUser, type Fixture, failureOf, keep, plainFolder, repository } from './workspace-fixture.ts';

const DOCS = { docs_path: 'docs/baton/dark-mode/', slug: 'dark-mode' };
const query = async (workspace: Workspace, input: Record<string, unknown> = DOCS) =>
  OutputBase.parse(await workspace.query({ what: 'output_base', input }, keep));
const wipe = (base = 'docs/baton') => op('wipe_base', { base });

/** A base with two runs, what was learned, and a loose file; beside it things that are nobody's business here. */
function fill(fixture: Fixture): void {
  fixture.write('docs/baton/dark-mode/spec.md', 'spec\n');
  fixture.write('docs/baton/dark-mode/deep/er/notes.md', 'notes\n');
  fixture.write('docs/baton/old/spec.md', 'old\n');
  fixture.write('docs/baton/Memory/lessons.md', 'learned\n');
  fixture.write('docs/baton/index.md', 'index\n');
  fixture.write('docs/guide.md', 'guide\n');
  fixture.write('src/a.ts', 'a\n');
}

/** Everything but the base. */
const outside = (fixture: Fixture, base = 'docs/baton') =>
  Object.fromEntries(
    Object.entries(contents(fixture.root, true)).filter(([path]) => !path.startsWith(`${base}/`)),
  );

describe('looking at the output base', () => {
  test.each([
    ['a plain folder', plainFolder],
    ['a checkout', repository],
  ])('WF-74 in %s names its folders with their files, what lies beside them, and memory', async (_, make) => {
    using fixture = make();
    fill(fixture);
    mkdirSync(fixture.path('docs/baton/empty'));
    expect(await query(await fixture.open())).toEqual({
      base: 'docs/baton',
      folders: [
        { name: '.', files: 1 },
        { name: 'Memory', files: 1 },
        { name: 'dark-mode', files: 2 },
        { name: 'empty', files: 0 },
        { name: 'old', files: 1 },
      ],
      memory: true,
      ignored: false,
    });
  });

  test('a base of the person’s own choice, one that is not there yet, and a link in it', async () => {
    using fixture = repository();
    fixture.write('out/x/a.md', '');
    symlinkSync('/etc', fixture.path('out/x/etc'));
    symlinkSync('x', fixture.path('out/memory'));
    const workspace = await fixture.open();
    const found = await query(workspace, { docs_path: 'out/dark-mode/', slug: 'dark-mode' });
    expect(found).toMatchObject({
      base: 'out',
      folders: [
        { name: '.', files: 1 },
        { name: 'x', files: 2 },
      ],
      memory: false,
    });
    expect(await query(workspace)).toEqual({
      base: 'docs/baton',
      folders: [],
      memory: false,
      ignored: false,
    });
  });

  test('more folders than can be listed are summed up, and no file is left out of the count', async () => {
    using fixture = plainFolder();
    for (let n = 0; n < 60; n += 1) fixture.write(`docs/baton/run-${n + 100}/a.md`, '');
    const { folders } = await query(await fixture.open());
    expect(folders).toHaveLength(50);
    expect(folders.at(-1)).toEqual({ name: '… (+11)', files: 11 });
    expect(folders.reduce((sum, { files }) => sum + files, 0)).toBe(60);
  });

  test.each<[string, (fixture: Fixture) => void, boolean]>([
    ['the base by name', (one) => one.write('.gitignore', '/docs/baton/\n'), true],
    ['everything in it', (one) => one.write('.gitignore', 'docs/baton/*\n'), true],
    ['the base in the person’s own file', (one) => personalIgnore(one, 'baton/\n'), true],
    ['some of it', (one) => one.write('.gitignore', 'docs/baton/old/\n'), false],
    ['it all, but one file is tracked', trackOne, false],
    ['nothing of it', () => undefined, false],
  ])('git ignores %s', async (_, ignore, ignored) => {
    using fixture = repository();
    fill(fixture);
    ignore(fixture);
    expect(await query(await fixture.open())).toMatchObject({ ignored });
  });
});

function personalIgnore(fixture: Fixture, text: string): void {
  const folder = join(fixture.environment.HOME, '.config/git');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ignore'), text);
}

function trackOne(fixture: Fixture): void {
  fixture.write('.gitignore', 'docs/baton/\n');
  fixture.git(['add', '-f', 'docs/baton/old/spec.md']);
}

describe('wiping the output base', () => {
  test.each([
    ['a plain folder', plainFolder],
    ['a checkout', repository],
  ])('in %s removes it whole and nothing else, and is found again after a crash', async (_, make) => {
    using fixture = make();
    fill(fixture);
    const before = outside(fixture);
    const workspace = await fixture.open();
    expect(await workspace.lookup(wipe())).toBeNull();
    expect(await workspace.perform(wipe())).toEqual({ base: 'docs/baton' });
    expect(existsSync(fixture.path('docs/baton'))).toBe(false);
    expect(existsSync(fixture.path('docs'))).toBe(true);
    expect(outside(fixture)).toEqual(before);
    expect(await workspace.lookup(wipe())).toEqual({ base: 'docs/baton' });
    expect(await workspace.perform(wipe())).toEqual({ base: 'docs/baton' });
    expect(outside(fixture)).toEqual(before);
  });

  test('links in it go, what they lead to stays', async () => {
    using fixture = repository();
    fill(fixture);
    fixture.write('kept/file.txt', 'kept');
    const away = mkdtempSync(join(dirname(fixture.root), 'away-'));
    writeFileSync(join(away, 'theirs.txt'), 'theirs');
    symlinkSync(away, fixture.path('docs/baton/old/away'));
    symlinkSync('../../kept', fixture.path('docs/baton/kept'));
    symlinkSync('../../kept/file.txt', fixture.path('docs/baton/file'));
    symlinkSync('nowhere', fixture.path('docs/baton/dangling'));
    symlinkSync('.', fixture.path('docs/baton/loop'));
    await (await fixture.open()).perform(wipe());
    expect(existsSync(fixture.path('docs/baton'))).toBe(false);
    expect(readFileSync(join(away, 'theirs.txt'), 'utf8')).toBe('theirs');
    expect(readFileSync(fixture.path('kept/file.txt'), 'utf8')).toBe('kept');
  });

  test('index, history and branches are the person’s: tracked files only show as deleted', async () => {
    using fixture = repository();
    fill(fixture);
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'docs']);
    const before = personal(fixture);
    await (await fixture.open()).perform(wipe());
    const after = personal(fixture);
    expect([after.index, after.refs, after.stash]).toEqual([before.index, before.refs, before.stash]);
    expect(fixture.git(['status', '--porcelain']).match(/^ D docs\/baton\//gm)).toHaveLength(5);
  });

  test('names that are not UTF-8 go with the rest', async () => {
    using fixture = plainFolder();
    fill(fixture);
    const made = 'mkdir "$(printf "b\\\\377d")" && touch "$(printf "b\\\\377d")/x" "$(printf "\\\\376")"';
    execFileSync('sh', ['-c', made], { cwd: fixture.path('docs/baton') });
    const workspace = await fixture.open();
    expect((await query(workspace)).folders).toContainEqual({ name: '.', files: 2 });
    await workspace.perform(wipe());
    expect(existsSync(fixture.path('docs/baton'))).toBe(false);
  });

  test('a folder that may not be written is not forced: the error is told, and a repeat ends it', async () => {
    using fixture = plainFolder();
    fill(fixture);
    const workspace = await fixture.open();
    chmodSync(fixture.path('docs/baton/old'), 0o555);
    execFileSync('chmod', ['a+w', fixture.path('docs'), fixture.path('docs/baton')]);
    if (process.geteuid?.() === 0) execFileSync('chown', ['-R', '65534', fixture.root]);
    const refused = await asOtherUser(fixture, () => failureOf(workspace.perform(wipe())));
    expect(refused.code).toBe('io_failed');
    expect(existsSync(fixture.path('docs/baton/old/spec.md'))).toBe(true);
    expect(await workspace.lookup(wipe())).toBeNull();
    chmodSync(fixture.path('docs/baton/old'), 0o755);
    await workspace.perform(wipe());
    expect(await workspace.lookup(wipe())).toEqual({ base: 'docs/baton' });
  });
});

describe('what is refused, with everything left as it was', () => {
  test.each<[string, string]>([
    ['', 'empty'],
    ['.', 'empty'],
    ['/', 'absolute'],
    ['..', 'parent_segment'],
    ['docs/baton/../..', 'parent_segment'],
    ['docs', 'docs_not_namespace'],
    ['docs/other', 'docs_not_namespace'],
    ['memory', 'reserved_name'],
    ['.git', 'reserved_name'],
    ['src/.git/refs', 'protected'],
    ['docs//baton', 'level'],
    ['docs/baton/', 'level'],
    ['./src', 'level'],
    ['docs\\baton', 'level'],
    ['src/a.ts', 'not_a_folder'],
  ])('base %j by rule %s', async (base, rule) => {
    using fixture = repository();
    fill(fixture);
    const before = contents(fixture.root, true);
    const workspace = await fixture.open();
    for (const run of [() => workspace.perform(wipe(base)), () => workspace.lookup(wipe(base))]) {
      const { code, detail } = await failureOf(run());
      expect([code, detail]).toEqual(['guard_refused', expect.stringContaining(`rule ${rule}`)]);
    }
    expect(contents(fixture.root, true)).toEqual(before);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a blank slug', { docs_path: 'docs/baton/ /', slug: ' ' }],
    ['memory', { docs_path: 'docs/baton/memory/', slug: 'memory' }],
    ['dots', { docs_path: 'docs/baton/../', slug: '..' }],
    ['docs_path that is its own base', { docs_path: 'docs/baton', slug: 'baton' }],
    ['another slug', { docs_path: 'docs/baton/dark-mode/', slug: 'mode' }],
    ['docs_path in the root', { docs_path: 'dark-mode/', slug: 'dark-mode' }],
  ])('looking with %s', async (_, input) => {
    using fixture = repository();
    fill(fixture);
    expect((await failureOf(query(await fixture.open(), input))).code).toBe('guard_refused');
  });

  test.each(['docs', 'docs/baton'])('%s is a link, although it leads into the tree', async (name) => {
    using fixture = repository();
    fill(fixture);
    mkdirSync(fixture.path('elsewhere'));
    renameSync(fixture.path(name), fixture.path('elsewhere/moved'));
    symlinkSync(fixture.path('elsewhere/moved'), fixture.path(name));
    const before = contents(fixture.root, true);
    const workspace = await fixture.open();
    for (const run of [
      () => query(workspace),
      () => workspace.perform(wipe()),
      () => workspace.lookup(wipe()),
    ]) {
      expect(await failureOf(run())).toMatchObject({
        code: 'guard_refused',
        detail: expect.stringContaining('rule link'),
      });
    }
    expect(contents(fixture.root, true)).toEqual(before);
  });

  test.each(['docs/baton/.git', 'docs/baton/old/deep/.GIT'])('a repository below it: %s', async (name) => {
    using fixture = plainFolder();
    fill(fixture);
    fixture.write(`${name}/HEAD`, 'ref: refs/heads/main\n');
    const before = contents(fixture.root, true);
    const workspace = await fixture.open();
    expect((await failureOf(query(workspace))).code).toBe('guard_refused');
    expect((await failureOf(workspace.perform(wipe()))).code).toBe('guard_refused');
    expect(contents(fixture.root, true)).toEqual(before);
  });

  test('the repository’s own git directory lies in it', async () => {
    using fixture = repository();
    fill(fixture);
    fixture.git(['init', '-q', '--separate-git-dir', fixture.path('docs/baton/store')]);
    const workspace = await fixture.open();
    const before = head(fixture);
    expect((await failureOf(query(workspace))).code).toBe('guard_refused');
    expect((await failureOf(workspace.perform(wipe()))).code).toBe('guard_refused');
    expect(head(fixture)).toBe(before);
  });

  test('a tree of the run’s own knows neither the look nor the write', async () => {
    using fixture = repository();
    const tree = await opened(fixture);
    expect((await failureOf(tree.query({ what: 'output_base', input: DOCS }, keep))).code).toBe(
      'unknown_query',
    );
    expect((await failureOf(tree.perform(wipe()))).code).toBe('unknown_op');
  });
});
