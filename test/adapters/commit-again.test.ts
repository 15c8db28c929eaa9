import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HookRoom } from '../../src/ports/hook-room.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import {
  changeSet,
  checkoutOf,
  contents,
  DOCS,
  EDITS,
  edit,
  head,
  op,
  opened,
  project,
  put,
  roomOf,
  shelf,
  stateOf,
} from './tree-fixture.ts';
import { type Fixture, failureOf } from './workspace-fixture.ts';

const PATHS = Object.values(EDITS).flat();

interface Done {
  commit: string;
  skipped: { path: string; why: string }[];
}

function commit(more: Record<string, unknown> = {}, effect?: string) {
  return op('commit', { paths: PATHS, documents: [], all: false, message: 'deliver: dark', ...more }, effect);
}

async function inCheckout(fixture: Fixture, room?: HookRoom): Promise<Workspace> {
  const tree = await checkoutOf(fixture, undefined, room);
  await tree.perform(op('open_tree', { base: head(fixture), branch: null }, 'de-7k2/1/0'));
  return tree;
}

const TREES: [string, (fixture: Fixture) => Promise<Workspace>][] = [
  ['a clone', (fixture) => opened(fixture)],
  ['the checkout', (fixture) => inCheckout(fixture)],
];

const SANDBOXED: typeof TREES = [
  ['a clone with hooks in the sandbox', (fixture) => opened(fixture, undefined, undefined, roomOf(fixture))],
  ['the checkout with hooks in the sandbox', (fixture) => inCheckout(fixture, roomOf(fixture))],
];

function hook(fixture: Fixture, name: string, script: string): void {
  chmodSync(fixture.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
}

const PARAGRAPH = 'printf "\\n\\nReviewed by the robot.\\n" >> "$1"';

describe.each(TREES)('a commit in %s is found again', (_, make) => {
  test('where a hook added a paragraph below our line, and where it also committed another tree', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    hook(fixture, 'commit-msg', PARAGRAPH);
    const done = await tree.perform(commit());
    expect(await tree.lookup(commit())).toEqual(done);
    expect(await tree.perform(commit())).toEqual(done);
    hook(fixture, 'pre-commit', 'echo formatted > src/a.ts\ngit add src/a.ts');
    put(tree, 'src/a.ts', 'export const a = 3;\n');
    const next = await tree.perform(commit({ paths: ['src/a.ts'] }, 'de-7k2/4/0'));
    expect(await tree.lookup(commit({ paths: ['src/a.ts'] }, 'de-7k2/4/0'))).toEqual(next);
    expect(next).not.toEqual(done);
  });

  test('though it was made while the repeat was on its way: a failing commit is looked up before it counts', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    const trace = `${fixture.environment.HOME}/trace`;
    hook(
      fixture,
      'pre-commit',
      `echo run >> '${trace}'; [ "$BATON_CALL" = de-7k2/3/0 ] || exit 3
[ -n "$AGAIN" ] || AGAIN=1 git commit -q -m "deliver: dark" -m "Baton-Effect: de-7k2/3/0" -m robot`,
    );
    const done = (await tree.perform(commit())) as Done;
    expect(readFileSync(trace, 'utf8')).toBe('run\nrun\n');
    expect((await tree.facts()).git?.head).toBe(done.commit);
    expect(await tree.lookup(commit())).toEqual(done);
  });

  test('and no commit of somebody else is taken for it', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    hook(fixture, 'pre-commit', 'exit 1');
    expect((await failureOf(tree.perform(commit()))).code).toBe('hook_failed');
    expect(await tree.lookup(commit())).toBeNull();
    if (tree.root !== fixture.root) return;
    fixture.git(['commit', '-q', '--no-verify', '--allow-empty', '-m', 'mine']);
    expect(await tree.lookup(commit())).toBeNull();
  });
});

test('the index of a commit in the checkout lies with our state; one a killed process left is used by nobody and goes', async () => {
  using fixture = project();
  const tree = await inCheckout(fixture);
  edit(tree);
  const trace = `${fixture.environment.HOME}/trace`;
  const left = `${stateOf(fixture)}/commits/de-7k2+3+0.index`;
  const die = () => {
    mkdirSync(left, { recursive: true });
    writeFileSync(`${left}/index`, 'half');
    writeFileSync(`${left}/index.lock`, '');
  };
  hook(fixture, 'pre-commit', `echo "$GIT_INDEX_FILE" > '${trace}'`);
  die();
  const done = await tree.perform(commit());
  expect(readFileSync(trace, 'utf8').trim()).toBe(`${left}/index`);
  expect(existsSync(left)).toBe(false);
  die();
  expect(await tree.lookup(commit())).toEqual(done);
  expect(existsSync(left)).toBe(false);
});

describe.each(TREES)('submodules in %s', (_, make) => {
  test.each([
    ['a file in its folder', 'lib/file'],
    ['a file in its place', 'lib'],
  ])('WF-72: %s lies outside and is never committed', async (_name, path) => {
    using fixture = project();
    fixture.git(['update-index', '--add', '--cacheinfo', `160000,${head(fixture)},lib`]);
    fixture.git(['commit', '-q', '-m', 'lib']);
    const tree = await make(fixture);
    edit(tree);
    rmSync(`${tree.root}/lib`, { recursive: true, force: true });
    put(tree, path, 'written by a worker\n');
    const found = await changeSet(tree);
    expect(found.created).toContain(path);
    expect(found.outside).toEqual([{ path, code: 'protected' }]);
    const refused = await failureOf(tree.perform(commit({ paths: [...PATHS, path] })));
    expect(refused).toMatchObject({ code: 'commit_differs', retry: 'permanent' });
    expect((await tree.facts()).git?.head).toBe(head(fixture));
    const done = (await tree.perform(commit())) as Done;
    const args = ['ls-tree', done.commit, 'lib'];
    expect(fixture.git(args, tree.root)).toContain('160000');
  });
});

