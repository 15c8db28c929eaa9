import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookRoom } from '../../src/ports/hook-room.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import {
  BRANCH,
  checkoutOf,
  EDITS,
  edit,
  head,
  op,
  opened,
  project,
  put,
  roomOf,
  stateOf,
} from './tree-fixture.ts';
import { type Fixture, failureOf } from './workspace-fixture.ts';

const PATHS = Object.values(EDITS).flat();

interface Done {
  readonly commit: string;
  readonly hooks_skipped?: readonly string[];
}

function commit(more: Record<string, unknown> = {}) {
  return op('commit', { paths: PATHS, documents: [], all: false, message: 'deliver: dark', ...more });
}

async function inCheckout(fixture: Fixture, room?: HookRoom): Promise<Workspace> {
  const tree = await checkoutOf(fixture, undefined, room);
  await tree.perform(op('open_tree', { base: head(fixture), branch: null }, 'de-7k2/1/0'));
  return tree;
}

const TREES: [string, string, (fixture: Fixture, room?: HookRoom) => Promise<Workspace>][] = [
  ['a clone', BRANCH, (fixture, room) => opened(fixture, undefined, undefined, room)],
  ['the checkout', 'HEAD', inCheckout],
];

function program(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** Git directory that has the commit: the clone's own, or the person's. */
function gitOf(fixture: Fixture, tree: Workspace): string {
  return tree.root === fixture.root ? fixture.path('.git') : join(dirname(tree.root), 'view');
}

/** What a hook does to the commit that git just made. Only one commit on top of the old head is taken. */
const REWRITES = [
  ['puts another one on top of', 'git commit -q --allow-empty -m mine', 'commits of its own'],
  ['takes the parents from', 'move HEAD $(make HEAD^{tree})', 'commits of its own'],
  ['puts on another parent', 'move HEAD $(make -p $(make HEAD^{tree}) HEAD^{tree})', 'commits of its own'],
  [
    'makes a merge of',
    'move HEAD $(make -p HEAD~1 -p $(make HEAD^{tree}) HEAD^{tree})',
    'commits of its own',
  ],
  ['takes back', 'move HEAD HEAD~1', 'git made no new commit'],
  [
    'writes nonsense over',
    'echo --help > "$(git rev-parse --git-dir)/$(git symbolic-ref -q HEAD)"',
    'git made no new commit',
  ],
] as const;

describe.each(TREES)('WF-71 hooks in the sandbox, in %s', (_, ref, make) => {
  test('refuse, write the message and add files, as outside of it', async () => {
    using fixture = project();
    const tree = await make(fixture, roomOf(fixture));
    edit(tree);
    fixture.write('.git/hooks/x', '');
    program(fixture.path('.git/hooks/pre-commit'), 'echo "no: style" >&2; exit 1');
    expect(await failureOf(tree.perform(commit()))).toMatchObject({
      code: 'hook_failed',
      detail: 'no: style',
    });
    program(fixture.path('.git/hooks/pre-commit'), 'echo made > made.txt; git add made.txt');
    program(fixture.path('.git/hooks/commit-msg'), 'echo "Change-Id: 1" >> "$1"');
    const before = fixture.git(['for-each-ref', 'refs/heads/main']);
    const done = (await tree.perform(commit())) as Done;
    const git = (...args: string[]) => fixture.git([`--git-dir=${gitOf(fixture, tree)}`, ...args]);
    expect(git('rev-parse', ref).trim()).toBe(done.commit);
    expect(git('log', '-1', '--format=%B', ref)).toMatch(/^deliver: dark[\s\S]*Change-Id: 1/);
    expect(git('ls-tree', '--name-only', ref)).toContain('made.txt');
    expect(git('fsck', '--no-dangling')).toBe('');
    if (ref === 'HEAD') expect(git('diff', '--cached', '--name-only')).toBe('');
    if (ref === BRANCH) expect(fixture.git(['for-each-ref', 'refs/heads/main'])).toBe(before);
  });

  test('run wherever the person keeps them: elsewhere, by a link, beside a script in the checkout', async () => {
    using fixture = project();
    fixture.write('.husky/pre-commit', '');
    fixture.write('.husky/_/x', '');
    program(fixture.path('.husky/pre-commit'), 'echo husky >> ran');
    program(fixture.path('.husky/_/pre-commit'), 'exec sh "$(dirname "$(dirname "$0")")/pre-commit"');
    const linked = join(fixture.environment.HOME, 'linked');
    program(linked, 'echo linked >> ran');
    symlinkSync(linked, fixture.path('.husky/_/post-commit'));
    fixture.git(['config', 'core.hooksPath', '.husky/_']);
    const tree = await make(fixture, roomOf(fixture));
    edit(tree);
    await tree.perform(commit());
    expect(readFileSync(join(tree.root, 'ran'), 'utf8')).toBe('husky\nlinked\n');
  });

  test('change nothing that git outside would obey, and do not see the settings', async () => {
    using fixture = project();
    const tree = await make(fixture, roomOf(fixture));
    edit(tree);
    fixture.write('.git/hooks/x', '');
    const trace = join(dirname(fixture.root), 'trace');
    const evil = ['core.fsmonitor', 'core.alternateRefsCommand', 'core.pager'];
    const sets = evil.map((name) => `git config ${name} 'touch ${trace}'`).join('; ');
    const settings = readFileSync(join(gitOf(fixture, tree), 'config'), 'utf8');
    program(
      fixture.path('.git/hooks/pre-commit'),
      `${sets}; cp ${fixture.path('.git/config')} seen; echo x > "$(git rev-parse --git-dir)/commondir"`,
    );
    await tree.perform(commit());
    expect(existsSync(join(tree.root, 'seen'))).toBe(false);
    expect(existsSync(trace)).toBe(false);
    expect(readFileSync(join(gitOf(fixture, tree), 'config'), 'utf8')).toBe(settings);
    expect(existsSync(join(gitOf(fixture, tree), 'commondir'))).toBe(false);
  });

  test.each(REWRITES)('take no commit that a hook %s', async (_name, script, says) => {
    using fixture = project();
    const tree = await make(fixture, roomOf(fixture));
    edit(tree);
    fixture.write('.git/hooks/x', '');
    const helpers = 'make() { git commit-tree -m mine "$@"; }; move() { git update-ref "$@"; }';
    program(
      fixture.path('.git/hooks/post-commit'),
      `[ -e hooked ] && exit; touch hooked\n${helpers}\n${script}`,
    );
    const before = fixture.git(['for-each-ref']);
    expect((await failureOf(tree.perform(commit()))).detail).toContain(says);
    expect(existsSync(join(tree.root, 'hooked'))).toBe(true);
    expect(fixture.git(['for-each-ref'])).toBe(before);
    const git = (...args: string[]) => fixture.git([`--git-dir=${gitOf(fixture, tree)}`, ...args]);
    expect(git('log', '--format=%s', ref)).not.toMatch(/mine|deliver: dark/);
  });

  test('run with filters, which run in the sandbox too', async () => {
    using fixture = project();
    const key = join(fixture.environment.HOME, 'key');
    writeFileSync(key, 'the key');
    fixture.git(['config', 'filter.own.clean', `sh clean.sh`]);
    fixture.write('.gitattributes', '*.own filter=own\n');
    const tree = await make(fixture, roomOf(fixture));
    put(tree, 'clean.sh', `cat ${key} 2> /dev/null || tr a-z A-Z\n`);
    put(tree, '.gitattributes', '*.own filter=own\n');
    put(tree, 'x.own', 'words\n');
    const paths = ['clean.sh', '.gitattributes', 'x.own'];
    const { commit: made } = (await tree.perform(commit({ paths }))) as Done;
    const dir = `--git-dir=${gitOf(fixture, tree)}`;
    expect(fixture.git([dir, 'show', `${made}:x.own`])).toBe('WORDS\n');
  });
});

test('TRUST-01 WF-71 without a sandbox and without an answer no hook runs, and the result names them', async () => {
  using fixture = project();
  const tree = await opened(fixture);
  edit(tree);
  fixture.write('.git/hooks/x', '');
  program(fixture.path('.git/hooks/pre-commit'), 'touch ran');
  program(fixture.path('.git/hooks/commit-msg'), 'touch ran');
  const unasked = commit({ unasked: true });
  const done = (await tree.perform(unasked)) as Done;
  expect(done.hooks_skipped).toEqual(['pre-commit', 'commit-msg']);
  expect(await tree.lookup(unasked)).toEqual(done);
  expect(existsSync(join(tree.root, 'ran'))).toBe(false);
});

test('TRUST-01 without a sandbox and without an answer no filter runs that could execute the change', async () => {
  using fixture = project();
  fixture.git(['config', 'filter.own.clean', 'sh clean.sh']);
  const tree = await opened(fixture);
  put(tree, 'clean.sh', 'touch ran; cat\n');
  put(tree, '.gitattributes', '*.own filter=own\n');
  put(tree, 'x.own', 'words\n');
  const paths = ['clean.sh', '.gitattributes', 'x.own'];
  const failed = await failureOf(tree.perform(commit({ paths, unasked: true })));
  expect(failed.detail).toContain('the filter own may execute files of the change');
  expect(existsSync(join(tree.root, 'ran'))).toBe(false);
  await tree.perform(commit({ paths }));
  expect(existsSync(join(tree.root, 'ran'))).toBe(true);
  expect(existsSync(stateOf(fixture))).toBe(true);
});
