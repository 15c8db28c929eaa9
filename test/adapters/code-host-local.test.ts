import { readdirSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  atRemote,
  BRANCH,
  commitElsewhere,
  commitOn,
  everything,
  hostOf,
  inspect,
  left,
  mergeOp,
  mergePull,
  moveOn,
  NOW,
  openPull,
  published,
  pullOp,
  refuseAt,
  remoteOf,
  remoteRefs,
  untidy,
} from './code-host-fixture.ts';
import { head, project } from './tree-fixture.ts';
import { failureOf, keep, unbornRepository } from './workspace-fixture.ts';

describe('a pull request', () => {
  test('is the branch and its record at the remote, and the person’s folder knows nothing of it', async () => {
    using fixture = published();
    const head_sha = commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    untidy(fixture);
    const before = everything(fixture);
    const pull = await openPull(hostOf(fixture));
    expect(pull).toEqual({
      ...{ branch: BRANCH, head_sha, pr_number: 1, pr_url: 'local:origin#1', base: 'main' },
      ...{ opened_at: NOW, author_is_bot: false },
    });
    expect(atRemote(fixture, BRANCH)).toBe(head_sha);
    expect(atRemote(fixture, 'refs/baton/pull/1/head')).toBe(head_sha);
    expect(everything(fixture)).toEqual(before);
    expect(left(fixture)).toEqual([]);
  });

  test('is found after a crash by a process that knows nothing, and only if this effect made it', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    expect(await hostOf(fixture).changes.lookup?.(pullOp())).toBeNull();
    const pull = await openPull(hostOf(fixture));
    expect(await hostOf(fixture).changes.lookup?.(pullOp())).toEqual(pull);
    expect(await hostOf(fixture).changes.lookup?.(pullOp({}, 'B-12/9/0'))).toBeNull();
  });

  test('of the same branch is brought up to date, also when its history was written anew', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    const first = await openPull(hostOf(fixture));
    commitOn(fixture, BRANCH, 'export.ts', 'two\n');
    const second = await openPull(hostOf(fixture), { title: 'Better' }, 'B-12/8/0');
    fixture.git(['branch', '-D', BRANCH]);
    const head_sha = commitOn(fixture, BRANCH, 'export.ts', 'anew\n');
    const third = await openPull(hostOf(fixture), {}, 'B-12/9/0');
    expect([first, second, third].map(({ pr_number }) => pr_number)).toEqual([1, 1, 1]);
    expect(second.head_sha).not.toBe(first.head_sha);
    expect(third).toEqual({ ...first, head_sha });
    expect(Object.keys(remoteRefs(fixture)).filter((ref) => ref.includes('pull'))).toHaveLength(2);
  });

  test('closes those it takes the place of, and no other ticket’s', async () => {
    using fixture = published();
    const again = 'baton/B-12-export-2';
    const foreign = 'baton/B-13-import';
    for (const branch of [BRANCH, again, foreign]) commitOn(fixture, branch, 'export.ts', `${branch}\n`);
    const host = hostOf(fixture);
    await openPull(host);
    await openPull(host, { branch: foreign, ticket: 'B-13' }, 'B-13/4/0');
    const pull = await openPull(host, { branch: again, replaces: [1, 2, 9] }, 'B-12/9/0');
    expect(pull).toMatchObject({ pr_number: 3, branch: again });
    expect((await inspect(host, pull)).pulls).toMatchObject([{ pr_number: 3 }]);
    const other = { ...pull, branch: foreign, pr_number: 2, head_sha: atRemote(fixture, foreign) };
    expect((await inspect(host, other)).pulls).toMatchObject([{ pr_number: 2 }]);
  });

  test('is not opened over commits of somebody else', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    await openPull(hostOf(fixture));
    commitElsewhere(fixture, BRANCH, 'theirs.ts', 'theirs\n');
    commitOn(fixture, BRANCH, 'export.ts', 'two\n');
    const before = remoteRefs(fixture);
    expect((await failureOf(openPull(hostOf(fixture), {}, 'B-12/8/0'))).code).toBe('branch_moved');
    expect(remoteRefs(fixture)).toEqual(before);
  });

  test.each([['baton/B-12-내보내기-экспорт'], ["baton/B-12-it's-$HOME-`x`-&;(1)"]])(
    'has a branch called %s',
    async (branch) => {
      using fixture = published('프로젝트 $x');
      commitOn(fixture, branch, 'ü.ts', 'export {};\n');
      const host = hostOf(fixture, { checks: 'printf "%s" "$BATON_BRANCH"; exit 3' });
      const pull = await openPull(host, { branch, title: '내보내기 "1"', body: 'a\n\n```\nb\n```\n' });
      const found = await inspect(host, pull);
      expect(found).toMatchObject({ head_sha: pull.head_sha, paths: ['ü.ts'], mergeable: true });
      expect(found.checks.why).toBe(`exit code 3\n${branch}`);
      const { merged_sha } = await mergePull(host, pull);
      expect(atRemote(fixture, 'main')).toBe(merged_sha);
    },
  );

  test('goes to the branch that is asked for, else configured, else the remote’s first', async () => {
    using fixture = published();
    fixture.git(['push', '-q', 'origin', 'main:next', 'main:stable', 'main:trunk']);
    fixture.git(['symbolic-ref', 'HEAD', 'refs/heads/trunk'], remoteOf(fixture));
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    const base = async (more: object, given: string | null) =>
      (await openPull(hostOf(fixture, more), { base: given })).base;
    expect(await base({}, null)).toBe('trunk');
    expect(await base({ branch: 'next' }, null)).toBe('next');
    expect(await base({ branch: 'next' }, 'stable')).toBe('stable');
    expect(await failureOf(base({}, 'nowhere'))).toMatchObject({
      ...{ code: 'no_base', retry: 'permanent' },
      detail: 'origin has no branch nowhere',
    });
    expect((await failureOf(base({ branch: 'a..b' }, null))).code).toBe('no_base');
  });

  test('takes the place of earlier ones of the ticket that it names, and of no other', async () => {
    using fixture = published();
    for (const name of [BRANCH, `${BRANCH}-2`, 'baton/B-13-other'])
      commitOn(fixture, name, 'export.ts', `${name}\n`);
    await openPull(hostOf(fixture));
    await openPull(hostOf(fixture), { branch: 'baton/B-13-other', ticket: 'B-13' }, 'B-13/4/0');
    const more = { branch: `${BRANCH}-2`, replaces: [1, 2] };
    const last = await openPull(hostOf(fixture), more, 'B-12/9/0');
    expect((await inspect(hostOf(fixture), last)).pulls.map(({ pr_number }) => pr_number)).toEqual([3]);
    const other = { ...last, branch: 'baton/B-13-other', pr_number: 2 };
    expect((await inspect(hostOf(fixture), other)).pulls.map(({ pr_number }) => pr_number)).toEqual([2]);
  });

  test('two processes at once get a number each', async () => {
    using fixture = published();
    const names = [1, 2, 3].map((n) => `baton/B-${n}-x`);
    for (const name of names) commitOn(fixture, name, `${name}.ts`, 'x\n');
    const pulls = await Promise.all(
      names.map((branch, n) => openPull(hostOf(fixture), { branch, ticket: `B-${n}` }, `B-${n}/4/0`)),
    );
    expect(pulls.map(({ pr_number }) => pr_number).sort()).toEqual([1, 2, 3]);
  });
});