describe.each(TREES)('what was judged in %s', (_, make) => {
  test('WF-71: is committed; files that are something else by then are refused', async () => {
    using fixture = project();
    const tree = await make(fixture);
    edit(tree);
    put(tree, 'src/other.ts', 'not named\n');
    const judging = { what: 'content', input: { since: 'start', paths: PATHS } };
    const { content } = (await tree.query(judging, shelf().keep)) as { content: string };
    put(tree, 'src/a.ts', 'slipped in\n');
    const refused = await failureOf(tree.perform(commit({ content, since: 'start' })));
    expect(refused).toMatchObject({ code: 'altered', retry: 'permanent' });
    expect((await tree.facts()).git?.head).toBe(head(fixture));
    expect(await tree.lookup(commit({ content, since: 'start' }))).toBeNull();
    edit(tree);
    put(tree, 'src/other.ts', 'changed, still not named\n');
    const done = (await tree.perform(commit({ content, since: 'start' }))) as Done;
    expect((await tree.facts()).git?.head).toBe(done.commit);
  });
});

describe.each(TREES)('documents in %s', (_, make) => {
  test('WF-71: are those we wrote; one that is not as we wrote it is left out with a warning, named or not', async () => {
    using fixture = project();
    fixture.write(`${DOCS}/kept.md`, 'committed by the person\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'documents']);
    const tree = await make(fixture);
    edit(tree);
    const files = ['spec.md', 'changes.md', 'named.md'].map((name) => ({ name, text: `${name}\n` }));
    const where = { docs_path: `${DOCS}/`, branch: null, base: null, in_place: true };
    const write = { ...where, files, message: '', overwrite: true };
    await tree.perform(op('write_documents', write, 'de-7k2/2/0'));
    put(tree, `${DOCS}/changes.md`, 'rewritten by a worker\n');
    put(tree, `${DOCS}/deep/notes.md`, 'by a worker\n');
    const all = commit({ all: true, docs_path: DOCS, staged: ['changes.md', 'named.md'] });
    const done = (await tree.perform(all)) as Done;
    const why = 'not as Baton wrote it';
    const skipped = [`${DOCS}/changes.md`, `${DOCS}/deep/notes.md`].map((path) => ({ path, why }));
    expect(done.skipped).toEqual(skipped);
    expect(await tree.lookup(all)).toEqual(done);
    const listed = fixture.git(['ls-tree', '-r', '--name-only', done.commit, `${DOCS}/`], tree.root);
    expect(listed.trim().split('\n')).toEqual(
      ['kept.md', 'named.md', 'spec.md'].map((name) => `${DOCS}/${name}`),
    );
    put(tree, 'src/a.ts', 'export const a = 4;\n');
    const some = commit({ paths: ['src/a.ts'], docs_path: DOCS, staged: ['changes.md'] }, 'de-7k2/9/0');
    expect(await tree.perform(some)).toMatchObject({ skipped: [{ path: `${DOCS}/changes.md`, why }] });
  });
});

test('a patch of a clone is the difference from the base, also where a commit was made meanwhile', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  edit(tree);
  await tree.perform(commit());
  const { keep, texts } = shelf();
  const saved = (await tree.perform(op('save_patch', { since: 'start' }), keep)) as { patch: string };
  const copy = `${stateOf(fixture)}/copy`;
  fixture.git(['clone', '-q', fixture.root, copy]);
  writeFileSync(`${stateOf(fixture)}/patch`, texts.get(saved.patch) ?? '');
  fixture.git(['apply', '--binary', `${stateOf(fixture)}/patch`], copy);
  expect(contents(copy)).toEqual(contents(tree.root));
});

describe.each([...TREES, ...SANDBOXED])('a hook that rewrites what was judged in %s', (_, make) => {
  test('loses its commit: nothing stands but the files as it left them, also after a crash', async () => {
    using fixture = project();
    const tree = await make(fixture);
    put(tree, 'src/a.ts', 'export const a = 3;\n');
    const before = (await tree.facts()).git?.head;
    const { content } = (await changeSet(tree)) as unknown as { content: string };
    const judged = commit({ paths: ['src/a.ts'], since: 'start', content });
    hook(fixture, 'pre-commit', 'echo formatted > src/a.ts\ngit add src/a.ts');
    const refused = await failureOf(tree.perform(judged));
    expect(refused).toMatchObject({ code: 'hook_rewrote', retry: 'permanent' });
    expect(refused.detail).toContain('src/a.ts');
    expect((await tree.facts()).git?.head).toBe(before);
    expect(readFileSync(`${tree.root}/src/a.ts`, 'utf8')).toBe('formatted\n');
    expect(await tree.lookup(judged)).toBeNull();
    // Made by a process that died before it could compare.
    const { content: now } = (await changeSet(tree)) as unknown as { content: string };
    put(tree, 'src/a.ts', 'export const a = 3;\n');
    const blind = commit({ paths: ['src/a.ts'] });
    await tree.perform(blind);
    expect((await failureOf(tree.lookup(judged))).code).toBe('hook_rewrote');
    expect((await tree.facts()).git?.head).toBe(before);
    const taken = commit({ paths: ['src/a.ts'], since: 'start', content: now }, 'de-7k2/5/0');
    expect(await tree.perform(taken)).toMatchObject({ commit: expect.any(String) });
  });
});
