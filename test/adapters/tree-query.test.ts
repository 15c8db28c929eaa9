import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { altersChecks } from '../../src/adapters/workspace/changes/alters-checks-table.ts';
import { sha256 } from '../../src/files/real-files.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { changeSet, checkoutOf, DOCS, edit, op, opened, project, put, shelf } from './tree-fixture.ts';
import { type Fixture, failureOf, lines, plainFolder } from './workspace-fixture.ts';

const TREES: [string, () => Fixture, (fixture: Fixture) => Promise<Workspace>][] = [
  ['a clone', project, (fixture) => opened(fixture)],
  ['the checkout', project, started],
  ['a folder without git', plainFolder, started],
];

async function started(fixture: Fixture): Promise<Workspace> {
  const tree = await checkoutOf(fixture);
  await tree.perform(op('open_tree', { base: null, branch: null }, 'de-7k2/1/0'));
  return tree;
}

describe.each(TREES)('looking at %s', (_, make, open) => {
  test('a worker’s change outside the scope is named whatever the worker says, without a scope none is', async () => {
    using fixture = make();
    const tree = await open(fixture);
    put(tree, 'src/ok.ts', 'x');
    put(tree, 'lib/sneaky.ts', 'x');
    const scoped = await changeSet(tree, { scope: ['src/**'] });
    expect(scoped.created).toEqual(['lib/sneaky.ts', 'src/ok.ts']);
    expect(scoped.outside).toEqual([{ path: 'lib/sneaky.ts', code: 'outside_scope' }]);
    expect((await changeSet(tree, { scope: null })).outside).toEqual([]);
    expect((await changeSet(tree, { scope: [] })).outside).toHaveLength(2);
  });

  test('the lines that came and went are counted with git, for texts, under any name, and shown', async () => {
    using fixture = make();
    const tree = await open(fixture);
    put(tree, 'src/a.ts', 'one\ntwo\n');
    put(tree, 'src/new ü.ts', 'one\ntwo');
    put(tree, 'big.bin', Buffer.from([0, 1, 2]));
    rmSync(join(tree.root, 'run.sh'), { force: true });
    const { lines: counted, deleted } = await changeSet(tree);
    if (make === plainFolder) expect(counted).toBeNull();
    else
      expect({ counted, deleted }).toEqual({
        counted: {
          'src/a.ts': { added: 2, removed: 1 },
          'src/new ü.ts': { added: 2, removed: 0 },
          'run.sh': { added: 0, removed: expect.any(Number) },
        },
        deleted: ['run.sh'],
      });
  });

  test('WF-46 WF-48: too many files, markers and files that alter the checks are told', async () => {
    using fixture = make();
    const tree = await open(fixture);
    put(tree, 'src/a2.ts', 'fine\n  // TODO: later\nTODOS are words\nconst x = 1; // FIXME HACK\n');
    put(tree, 'package.json', '{}');
    put(tree, '.github/workflows/ci.yml', 'on: push');
    put(tree, 'big.bin', Buffer.from([0, 84, 79, 68, 79]));
    expect(await changeSet(tree, { max_files: 4 })).toMatchObject({
      too_many: false,
      alters_checks: ['.github/workflows/ci.yml', 'package.json'],
      todo: [
        { path: 'src/a2.ts', line: 2, text: '// TODO: later' },
        { path: 'src/a2.ts', line: 4, text: 'const x = 1; // FIXME HACK' },
      ],
    });
    expect((await changeSet(tree, { max_files: 3 })).too_many).toBe(true);
    expect((await failureOf(changeSet(tree, { since: 'never' }))).code).toBe('no_such_snapshot');
  });

  test('documents of an earlier run are handed over; a missing one is silent, an unreadable one is named', async () => {
    using fixture = make();
    const tree = await open(fixture);
    put(tree, `${DOCS}/qa_notes.md`, 'notes\n');
    put(tree, `${DOCS}/spec.md`, '# spec\n');
    put(tree, `${DOCS}/conventions.md`, Buffer.from([0xff, 0xfe, 0]));
    symlinkSync('spec.md', join(tree.root, DOCS, 'critic_findings.md'));
    const { keep, texts } = shelf();
    const query = { what: 'handover', input: { docs_path: `${DOCS}/` } };
    expect(await tree.query(query, keep)).toEqual({
      qa_notes: sha256('notes\n'),
      critic_findings: null,
      conventions: null,
      spec: sha256('# spec\n'),
      unreadable: ['critic_findings.md', 'conventions.md'],
    });
    expect([...texts.values()].sort()).toEqual(['# spec\n', 'notes\n']);
    rmSync(join(tree.root, DOCS), { recursive: true });
    expect(await tree.query(query, keep)).toMatchObject({ qa_notes: null, unreadable: [] });
    const base = { what: 'handover', input: { docs_path: 'docs/baton' } };
    expect((await failureOf(tree.query(base, keep))).code).toBe('guard_refused');
  });
});

