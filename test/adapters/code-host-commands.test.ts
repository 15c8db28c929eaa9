import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuildPr, Deployed, type Merged, Observed } from '../../src/contract/code-host.ts';
import type { ReleaseConfig } from '../../src/contract/config.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import { isRunning } from '../support/is-running.ts';
import { until } from '../support/lab.ts';
import {
  atRemote,
  BRANCH,
  commitElsewhere,
  commitOn,
  everything,
  hostOf,
  inspect,
  LOOKING,
  left,
  mergePull,
  openPull,
  published,
  remoteOf,
  scratchOf,
} from './code-host-fixture.ts';
import { op, shelf } from './tree-fixture.ts';
import { type Fixture, failureOf, keep } from './workspace-fixture.ts';

/** One repository with a merged ticket: no test below writes to it or to its remote. */
let fixture: Fixture;
let pull: BuildPr;
let merged: Merged;

beforeAll(async () => {
  fixture = published();
  commitOn(fixture, BRANCH, 'export.ts', 'export {};\n');
  pull = await openPull(hostOf(fixture));
  merged = await mergePull(hostOf(fixture), pull);
});
afterAll(() => fixture[Symbol.dispose]());

const deployOp = (more: Record<string, unknown> = {}) =>
  op('deploy', { ticket: 'B-12', sha: merged.merged_sha, base: 'main', ...more }, 'B-12/7/0');

const deploy = async (release: Partial<ReleaseConfig>, keeping = keep) =>
  Deployed.parse(await hostOf(fixture, release).deploys.perform(deployOp(), keeping));

describe('a deploy', () => {
  test('runs in a clean checkout of the merged commit, told what it is about, and leaves the person alone', async () => {
    const before = everything(fixture);
    const { keep: keeping, texts } = shelf();
    const line = [
      'echo "$BATON_TICKET $BATON_SHA $BATON_BASE"',
      'git rev-parse HEAD; git status --porcelain; git ls-remote origin main | cut -f1',
      'ls; echo dirty > src/a.ts; env | cut -d= -f1',
    ].join('; ');
    process.env.SECRET_TOKEN = 'x';
    const done = await deploy({ deploy: line }, keeping);
    delete process.env.SECRET_TOKEN;
    expect(done).toMatchObject({ deployed: true, command: line });
    const text = texts.get(done.output ?? '') ?? '';
    const sha = merged.merged_sha;
    expect(text.startsWith(`B-12 ${sha} main\n${sha}\n${sha}\nREADME.md\nexport.ts\nrun.sh\nsrc\n`)).toBe(
      true,
    );
    expect(text).not.toContain('SECRET_TOKEN');
    expect(everything(fixture)).toEqual(before);
    expect(left(fixture)).toEqual([]);
  });

  test('that nobody configured is done when it is merged', async () => {
    expect(await deploy({})).toEqual({ deployed: true, command: null, output: null });
    expect(await hostOf(fixture).deploys.lookup?.(deployOp())).toMatchObject({ deployed: true });
  });

  test('that fails says how, with the end of what it wrote', async () => {
    const { keep: keeping, texts } = shelf();
    const line = 'seq 1 100; echo "no such server" >&2; exit 7';
    const failed = await failureOf(deploy({ deploy: line }, keeping));
    expect(failed).toMatchObject({ code: 'deploy_failed', retry: 'permanent' });
    expect(failed.detail).toMatch(
      /^exit code 7\n82\n83\n[\s\S]*\n100\nno such server\n\(sha256:[0-9a-f]{64}\)$/,
    );
    expect([...texts.values()][0]).toContain('1\n2\n3\n');
  });

  test('that hangs is ended at its time limit, with its children', async () => {
    const pids = join(dirname(fixture.root), 'pids');
    const line = `trap "" TERM; sleep 600 & echo $! > '${pids}'; echo waiting; wait; sleep 600`;
    const failed = await failureOf(deploy({ deploy: line, timeout_minutes: 0.5 / 60 }));
    expect(failed).toMatchObject({ code: 'deploy_failed', retry: 'permanent' });
    expect(failed.detail).toMatch(/^time limit: 0\.5 seconds\nwaiting/);
    expect(isRunning(Number(readFileSync(pids, 'utf8')))).toBe(false);
  });

  test('that leaves a process behind is done, and the process is gone', async () => {
    const pids = join(dirname(fixture.root), 'left');
    const line = `(trap "" HUP; env -i setsid sleep 600 & echo $! > '${pids}')`;
    expect(await deploy({ deploy: line })).toMatchObject({ deployed: true });
    expect(isRunning(Number(readFileSync(pids, 'utf8')))).toBe(false);
  });

  test('that prints 50 MB is done, and what is kept of it is small', async () => {
    const { keep: keeping, texts } = shelf();
    const line = 'echo first; head -c 52428800 /dev/zero | tr "\\0" x | fold -w 100; echo last';
    const { output } = await deploy({ deploy: line }, keeping);
    const text = texts.get(output ?? '') ?? '';
    expect([text.startsWith('first\n'), text.trimEnd().endsWith('last')]).toEqual([true, true]);
    expect(text.length).toBeLessThan(300_000);
  });

  test('whose output cannot be kept has happened all the same', async () => {
    const full = () =>
      Promise.reject(new AdapterError({ code: 'disk_full', retry: 'transient', detail: 'full' }));
    expect(await deploy({ deploy: 'echo done' }, full)).toMatchObject({ deployed: true, output: null });
  });

  test('of a commit that the base does not hold is refused', async () => {
    const host = hostOf(fixture, { deploy: 'echo never' });
    const unrelated = commitOn(fixture, 'baton/stray', 'x.ts', 'x\n');
    const refused = host.deploys.perform(deployOp({ sha: unrelated }), keep);
    expect((await failureOf(refused)).code).toBe('commit_missing');
  });
});