describe('a pull request that cannot be', () => {
  test('no remote at all: the failure names the setting', async () => {
    using fixture = project();
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    expect(await failureOf(openPull(hostOf(fixture)))).toEqual({
      ...{ code: 'no_remote', retry: 'permanent' },
      detail:
        'the repository has no remote "origin" (release.remote in baton.yaml). Add it with git remote add, then try again',
    });
  });

  test('a remote that is away is asked again, and its place is not told', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    rmSync(remoteOf(fixture), { recursive: true });
    const failed = await failureOf(openPull(hostOf(fixture)));
    expect(failed).toMatchObject({ code: 'remote_unreachable', retry: 'transient' });
    expect(failed.detail).toContain('origin');
    expect(failed.detail).not.toContain(remoteOf(fixture));
    expect(readdirSync(fixture.root)).not.toContain('remote.git');
  });

  test('an empty remote has nothing to merge into', async () => {
    using fixture = project();
    fixture.git(['init', '-q', '--bare', '-b', 'main', remoteOf(fixture)]);
    fixture.git(['remote', 'add', 'origin', remoteOf(fixture)]);
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    expect((await failureOf(openPull(hostOf(fixture)))).code).toBe('no_base');
  });

  test('a branch that is not there, is not ours, or has nothing new', async () => {
    using fixture = published();
    fixture.git(['branch', BRANCH]);
    expect((await failureOf(openPull(hostOf(fixture)))).code).toBe('nothing_to_merge');
    expect((await failureOf(openPull(hostOf(fixture), { branch: 'baton/none' }))).code).toBe(
      'branch_missing',
    );
    expect((await failureOf(openPull(hostOf(fixture), { branch: 'main' }))).code).toBe('guard_refused');
  });

  test('a folder that is no repository', async () => {
    using fixture = unbornRepository();
    rmSync(fixture.path('.git'), { recursive: true });
    expect((await failureOf(openPull(hostOf(fixture)))).code).toBe('not_a_repository');
  });

  test('a hook of the remote that refuses is heard, and nothing half is left there', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    refuseAt(fixture, 'pre-receive', 'echo "no pushes on Fridays" >&2; exit 1');
    const before = remoteRefs(fixture);
    const failed = await failureOf(openPull(hostOf(fixture)));
    expect(failed).toMatchObject({ code: 'push_refused', retry: 'permanent' });
    expect(failed.detail).toContain('no pushes on Fridays');
    expect(failed.detail).not.toContain(remoteOf(fixture));
    refuseAt(fixture, 'pre-receive', 'exit 0');
    refuseAt(fixture, 'update', 'case "$1" in refs/baton/*) exit 1;; esac');
    expect((await failureOf(openPull(hostOf(fixture)))).code).toBe('push_refused');
    expect(remoteRefs(fixture)).toEqual(before);
  });

  test('a remote that protects its history refuses a branch written anew, and takes one that grew', async () => {
    using fixture = published();
    fixture.git(['config', 'receive.denyNonFastForwards', 'true'], remoteOf(fixture));
    fixture.git(['config', 'receive.denyDeletes', 'true'], remoteOf(fixture));
    commitOn(fixture, BRANCH, 'export.ts', 'one\n');
    await openPull(hostOf(fixture));
    const head_sha = commitOn(fixture, BRANCH, 'export.ts', 'two\n');
    const pull = await openPull(hostOf(fixture), {}, 'B-12/8/0');
    expect(pull.head_sha).toBe(head_sha);
    fixture.git(['branch', '-D', BRANCH]);
    commitOn(fixture, BRANCH, 'export.ts', 'anew\n');
    expect((await failureOf(openPull(hostOf(fixture), {}, 'B-12/9/0'))).code).toBe('push_refused');
    expect(atRemote(fixture, BRANCH)).toBe(head_sha);
    await mergePull(hostOf(fixture), pull);
  });
});