test('WF-48: documents may lie below another base where the run’s slug is known, are protected there too, and their markers do not count', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  const docs = { docs_path: 'build/notes/dark-mode/', slug: 'dark-mode' };
  const files = [{ name: 'spec.md', text: '# spec\nTODO is what it is about\n' }];
  const where = { branch: null, base: null, in_place: true, message: '', overwrite: true };
  await tree.perform(op('write_documents', { ...docs, ...where, files }));
  const found = await tree.query({ what: 'handover', input: docs }, shelf().keep);
  expect(found).toMatchObject({ spec: sha256(files[0]?.text ?? '') });
  const changes = () =>
    tree.query(
      { what: 'change_set', input: { since: 'start', scope: null, max_files: 9, ...docs } },
      shelf().keep,
    );
  expect(await changes()).toMatchObject({ created: [], outside: [], todo: [] });
  put(tree, 'build/notes/dark-mode/spec.md', 'approved!');
  const outside = [{ path: 'build/notes/dark-mode/spec.md', code: 'protected' }];
  expect(await changes()).toMatchObject({ outside });
  await tree.perform(op('clean_up', { ...docs, remove: ['spec.md'], commit: null }));
  expect(await changes()).toMatchObject({ created: [], outside: [] });
  for (const wrong of [
    'build/notes',
    'dark-mode',
    'build/notes/other',
    '.git/dark-mode',
    'docs/other/dark-mode',
  ]) {
    const clean = op('clean_up', { docs_path: wrong, slug: 'dark-mode', remove: ['spec.md'] });
    expect((await failureOf(tree.perform(clean))).code).toBe('guard_refused');
  }
});

test('conventions and references are read from the run’s tree, not from the person’s folder', async () => {
  using fixture = project();
  fixture.write('CLAUDE.md', lines(60, 'rule'));
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'rules']);
  const tree = await opened(fixture);
  fixture.write('CLAUDE.md', lines(70, 'dirty'));
  const query = { what: 'conventions', input: { reference: null, reference_hash: null } };
  const found = await tree.query(query, shelf().keep);
  expect(found).toEqual({ source: 'claude_md', artefact: sha256(lines(60, 'rule')), lines: 60 });
  expect(await tree.checkReference('CLAUDE.md')).toMatchObject({ ok: true, text: lines(60, 'rule') });
});

test('a mark of a clone sees contents, rights and control files, and not a file written again the same', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  const fingerprint = await tree.fingerprint();
  put(tree, 'src/a.ts', 'export const a = 1;\n');
  fixture.git(['status'], tree.root);
  expect(await tree.changedSince(fingerprint)).toEqual([]);
  edit(tree);
  fixture.git(['add', '.'], tree.root);
  expect(await tree.changedSince(fingerprint)).toEqual(['run.sh', 'src/a.ts', 'src/new ü.ts']);
  fixture.git(['commit', '-q', '-m', 'x'], tree.root);
  expect(await tree.changedSince(fingerprint)).toContain('.git/refs/heads/baton/deliver-dark-mode');
  mkdirSync(join(tree.root, 'empty'));
  await tree.restore('start');
  expect(await tree.changedSince(fingerprint)).toEqual([]);
});

test.each([
  ['package.json', true],
  ['sub/tsconfig.build.json', true],
  ['.github/workflows/x.yml', true],
  ['baton.yaml', true],
  ['scripts/run-tests.sh', true],
  ['test/conftest.py', true],
  ['eslint.config.mjs', true],
  ['src/app.ts', false],
  ['unittest/__main__.py', true],
  ['pytest.py', true],
  ['.yarn/releases/yarn.cjs', true],
  ['.mvn/jvm.config', true],
  ['docs/unittest/guide.md', false],
  ['docs/package.md', false],
  ['src/test/app.test.ts', false],
])('%s alters how the project is checked: %s', (path, expected) => {
  expect(altersChecks(path)).toBe(expected);
});