describe('after a crash', () => {
  test.each([
    ['it happened', 'test "$BATON_SHA" = "$(git rev-parse HEAD)"', { deployed: true, output: null }],
    ['it did not happen', 'exit 1', null],
    ['nobody knows: another exit code', 'exit 2', 'unknown'],
    ['nobody knows: no such command', 'no-such-command', 'unknown'],
    ['nobody knows: no answer in time', 'sleep 600', 'unknown'],
    ['nobody knows: no look-up is configured', null, 'unknown'],
  ])('%s', async (_, deployed, expected) => {
    const host = hostOf(fixture, { deploy: 'exit 9', deployed, timeout_minutes: 1 / 60 });
    const found = await host.deploys.lookup?.(deployOp());
    if (expected === null || typeof expected === 'string') expect(found).toBe(expected);
    else expect(Deployed.parse(found)).toEqual({ ...expected, command: 'exit 9' });
  });

  test('a remote that is away leaves it unknown, and no failure is thrown that could lead to a repeat', async () => {
    using away = published();
    const sha = atRemote(away, 'main');
    away.git(['remote', 'set-url', 'origin', '../nowhere.git']);
    const host = hostOf(away, { deploy: 'exit 9', deployed: 'exit 1' });
    expect(await host.deploys.lookup?.(deployOp({ sha }))).toBe('unknown');
  });

  test('a scratch place that a dead process left is removed when it is old', async () => {
    const [old, young] = ['0123456789abcdef', 'fedcba9876543210'].map((name) =>
      join(scratchOf(fixture), name),
    );
    for (const folder of [old, young]) mkdirSync(join(folder ?? '', 'tree'), { recursive: true });
    const past = Date.now() / 1000 - 3 * 24 * 60 * 60;
    utimesSync(old ?? '', past, past);
    await inspect(hostOf(fixture), pull);
    expect([existsSync(old ?? ''), existsSync(young ?? '')]).toEqual([false, true]);
  });
});

describe('checks of a pull request', () => {
  const checksOf = async (checks: string | null, more: Partial<ReleaseConfig> = {}) =>
    (await inspect(hostOf(fixture, { checks, ...more }), pull)).checks;

  test.each([
    ['exit 0', 'passed'],
    ['exit 1', 'failed'],
    ['exit 2', 'pending'],
  ])('%s is %s', async (line, state) => {
    const list = [{ name: 'release.checks', state }];
    expect(await checksOf(line)).toEqual({ readable: true, why: null, state, list });
  });

  test('none configured is none', async () => {
    expect(await checksOf(null)).toEqual({ readable: true, why: null, state: 'none', list: [] });
  });

  test.each([
    ['another exit code', 'echo "HTTP 403: no access"; exit 4', /^exit code 4\nHTTP 403: no access$/],
    ['no such command', 'no-such-command', /^exit code 127\n.*not found/],
    ['no answer in time', 'echo asking; sleep 600', /^time limit: 1 seconds\nasking$/],
    ['a signal', 'kill -9 $$', /^ended by signal: SIGKILL$/],
  ])('that cannot be read are said to be so, and are nothing else: %s', async (_, line, why) => {
    const found = await checksOf(line, { timeout_minutes: 1 / 60 });
    expect(found).toMatchObject({ readable: false, state: 'none', list: [] });
    expect(found.why).toMatch(why);
  });

  test('TRUST-01 are those of the commit that is to be merged, asked for in the files of the base', async () => {
    using moved = published();
    commitOn(moved, BRANCH, 'export.ts', 'one\n');
    const first = await openPull(hostOf(moved));
    const theirs = commitElsewhere(moved, BRANCH, 'theirs.ts', 'x\n');
    const found = await inspect(
      hostOf(moved, { checks: 'echo $BATON_SHA; git rev-parse HEAD; ls; exit 9' }),
      first,
    );
    expect(found.head_sha).toBe(theirs);
    const base = moved.git(['rev-parse', 'origin/main']).trim();
    expect(found.checks.why).toContain(`${first.head_sha}\n${base}\n`);
    expect(found.checks.why).not.toMatch(/export\.ts|theirs\.ts/);
    const unknown = { ...first, head_sha: 'a'.repeat(40) };
    expect((await inspect(hostOf(moved, { checks: 'exit 0' }), unknown)).checks).toMatchObject({
      ...{ readable: false, why: `commit ${'a'.repeat(40)} is not at the remote` },
    });
  });

  test('a stop ends the command that reads them', async () => {
    const { branch, head_sha, pr_number, base } = pull;
    const marker = join(dirname(fixture.root), 'started');
    const stop = new AbortController();
    const host = hostOf(fixture, { checks: `echo $$ > '${marker}'; sleep 600` });
    const input = { branch, head_sha, pr_number, base };
    const looking = host.query({ what: 'host.release', input }, { ...LOOKING, signal: stop.signal });
    void until(() => existsSync(marker) && readFileSync(marker, 'utf8') !== '').then(() => stop.abort());
    expect((await failureOf(looking)).code).toBe('interrupted');
    expect(isRunning(Number(readFileSync(marker, 'utf8')))).toBe(false);
  });
});

