import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  BRANCH,
  changeSet,
  EDITS,
  edit,
  head,
  op,
  opened,
  project,
  put,
  shelf,
  stateOf,
  treeOf,
} from './tree-fixture.ts';
import { failureOf } from './workspace-fixture.ts';

describe('opening', () => {
  test('before it the tree does not exist, facts and setup are the person’s', async () => {
    using fixture = project();
    const tree = await treeOf(fixture);
    expect(await tree.facts()).toEqual({ folder: 'project', git: { branch: 'main', head: head(fixture) } });
    const input = { slug: 'dark-mode', docs_path: 'docs/baton/dark-mode', branch: BRANCH };
    const found = await tree.query({ what: 'setup', input }, shelf().keep);
    expect(found).toMatchObject({ taken: [], branch: { name: BRANCH, base: head(fixture) } });
    expect(existsSync(tree.root)).toBe(false);
    expect((await failureOf(tree.fingerprint())).code).toBe('tree_missing');
    expect((await failureOf(tree.snapshot('x'))).code).toBe('tree_missing');
    expect(await tree.freeBytes()).toBeGreaterThan(0);
  });

  test('an existing branch with commits gives the next suffix, an empty one is used again', async () => {
    using fixture = project();
    const tree = await treeOf(fixture);
    const input = { slug: 'dark-mode', docs_path: 'docs/baton/dark-mode', branch: BRANCH };
    const name = async () =>
      ((await tree.query({ what: 'setup', input }, shelf().keep)) as { branch: { name: string } }).branch
        .name;
    fixture.git(['branch', BRANCH]);
    expect(await name()).toBe(BRANCH);
    const other = fixture.git(['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x']).trim();
    fixture.git(['branch', '-f', BRANCH, other]);
    expect(await name()).toBe(`${BRANCH}-2`);
  });

  test('done twice it is one tree; after a crash before the end it is none', async () => {
    using fixture = project();
    const tree = await treeOf(fixture);
    const open = op('open_tree', { base: head(fixture), branch: BRANCH });
    expect(await tree.lookup(open)).toBeNull();
    const part = join(stateOf(fixture), 'trees', '.de-7k2.01234567.part');
    mkdirSync(join(part, 'tree'), { recursive: true });
    const result = await tree.perform(open);
    expect(result).toMatchObject({
      base: head(fixture),
      branch: BRANCH,
      snapshot: 'start',
      filters: [],
      submodules: [],
    });
    put(tree, 'work.txt', 'worker');
    expect(await tree.perform(open)).toEqual(result);
    expect(await (await treeOf(fixture)).lookup(open)).toEqual(result);
    expect(readFileSync(join(tree.root, 'work.txt'), 'utf8')).toBe('worker');
    const other = op('open_tree', { base: head(fixture, 'HEAD^'), branch: BRANCH });
    expect((await failureOf(tree.perform(other))).code).toBe('tree_exists');
  });

  test('the base outlives the person’s branch and a collection of garbage', async () => {
    using fixture = project();
    fixture.git(['checkout', '-q', '-b', 'side']);
    fixture.write('side.txt', 'side\n');
    fixture.git(['add', '.']);
    fixture.git(['commit', '-q', '-m', 'side']);
    const base = head(fixture);
    const tree = await opened(fixture);
    fixture.git(['checkout', '-q', 'main']);
    fixture.git(['branch', '-q', '-D', 'side']);
    fixture.git(['reflog', 'expire', '--expire=now', '--all']);
    fixture.git(['gc', '-q', '--prune=now']);
    expect(fixture.git(['rev-parse', 'refs/baton/trees/de-7k2']).trim()).toBe(base);
    rmSync(join(tree.root, 'side.txt'));
    await tree.restore('start');
    expect(readFileSync(join(tree.root, 'side.txt'), 'utf8')).toBe('side\n');
  });

  test('a base that is gone, a branch of somebody else’s namespace and a strange run are refused', async () => {
    using fixture = project();
    const tree = await treeOf(fixture);
    const open = (base: string, branch: string) => tree.perform(op('open_tree', { base, branch }));
    expect((await failureOf(open('0'.repeat(40), BRANCH))).code).toBe('base_missing');
    expect((await failureOf(open(head(fixture), 'main'))).code).toBe('guard_refused');
    expect((await failureOf(open(head(fixture), 'baton/../x'))).code).toBe('guard_refused');
    expect((await failureOf(treeOf(fixture, '../x'))).code).toBe('path_refused');
    expect(existsSync(tree.root)).toBe(false);
  });

  test('a worker has a repository without remotes or hooks and may commit on the branch', async () => {
    using fixture = project();
    fixture.git(['remote', 'add', 'origin', 'https://example.com/x.git']);
    const tree = await opened(fixture);
    expect(fixture.git(['remote'], tree.root)).toBe('');
    expect(fixture.git(['symbolic-ref', 'HEAD'], tree.root).trim()).toBe(`refs/heads/${BRANCH}`);
    expect(fixture.git(['config', 'core.hooksPath'], tree.root).trim()).toBe('/dev/null');
    edit(tree);
    fixture.git(['add', '.'], tree.root);
    fixture.git(['commit', '-q', '-m', 'by a worker'], tree.root);
    expect(await changeSet(tree)).toMatchObject({ ...EDITS, git: [] });
    expect(await tree.facts()).toEqual({ folder: 'project', git: { branch: BRANCH, head: head(fixture) } });
    const input = { paths: Object.values(EDITS).flat(), documents: [], message: 'ours', all: false };
    const { commit } = (await tree.perform(op('commit', input))) as { commit: string };
    await tree.perform(op('publish', { branch: BRANCH, commit }));
    expect(fixture.git(['log', '--format=%s', `main..${BRANCH}`])).toBe('ours\n');
  });
});
