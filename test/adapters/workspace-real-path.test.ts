import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { validatePath } from '../../src/engine/paths.ts';
import { appendText, openFile, replaceFile } from '../../src/files/real-files.ts';
import { child, realFolder, resolvePath } from '../../src/files/real-path.ts';
import { plainFolder } from './workspace-fixture.ts';

const FOLDER = new URL('../../src/adapters/', import.meta.url).pathname;
/** Adapters that work in the tree of a person or a worker. */
const GUARDED = /^(?:git|host-git|workspace)\//;
/** Reads which processes of git run; what it takes of a tree it takes by real paths. */
const PROCESSES = 'git/locks.ts';

test('WF-77 only the files that make or take real paths reach the file system', () => {
  const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (name) => GUARDED.test(name) && name.endsWith('.ts'),
  );
  const reaching = sources.filter((name) =>
    /^import (?!type )[^;]*from '(?:node:fs|.*\/files\/whole-file)/m.test(
      readFileSync(join(FOLDER, name), 'utf8'),
    ),
  );
  const allowed = ['git/git-files.ts', 'workspace/snapshots/survey.ts'];
  expect(reaching.filter((name) => name !== PROCESSES).sort()).toEqual(allowed);
});

test('WF-77 the list of processes is read from /proc alone', () => {
  const source = readFileSync(join(FOLDER, PROCESSES), 'utf8');
  const [, names = ''] = /^import \{ ([^}]*) \} from 'node:fs\/promises'/m.exec(source) ?? [];
  const calls = source.match(new RegExp(`\\b(?:${names.replaceAll(', ', '|')})\\(.{6}`, 'g')) ?? [];
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter((call) => !/\(['`]\/proc$/.test(call))).toEqual([]);
});

test('WF-77 a file operation takes a real path; a raw or only lexically checked one does not compile', async () => {
  using fixture = plainFolder();
  fixture.write('a.md', 'text');
  const lexical = validatePath('a.md', 'spec_input', { namespace: 'baton' });
  if (!lexical.ok) throw new Error(lexical.code);
  const refused = [
    // @ts-expect-error a raw string is no real path
    () => openFile('a.md'),
    // @ts-expect-error a lexical path is no real path
    () => openFile(lexical.path),
    // @ts-expect-error a raw string is no real path
    () => appendText('a.md', 'x'),
    // @ts-expect-error a raw string is no real path
    () => replaceFile('docs', 'a.md', 'x', 'tag'),
  ];
  expect(refused).toHaveLength(4);
  const real = await resolvePath(await realFolder(fixture.root), lexical.path);
  if (!real.ok) throw new Error(real.rule);
  await using handle = await openFile(real.path);
  expect(await handle.readFile('utf8')).toBe('text');
});

test.each(['output_dir', 'file_reference', 'diff_target', 'spec_input'] as const)(
  'a symlink inside the repository to outside is refused at the real-path check for %s',
  async (kind) => {
    using fixture = plainFolder();
    symlinkSync(fixture.environment.HOME, fixture.path('out'));
    const root = await realFolder(fixture.root);
    const [leaf, below] = ['out', 'out/x.md'].map((path) => validatePath(path, kind, { namespace: 'baton' }));
    if (!leaf?.ok || !below?.ok) throw new Error('refused too early');
    expect(await resolvePath(root, leaf.path)).toEqual({ ok: false, rule: 'link' });
    expect(await resolvePath(root, below.path)).toEqual({ ok: false, rule: 'linked_parent' });
  },
);

test.each(['', '.', '..', 'a/b', 'a\0b'])('a step down by the name %j is refused', async (name) => {
  using fixture = plainFolder();
  const root = await realFolder(fixture.root);
  expect(() => child(root, name)).toThrow('path_refused');
});