describe('what is told of a pull request', () => {
  test('its changed paths, both names of a moved file among them', async () => {
    using moved = published();
    commitOn(moved, BRANCH, 'db/migrations/1.sql', 'create table t();\n');
    moved.git(['worktree', 'add', '-q', '../move', BRANCH]);
    moved.git(['mv', 'src/a.ts', 'src/c.ts'], join(dirname(moved.root), 'move'));
    moved.git(['commit', '-q', '-m', 'move'], join(dirname(moved.root), 'move'));
    const opened = await openPull(hostOf(moved));
    commitElsewhere(moved, 'main', 'other.ts', 'not of this branch\n');
    const found = await inspect(hostOf(moved), opened);
    expect(found.paths).toEqual(['db/migrations/1.sql', 'src/a.ts', 'src/c.ts']);
    expect(found).toMatchObject({ mergeable: true, by_us: true, paths_left_out: 0 });
  });

  test('one that Baton never recorded is not ours', async () => {
    const found = await inspect(hostOf(fixture), { ...pull, pr_number: 9 });
    expect(found).toMatchObject({ by_us: false, author_is_bot: false });
  });

  test.each([
    ['approved', 'echo ada; echo " bob "', { approved: true, approved_by: ['ada', 'bob'] }],
    ['not approved', 'echo ada; exit 1', { approved: false, approved_by: [] }],
    ['not to be told', 'echo ada; exit 5', { approved: false, approved_by: [] }],
    ['never asked', null, { approved: false, approved_by: [] }],
  ])('a bot’s pull request: %s', async (_, approved, expected) => {
    using own = published();
    commitOn(own, BRANCH, 'export.ts', 'one\n');
    const host = hostOf(own, { bot: true, approved });
    const opened = await openPull(host);
    expect(opened.author_is_bot).toBe(true);
    expect(await inspect(host, opened)).toMatchObject({ author_is_bot: true, ...expected });
  });
});

describe('observing what was released', () => {
  const observe = async (line: string | null) => {
    const host = hostOf(fixture, { observe: line });
    const input = { ticket: 'B-12', sha: merged.merged_sha, base: 'main' };
    return Observed.parse(await host.query({ what: 'host.observe', input }, LOOKING));
  };

  test('says what the command saw', async () => {
    expect(await observe('echo "up: $BATON_TICKET"')).toMatchObject({
      ...{ configured: true, ok: true, exit: 0, output: 'up: B-12' },
      output_hash: expect.stringMatching(/^sha256:/),
    });
    expect(await observe('echo down; exit 3')).toMatchObject({ ok: false, exit: 3, output: 'down' });
  });

  test('says when nothing is configured', async () => {
    const nothing = { configured: false, ok: null, exit: null, output: '', output_hash: null };
    expect(await observe(null)).toEqual(nothing);
  });
});

test('no place of this machine stands in what is told of the remote', async () => {
  const found = await inspect(hostOf(fixture, { checks: 'git remote -v; pwd; exit 9' }), pull);
  expect(found.checks.why).not.toContain(remoteOf(fixture));
  expect(found.checks.why).not.toContain(scratchOf(fixture));
});
