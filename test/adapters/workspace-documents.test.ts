import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { createLedger, writeNoted } from '../../src/adapters/workspace/documents/ledger.ts';
import { sha256 } from '../../src/files/real-files.ts';
import type { RealPath } from '../../src/files/real-path.ts';
import { asOtherUser, failureOf, plainFolder, repository } from './workspace-fixture.ts';

const DOCS = 'docs/baton/dark-mode';
const FILES = [
  { name: 'spec.md', text: '# 명세\n' },
  { name: 'qa_notes.md', text: 'q1: a1\n' },
];
const INPUT = {
  docs_path: `${DOCS}/`,
  branch: null as string | null,
  base: null as string | null,
  in_place: false,
  files: FILES,
  message: 'spec: dark mode',
  overwrite: false,
};
const op = (input: Partial<typeof INPUT> & { readonly slug?: string } = {}, effect = 'sp-3aa/7/0') => ({
  op: 'write_documents',
  effect,
  input: { ...INPUT, ...input },
});
const RESULT = { files: [`${DOCS}/spec.md`, `${DOCS}/qa_notes.md`] };

/** Every name with its bytes or link target, so that any change shows. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const at = join(entry.parentPath, entry.name);
      return `${at} ${entry.isFile() ? sha256(readFileSync(at)) : entry.isDirectory() ? 'folder' : 'other'}`;
    })
    .sort();
}

describe('documents as files', () => {
  test('one of ours that a killed process was about to replace is still ours; an old text of ours is not, once replaced', async () => {
    using fixture = plainFolder();
    const state = join(dirname(fixture.root), 'state');
    const workspace = await openWorkspace({ root: fixture.root, namespace: 'baton', state });
    const own = (text: string, effect: string) => ({
      ...op({}, effect),
      input: { ...INPUT, files: [{ name: 'spec.md', text }], overwrite: true, own_only: true },
    });
    await workspace.perform(own('first\n', 'de-1/1/0'));
    const ledger = createLedger(join(state, 'documents') as RealPath);
    const killed = writeNoted({ ledger, namespace: 'baton' }, own('second\n', '').input, () =>
      Promise.reject(new Error('killed')),
    );
    await expect(killed).rejects.toThrow('killed');
    expect(await workspace.perform(own('second\n', 'de-1/2/0'))).toEqual({ files: [`${DOCS}/spec.md`] });
    expect(readFileSync(fixture.path(`${DOCS}/spec.md`), 'utf8')).toBe('second\n');
    writeFileSync(fixture.path(`${DOCS}/spec.md`), 'first\n');
    const refused = await failureOf(workspace.perform(own('third\n', 'de-1/3/0')));
    expect(refused).toMatchObject({ code: 'documents_exist' });
  });

  test('are written whole, and a second time nothing changes', async () => {
    using fixture = plainFolder('my 프로젝트');
    const workspace = await fixture.open();
    expect(await workspace.lookup(op())).toBeNull();
    expect(await workspace.perform(op())).toEqual(RESULT);
    expect(readdirSync(fixture.path(DOCS)).sort()).toEqual(['qa_notes.md', 'spec.md']);
    expect(readFileSync(fixture.path(`${DOCS}/spec.md`), 'utf8')).toBe('# 명세\n');
    const before = contents(fixture.root);
    expect(await workspace.lookup(op())).toEqual(RESULT);
    expect(await workspace.perform(op())).toEqual(RESULT);
    expect(contents(fixture.root)).toEqual(before);
  });

  test('in place in a repository they are files and git has no new branch or commit', async () => {
    using fixture = repository();
    const head = fixture.git(['for-each-ref']);
    const workspace = await fixture.open();
    await workspace.perform(op({ branch: 'baton/spec-dark-mode', in_place: true }));
    expect(fixture.git(['status', '--porcelain', '-uall'])).toBe(
      `?? ${DOCS}/qa_notes.md\n?? ${DOCS}/spec.md\n`,
    );
    expect(fixture.git(['for-each-ref'])).toBe(head);
  });

  test('a repeat after an interrupted try writes what is missing and leaves no part behind', async () => {
    using fixture = plainFolder();
    const workspace = await fixture.open();
    fixture.write(`${DOCS}/spec.md`, '# 명세\n');
    const tag = sha256('sp-3aa/7/0').slice(7, 15);
    fixture.write(`${DOCS}/.qa_notes.md.${tag}.part`, 'q1');
    expect(await workspace.lookup(op())).toBeNull();
    expect(await workspace.perform(op())).toEqual(RESULT);
    expect(readdirSync(fixture.path(DOCS)).sort()).toEqual(['qa_notes.md', 'spec.md']);
  });

  test('an existing document with other content stops everything unless it may be replaced', async () => {
    using fixture = plainFolder();
    const workspace = await fixture.open();
    fixture.write(`${DOCS}/qa_notes.md`, 'older\n');
    const before = contents(fixture.root);
    const failure = await failureOf(workspace.perform(op()));
    expect(failure).toMatchObject({ code: 'documents_exist', retry: 'permanent' });
    expect(failure.detail).toContain(`${DOCS}/qa_notes.md`);
    expect(contents(fixture.root)).toEqual(before);
    expect(await workspace.perform(op({ overwrite: true }))).toEqual(RESULT);
    expect(readFileSync(fixture.path(`${DOCS}/qa_notes.md`), 'utf8')).toBe('q1: a1\n');
  });
});

describe('WF-69 the guard', () => {
  const attacks: [string, string, string][] = [
    ['a blank slug', 'docs/baton/ /', 'slug_blank'],
    ['memory', 'docs/baton/memory', 'slug_memory'],
    ['memory in capitals', 'docs/baton/MEMORY/', 'slug_memory'],
    ['a dot', 'docs/baton/.', 'slug_dots'],
    ['two dots', 'docs/baton/..', 'parent_segment'],
    ['two dots on the way', 'docs/baton/../baton/x', 'parent_segment'],
    ['dots in the slug', 'docs/baton/a..b', 'slug_dots'],
    ['the base itself', 'docs/baton', 'level'],
    ['the base with a slash', 'docs/baton/', 'level'],
    ['nothing', '', 'empty'],
    ['two levels', 'docs/baton/a/b', 'level'],
    ['a backslash', 'docs/baton/a\\b', 'level'],
    ['an absolute path', '/docs/baton/x', 'absolute'],
    ['another base', 'notes/x', 'level'],
    ['another folder of docs', 'docs/other/x', 'docs_not_namespace'],
    ['the git directory', '.git/baton/x', 'reserved_name'],
  ];

  test.each(attacks)('WF-69 refuses %s and changes nothing', async (_, docs_path, rule) => {
    using fixture = repository();
    fixture.write('docs/baton/old/spec.md', 'old\n');
    const before = contents(dirname(fixture.root));
    const workspace = await fixture.open();
    for (const input of [{ docs_path }, { docs_path, branch: 'baton/spec-x' }]) {
      const failure = await failureOf(workspace.perform(op({ ...input, overwrite: true })));
      expect(failure.code).toBe('guard_refused');
      expect(failure.detail).toContain(`rule ${rule}`);
    }
    expect(contents(dirname(fixture.root))).toEqual(before);
  });

  test.each([
    ['of another run', 'docs/baton/old', 'x', 'level'],
    ['that is the base', 'docs/baton', 'x', 'level'],
    ['that is its own base', 'docs/baton', 'baton', 'docs_not_namespace'],
    ['without a base', 'build', 'build', 'level'],
    ['that ends like the slug', 'build/old-x', 'x', 'level'],
    ['of a blank slug', 'build/ ', ' ', 'slug_blank'],
    ['of no slug', 'build/x', '', 'slug_blank'],
    ['of the slug memory', 'build/memory', 'memory', 'slug_memory'],
    ['of a slug with dots', 'build/a..b', 'a..b', 'slug_dots'],
    ['of a slug of two levels', 'build/a/b', 'a/b', 'level'],
  ])(
    'WF-69 refuses a folder %s where the slug is known, and changes nothing',
    async (_, docs_path, slug, rule) => {
      using fixture = repository();
      fixture.write('docs/baton/old/spec.md', 'old\n');
      const before = contents(dirname(fixture.root));
      const write = op({ docs_path, slug, overwrite: true });
      const failure = await failureOf((await fixture.open()).perform(write));
      expect([failure.code, failure.detail]).toEqual([
        'guard_refused',
        expect.stringContaining(`rule ${rule}`),
      ]);
      expect(contents(dirname(fixture.root))).toEqual(before);
    },
  );

  test.each([
    ['docs_path', DOCS],
    ['its base', 'docs/baton'],
    ['docs', 'docs'],
  ])('WF-69 refuses a symlinked %s, inside the tree or out of it', async (_, linked) => {
    for (const target of ['inside', '../home']) {
      using fixture = plainFolder();
      mkdirSync(fixture.path('inside'));
      mkdirSync(dirname(fixture.path(linked)), { recursive: true });
      symlinkSync(join(fixture.root, target), fixture.path(linked));
      const before = contents(dirname(fixture.root));
      const failure = await failureOf((await fixture.open()).perform(op()));
      expect(failure).toMatchObject({ code: 'guard_refused', detail: `${DOCS}: refused by rule link` });
      expect(contents(dirname(fixture.root))).toEqual(before);
    }
  });

  test('WF-69 refuses a file in place of the folder, and a link or folder in place of a document', async () => {
    using fixture = plainFolder();
    const workspace = await fixture.open();
    fixture.write('docs/baton', 'a file');
    expect((await failureOf(workspace.perform(op()))).detail).toContain('rule not_a_folder');
    rmSync(fixture.path('docs/baton'));
    fixture.write('victim.md', 'mine\n');
    mkdirSync(fixture.path(DOCS), { recursive: true });
    symlinkSync('../../../victim.md', fixture.path(`${DOCS}/qa_notes.md`));
    expect((await failureOf(workspace.perform(op({ overwrite: true })))).detail).toContain('rule link');
    rmSync(fixture.path(`${DOCS}/qa_notes.md`));
    mkdirSync(fixture.path(`${DOCS}/qa_notes.md`));
    expect((await failureOf(workspace.perform(op({ overwrite: true })))).detail).toContain('rule not_a_file');
    expect(existsSync(fixture.path(`${DOCS}/spec.md`))).toBe(false);
    expect(readFileSync(fixture.path('victim.md'), 'utf8')).toBe('mine\n');
  });

  test.each(['', ' ', '..', '../x.md', 'a/b.md', 'a\\b.md', '.git', '.hidden', 'a\nb'])(
    'WF-69 refuses the document name %j',
    async (name) => {
      using fixture = repository();
      const workspace = await fixture.open();
      const before = contents(dirname(fixture.root));
      for (const branch of [null, 'baton/spec-x']) {
        const failure = await failureOf(workspace.perform(op({ branch, files: [{ name, text: 'x' }] })));
        expect(failure.detail).toContain('rule file_name');
      }
      expect(contents(dirname(fixture.root))).toEqual(before);
    },
  );
});

describe('append_file', () => {
  const append = (path: string, line = 'hello') => ({
    op: 'append_file',
    effect: 'pr-1/2/0',
    input: { path, line },
  });

  test('adds one line with the effect, which a lookup finds', async () => {
    using fixture = plainFolder();
    const workspace = await fixture.open();
    fixture.write('log.txt', 'pr-1/2/01 other\n');
    expect(await workspace.lookup(append('log.txt'))).toBeNull();
    expect(await workspace.perform(append('log.txt'))).toEqual({ path: 'log.txt' });
    expect(readFileSync(fixture.path('log.txt'), 'utf8')).toBe('pr-1/2/01 other\npr-1/2/0 hello\n');
    expect(await workspace.lookup(append('log.txt'))).toEqual({ path: 'log.txt' });
  });

  test('never leaves the tree and never follows a link', async () => {
    using fixture = plainFolder();
    const workspace = await fixture.open();
    const outside = join(fixture.environment.HOME, 'log.txt');
    writeFileSync(outside, '');
    symlinkSync(outside, fixture.path('log.txt'));
    symlinkSync(fixture.environment.HOME, fixture.path('home'));
    expect((await failureOf(workspace.perform(append('../home/log.txt')))).code).toBe('path_refused');
    expect((await failureOf(workspace.perform(append('log.txt')))).code).toBe('guard_refused');
    expect((await failureOf(workspace.perform(append('home/log.txt')))).code).toBe('guard_refused');
    expect((await failureOf(workspace.perform(append('a.txt', 'x\ny')))).code).toBe('guard_refused');
    expect(readFileSync(outside, 'utf8')).toBe('');
  });
});

test('file_hash is the hash of a regular file and null for anything else', async () => {
  using fixture = plainFolder();
  const workspace = await fixture.open();
  fixture.write('a.txt', 'text');
  symlinkSync('a.txt', fixture.path('b.txt'));
  const hash = (path: string) =>
    workspace.query({ what: 'file_hash', input: { path } }, () => Promise.reject());
  expect(await hash('a.txt')).toBe(sha256('text'));
  expect(await hash('b.txt')).toBeNull();
  expect(await hash('none/c.txt')).toBeNull();
  expect((await failureOf(hash('../a.txt'))).code).toBe('path_refused');
});

test('a folder that may not be written to is an input or output failure', async () => {
  using fixture = plainFolder();
  const workspace = await fixture.open();
  chmodSync(fixture.root, 0o555);
  expect((await asOtherUser(fixture, () => failureOf(workspace.perform(op())))).code).toBe('io_failed');
});
