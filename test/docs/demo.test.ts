import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBundle } from '../support/shared-bundle.ts';

/** The demo as `npm run demo` starts it, without a terminal; looked at afterwards from outside. */
const base = mkdtempSync(path.join(tmpdir(), 'baton-demo-test-'));
let demo: { code: number | null; output: string };
let main: string;
let folder: string;
let state: string;
let runs: { spec: string; deliver: string };

beforeAll(async () => {
  ({ main } = await sharedBundle());
  const done = spawnSync(process.execPath, ['scripts/demo.ts'], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: base, LC_ALL: 'ko_KR.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = { code: done.status, output: done.stdout + done.stderr };
  const stage = path.join(base, readdirSync(base).find((name) => name.startsWith('baton-demo-')) ?? '');
  folder = path.join(stage, 'photos');
  state = path.join(stage, 'state');
  const [spec = '', deliver = ''] = ['sp', 'de'].map(
    (kind) => new RegExp(`${kind}-\\w+`).exec(demo.output)?.[0],
  );
  runs = { spec, deliver };
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function baton(...argv: string[]): string {
  const env = { ...process.env, BATON_HOME: state };
  return execFileSync(process.execPath, [main, ...argv], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

function git(...argv: string[]): string {
  return execFileSync('git', argv, { cwd: folder, encoding: 'utf8' }).trim();
}

test('the demo ends well and says where its files are', () => {
  expect(demo.code, demo.output).toBe(0);
  expect(demo.output).toContain(folder);
  expect(demo.output.split('\n').length).toBeLessThan(110);
});

test('the transcript in the README is printed by this demo, in this order', () => {
  const [, transcript = ''] = /^```text demo\n([\s\S]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(transcript.split('\n').length - 1).toBeLessThanOrEqual(25);
  const parts = transcript.split('[...]').map(withoutIds);
  expect(parts.length).toBeGreaterThan(3);
  const printed = withoutIds(demo.output);
  const offsets = parts.map((part) => printed.indexOf(part));
  expect(parts.filter((_, at) => offsets[at] === -1)).toEqual([]);
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
});

test('a check fails, its process is killed with SIGKILL in the repair, and the product tells of the interruption', () => {
  const told = demo.output.replace(/\s*\n\s*/g, ' ');
  expect(told).toMatch(
    /Checks: FAIL\. test: test\/names-of\.test\.js:12 .*Repair, layer 1, 1 of 3\. .*kill -9 \d+: gone by SIGKILL.*was interrupted while generator single worked.*Checks: PASS\..*Evaluation: PASS/,
  );
});

test('the shipped command is refused where the demo may answer', () => {
  expect(demo.output).toContain('Only a person answers gates');
  expect(demo.output).toContain('exit code 3: refused');
});

test('every gate was answered exactly once, by the person called demo', () => {
  const events = [runs.spec, runs.deliver].flatMap((run) =>
    baton('log', run, '--json')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const of = (type: string) => events.filter((event) => event.type === type);
  const gates = (type: string) => of(type).map(({ input }) => input.gate);
  const answered = gates('gate_answered');
  expect(answered).toHaveLength(8);
  expect(new Set(answered).size).toBe(answered.length);
  expect(gates('gate_opened').sort()).toEqual(answered.sort());
  for (const { input } of of('gate_answered')) {
    expect(input.by).toEqual({ person: 'demo', surface: 'demo', proof: 'composition' });
  }
});

test('the deliver run makes at most 22 transitions after its start', () => {
  const events = baton('log', runs.deliver, '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const steps = events.flatMap(({ type, input }) => (type === 'step_started' ? [JSON.stringify(input)] : []));
  const transitions = events.at(-1).turn - 1;
  // Each one is a commit. More mean that a phase without anything to do, or a document nobody reads, costs one again.
  expect(transitions, steps.join('\n')).toBeLessThanOrEqual(22);
});

test('the change is a commit on a branch of its own, and the tests of that branch pass', () => {
  const branch = 'baton/deliver-unique-photo-names';
  const main = git('rev-parse', 'main');
  expect(git('log', '--format=%s', `main..${branch}`).split('\n')).toEqual([
    'deliver: unique-photo-names',
    'spec: unique-photo-names',
  ]);
  expect(git('diff', '--name-only', main, branch, '--', 'src', 'test').split('\n')).toEqual([
    'src/names.js',
    'test/names-of.test.js',
  ]);
  const fresh = path.join(base, 'fresh');
  git('clone', '-q', '-b', branch, folder, fresh);
  const tests = spawnSync(process.execPath, ['--test'], {
    cwd: fresh,
    encoding: 'utf8',
    env: testEnvironment(),
  });
  expect(tests.status, tests.stdout).toBe(0);
  expect(tests.stdout).toMatch(/pass 4\b/);
});

test('the criteria of the approved specification are the ones planned and the ones shown', () => {
  const ids = (run: string, document: string) =>
    [...new Set(baton('show', run, document).match(/AC-\d/g))].sort();
  expect(ids(runs.spec, 'spec')).toEqual(['AC-1', 'AC-2', 'AC-3']);
  expect(ids(runs.deliver, 'deliver_spec.md')).toEqual(ids(runs.spec, 'spec'));
  expect(ids(runs.deliver, 'evidence')).toEqual(ids(runs.spec, 'spec'));
  expect(baton('show', runs.deliver, 'evidence')).toContain('Passed: yes');
});

test('the checkout of the person is as it was, with what was not committed', () => {
  expect(git('status', '--porcelain', '--branch').split('\n')).toEqual([
    '## main',
    ' M README.md',
    '?? notes.txt',
  ]);
  expect(git('rev-list', '--count', 'main')).toBe('1');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
});

test('the store it leaves is sound', () => {
  expect(JSON.parse(baton('doctor', '--deep', '--json'))).toMatchObject({ ok: true, runs: 2, problems: [] });
});

/** Run ids and process ids differ from run to run, and so do the line breaks they lead to. */
function withoutIds(text: string): string {
  return text
    .replace(/\b(sp|de)-\w+/g, '$1-0')
    .replace(/kill -9 \d+/g, 'kill -9 0')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Without what the runner of this test sets for its own children. */
function testEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  return { ...env, NO_COLOR: '1' };
}
