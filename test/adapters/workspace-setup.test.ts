import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import type { FoundSetup } from '../../src/adapters/workspace/documents/setup.ts';
import {
  type Fixture,
  failureOf,
  keep,
  plainFolder,
  recordGit,
  repository,
  unbornRepository,
} from './workspace-fixture.ts';

const DOCS = 'docs/baton/dark-mode';
const BRANCH = 'baton/spec-dark-mode';

async function setup(fixture: Fixture, branch: string | null = BRANCH, docs_path = `${DOCS}/`) {
  const workspace = await fixture.open();
  const input = { slug: 'dark-mode', docs_path, branch };
  return (await workspace.query({ what: 'setup', input }, keep)) as FoundSetup;
}

function commitOn(fixture: Fixture, branch: string, file: string) {
  fixture.git(['checkout', '-q', '-b', branch]);
  fixture.write(file, 'x\n');
  fixture.git(['add', file]);
  fixture.git(['commit', '-q', '-m', branch]);
  fixture.git(['checkout', '-q', 'main']);
}

describe('taken slugs', () => {
  test.each(['spec.md', 'qa_notes.md', 'critic_findings.md', 'conventions.md'])(
    '%s in the folder',
    async (name) => {
      using fixture = plainFolder();
      fixture.write(`${DOCS}/${name}`, 'old\n');
      expect(await setup(fixture, null)).toEqual({ taken: [name], siblings: ['dark-mode'], branch: null });
    },
  );

  test('an unrelated file takes nothing', async () => {
    using fixture = plainFolder();
    fixture.write(`${DOCS}/notes.txt`, 'old\n');
    expect((await setup(fixture, null)).taken).toEqual([]);
  });

  test('documents that are only on HEAD or only on the branch of that name count', async () => {
    using fixture = repository();
    commitOn(fixture, BRANCH, `${DOCS}/spec.md`);
    fixture.write(`${DOCS}/qa_notes.md`, 'x\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'notes']);
    fixture.git(['rm', '-q', '-r', '--cached', 'docs']);
    fixture.write('.gitignore', 'docs\n');
    expect((await setup(fixture)).taken).toEqual(['spec.md', 'qa_notes.md']);
  });

  test('siblings are the folders of the namespace in the checkout, on HEAD and on the branch', async () => {
    using fixture = repository();
    commitOn(fixture, BRANCH, 'docs/baton/on branch/spec.md');
    fixture.write('docs/baton/커밋/spec.md', 'x\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'more']);
    fixture.write('docs/baton/here/spec.md', 'x\n');
    fixture.write('docs/baton/file.md', 'x\n');
    expect((await setup(fixture)).siblings).toEqual(['here', 'on branch', '커밋'].sort());
  });
});

describe('WF-22 branch name', () => {
  test('WF-22 an absent branch keeps its name', async () => {
    using fixture = repository();
    const base = fixture.git(['rev-parse', 'HEAD']).trim();
    expect((await setup(fixture)).branch).toEqual({ name: BRANCH, base });
    expect(fixture.git(['branch', '--format=%(refname:short)']).trim()).toBe('main');
  });

  test('WF-22 a branch without commits beyond the base is used again, also one left behind', async () => {
    using fixture = repository();
    fixture.git(['branch', BRANCH]);
    expect((await setup(fixture)).branch?.name).toBe(BRANCH);
    fixture.git(['commit', '-q', '--allow-empty', '-m', 'second']);
    expect((await setup(fixture)).branch?.name).toBe(BRANCH);
  });

  test('WF-22 a branch with commits gives the first free suffix', async () => {
    using fixture = repository();
    commitOn(fixture, BRANCH, 'a');
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-2`);
    commitOn(fixture, `${BRANCH}-2`, 'b');
    commitOn(fixture, `${BRANCH}-4`, 'c');
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-3`);
  });

  test('WF-22 without git there is no branch and no git call', async () => {
    using fixture = plainFolder();
    const { environment, log } = recordGit(fixture);
    const workspace = await openWorkspace({ root: fixture.root, namespace: 'baton', environment });
    expect((await workspace.facts()).git).toBeNull();
    expect(readFileSync(log, 'utf8')).toContain('rev-parse --is-inside-work-tree');
    writeFileSync(log, '');
    const input = { slug: 'dark-mode', docs_path: DOCS, branch: null };
    expect(await workspace.query({ what: 'setup', input }, keep)).toMatchObject({ branch: null });
    const files = [{ name: 'spec.md', text: 'x\n' }];
    const write = {
      docs_path: DOCS,
      branch: null,
      base: null,
      in_place: false,
      files,
      message: 'x',
      overwrite: false,
    };
    await workspace.perform({ op: 'write_documents', effect: 'sp-1/1/0', input: write });
    expect(readFileSync(log, 'utf8')).toBe('');
  });

  test('a branch that is checked out, here or in another tree, is never used', async () => {
    using fixture = repository();
    fixture.git(['checkout', '-q', '-b', BRANCH]);
    fixture.git(['worktree', 'add', '-q', '-b', `${BRANCH}-2`, join(fixture.environment.HOME, 'tree')]);
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-3`);
  });

  test('an unborn HEAD has no base; its own unborn branch is not used', async () => {
    using fixture = unbornRepository();
    expect((await setup(fixture)).branch).toEqual({ name: BRANCH, base: null });
    fixture.git(['checkout', '-q', '-b', BRANCH]);
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-2`);
  });

  test('a branch below the name gives a suffix, a branch in the way of the namespace is refused', async () => {
    using fixture = repository();
    fixture.git(['branch', `${BRANCH}/more`]);
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-2`);
    using blocked = repository();
    blocked.git(['branch', 'baton']);
    expect((await failureOf(setup(blocked))).code).toBe('branch_blocked');
  });

  test('a branch in the way is refused where HEAD is unborn too', async () => {
    using fixture = repository();
    fixture.git(['branch', 'baton']);
    fixture.git(['checkout', '-q', '--orphan', 'fresh']);
    expect((await failureOf(setup(fixture))).code).toBe('branch_blocked');
  });

  test('a detached HEAD takes no branch, one left in a linked tree takes its own', async () => {
    using fixture = repository();
    fixture.git(['branch', BRANCH]);
    fixture.git(['checkout', '-q', '--detach']);
    expect((await setup(fixture)).branch?.name).toBe(BRANCH);
    fixture.git(['worktree', 'add', '-q', join(fixture.environment.HOME, 'tree'), BRANCH]);
    expect((await setup(fixture)).branch?.name).toBe(`${BRANCH}-2`);
  });

  test.each(['main', 'other/spec-x', 'baton/..', 'baton/a b', 'baton/-x~1'])(
    '%s is not ours to use',
    async (name) => {
      using fixture = repository();
      expect((await failureOf(setup(fixture, name))).code).toBe('guard_refused');
    },
  );
});

test('a place the documents could not be written to is refused at setup', async () => {
  using plain = plainFolder();
  mkdirSync(plain.path('elsewhere'));
  symlinkSync('elsewhere', plain.path('docs'));
  expect((await failureOf(setup(plain, null))).code).toBe('guard_refused');
  using tracked = repository();
  symlinkSync('elsewhere', tracked.path('docs'));
  tracked.git(['add', '.']);
  tracked.git(['commit', '-q', '-m', 'link']);
  expect((await failureOf(setup(tracked))).code).toBe('guard_refused');
});

test.each(['docs', 'docs/baton', DOCS])(
  'a file committed as %s is refused, also where it is gone',
  async (file) => {
    using fixture = repository();
    fixture.write(file, 'x\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'in the way']);
    fixture.git(['rm', '-q', '--cached', file]);
    rmSync(fixture.path(file));
    expect(await failureOf(setup(fixture))).toMatchObject({ code: 'guard_refused' });
  },
);

test('a commit that cannot be read is told, and not taken for an empty one', async () => {
  using fixture = repository();
  fixture.write('docs/a.md', 'x\n');
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'docs']);
  const tree = fixture.git(['rev-parse', 'HEAD:docs']).trim();
  rmSync(fixture.path(`.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`));
  expect((await failureOf(setup(fixture))).code).toBe('git_failed');
});