describe('a merge', () => {
  test('is made at the remote of exactly that commit, and the person’s folder knows nothing of it', async () => {
    using fixture = published();
    const head_sha = commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    const pull = await openPull(hostOf(fixture));
    const base = commitElsewhere(fixture, 'main', 'other.ts', 'other\n');
    untidy(fixture);
    const before = everything(fixture);
    const { merged_sha } = await mergePull(hostOf(fixture), pull);
    expect(atRemote(fixture, 'main')).toBe(merged_sha);
    const shown = fixture.git(['show', '-s', '--format=%P%n%an%n%B', merged_sha], remoteOf(fixture));
    expect(shown.split('\n').slice(0, 5)).toEqual([
      `${base} ${head_sha}`,
      'Baton',
      'Merge B-12: Export',
      '',
      'Baton-Effect: B-12/6/0',
    ]);
    const files = fixture.git(['ls-tree', '--name-only', 'main'], remoteOf(fixture)).split('\n');
    expect(files).toEqual(expect.arrayContaining(['export.ts', 'other.ts', 'run.sh']));
    expect(everything(fixture)).toEqual(before);
    expect((await inspect(hostOf(fixture), pull)).pulls).toEqual([]);
    expect(left(fixture)).toEqual([]);
  });

  test('that happened is found by a process that knows nothing, and not made twice', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    const pull = await openPull(hostOf(fixture));
    expect(await hostOf(fixture).changes.lookup?.(mergeOp(pull))).toBeNull();
    const merged = await mergePull(hostOf(fixture), pull);
    moveOn(fixture, 21);
    const tip = atRemote(fixture, 'main');
    expect(await hostOf(fixture).changes.lookup?.(mergeOp(pull))).toEqual(merged);
    expect(await mergePull(hostOf(fixture), pull)).toEqual(merged);
    expect(atRemote(fixture, 'main')).toBe(tip);
  });

  test('a message that only says it was made by this effect is not it', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    const pull = await openPull(hostOf(fixture));
    commitOn(fixture, 'theirs', 'x.ts', 'x\n');
    fixture.git(['merge', '-q', '--no-ff', '-m', 'Mine\n\nBaton-Effect: B-12/6/0', 'theirs']);
    fixture.git(['push', '-q', 'origin', 'main']);
    expect(await hostOf(fixture).changes.lookup?.(mergeOp(pull))).toBeNull();
  });

  test('of a branch that moved, or is gone, is refused', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
    const pull = await openPull(hostOf(fixture));
    const theirs = commitElsewhere(fixture, BRANCH, 'theirs.ts', 'theirs\n');
    const tip = atRemote(fixture, 'main');
    const failed = await failureOf(mergePull(hostOf(fixture), pull));
    expect(failed).toMatchObject({ code: 'head_moved', retry: 'permanent' });
    expect(failed.detail).toContain(theirs);
    fixture.git(['update-ref', '-d', `refs/heads/${BRANCH}`], remoteOf(fixture));
    expect((await failureOf(mergePull(hostOf(fixture), pull))).code).toBe('head_moved');
    expect(atRemote(fixture, 'main')).toBe(tip);
  });

  test('with a conflict names the files and changes nothing', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'src/a.ts', 'export const a = "branch";\n');
    const pull = await openPull(hostOf(fixture));
    commitElsewhere(fixture, 'main', 'src/a.ts', 'export const a = "main";\n');
    expect((await inspect(hostOf(fixture), pull)).mergeable).toBe(false);
    const before = remoteRefs(fixture);
    expect(await failureOf(mergePull(hostOf(fixture), pull))).toEqual({
      ...{ code: 'merge_conflict', retry: 'permanent' },
      detail: `${BRANCH} and main: src/a.ts`,
    });
    expect(remoteRefs(fixture)).toEqual(before);
  });

  test('of histories with nothing in common is a conflict', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'x\n');
    const pull = await openPull(hostOf(fixture));
    const tree = head(fixture, 'main^{tree}', remoteOf(fixture));
    const root = fixture.git(['commit-tree', tree, '-m', 'anew'], remoteOf(fixture)).trim();
    fixture.git(['update-ref', 'refs/heads/main', root], remoteOf(fixture));
    expect((await failureOf(mergePull(hostOf(fixture), pull))).code).toBe('merge_conflict');
  });

  test('that somebody else has made is taken as it is, and the pull request is no longer open', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'x\n');
    const pull = await openPull(hostOf(fixture));
    fixture.git(['push', '-q', 'origin', `${BRANCH}:main`]);
    expect(await mergePull(hostOf(fixture), pull)).toEqual({ merged_sha: pull.head_sha, base: 'main' });
    expect(atRemote(fixture, 'main')).toBe(pull.head_sha);
    expect((await inspect(hostOf(fixture), pull)).pulls).toEqual([]);
  });

  test('of a pull request nobody recorded, or of another branch, is refused', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'x\n');
    const pull = await openPull(hostOf(fixture));
    const other = mergePull(hostOf(fixture), { ...pull, pr_number: 7 });
    expect((await failureOf(other)).code).toBe('pull_request_missing');
  });

  test('two at once are both in the base, whoever came first', async () => {
    using fixture = published();
    const names = [1, 2, 3].map((n) => `baton/B-${n}-x`);
    const pulls = [];
    for (const [n, branch] of names.entries()) {
      commitOn(fixture, branch, `file-${n}.ts`, 'x\n');
      pulls.push(await openPull(hostOf(fixture), { branch, ticket: `B-${n}` }, `B-${n}/4/0`));
    }
    const merges = pulls.map((pull, n) => mergePull(hostOf(fixture), pull, `B-${n}/6/0`));
    const merged = await Promise.all(merges);
    expect(new Set(merged.map(({ merged_sha }) => merged_sha)).size).toBe(3);
    const files = fixture.git(['ls-tree', '--name-only', 'main'], remoteOf(fixture)).split('\n');
    expect(files).toEqual(expect.arrayContaining(['file-0.ts', 'file-1.ts', 'file-2.ts']));
    const lines = fixture.git(['rev-list', '--count', '--merges', 'main'], remoteOf(fixture));
    expect(lines.trim()).toBe('3');
  });

  test('of the same pull request by two at once happens once', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'x\n');
    const pull = await openPull(hostOf(fixture));
    const [one, two] = await Promise.all([
      mergePull(hostOf(fixture), pull, 'B-12/6/0'),
      mergePull(hostOf(fixture), pull, 'B-12/7/0'),
    ]);
    expect(one).toEqual(two);
    expect(fixture.git(['rev-list', '--count', '--merges', 'main'], remoteOf(fixture)).trim()).toBe('1');
  });

  test('a base that refuses pushes is heard', async () => {
    using fixture = published();
    commitOn(fixture, BRANCH, 'export.ts', 'x\n');
    const pull = await openPull(hostOf(fixture));
    refuseAt(fixture, 'update', 'test "$1" != refs/heads/main || { echo "main is closed"; exit 1; }');
    const before = remoteRefs(fixture);
    const failed = await failureOf(mergePull(hostOf(fixture), pull));
    expect(failed).toMatchObject({ code: 'push_refused' });
    expect(failed.detail).toContain('main is closed');
    expect(remoteRefs(fixture)).toEqual(before);
  });
});

test('an operation nobody has is refused by name', async () => {
  using fixture = published();
  const host = hostOf(fixture);
  expect((await failureOf(host.changes.perform({ ...pullOp(), op: 'rebase' }, keep))).code).toBe(
    'unknown_op',
  );
  const query = host.query(
    { what: 'host.weather', input: {} },
    { effect: 'x', keep, signal: AbortSignal.abort() },
  );
  expect((await failureOf(query)).code).toBe('unknown_query');
});
