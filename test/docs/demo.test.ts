import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The demo as `npm run demo` starts it, without a terminal; looked at afterwards from outside. */
const base = mkdtempSync(path.join(tmpdir(), 'baton-demo-test-'));
let demo: { code: number | null; output: string; seconds: number };
let folder: string;
let state: string;
let run: string;

beforeAll(() => {
  const began = Date.now();
  const done = spawnSync(process.execPath, ['scripts/demo.ts'], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: base, LC_ALL: 'ko_KR.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = { code: done.status, output: done.stdout + done.stderr, seconds: (Date.now() - began) / 1000 };
  const stage = path.join(base, readdirSync(base).find((name) => name.startsWith('baton-demo-')) ?? '');
  folder = path.join(stage, 'photos');
  state = path.join(stage, 'state');
  run = /^ {3}\| run (sp-\w+) /m.exec(demo.output)?.[1] ?? '';
}, 120_000);

afterAll(() => rmSync(base, { recursive: true, force: true }));

function baton(...argv: string[]): string {
  const env = { ...process.env, BATON_HOME: state };
  return execFileSync(process.execPath, [path.resolve('src/main.ts'), ...argv], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

function git(...argv: string[]): string {
  return execFileSync('git', argv, { cwd: folder, encoding: 'utf8' }).trim();
}

test('the demo ends well, in good time even on a busy machine, and says where its files are', () => {
  expect(demo.code, demo.output).toBe(0);
  expect(demo.seconds).toBeLessThan(90);
  expect(demo.output).toContain(folder);
});

test('its process is killed with SIGKILL, and the product itself tells of the interruption', () => {
  expect(demo.output).toMatch(/kill -9 \d+: gone by SIGKILL/);
  expect(demo.output).toMatch(/\| interrupted +sp-/);
  expect(demo.output.replace(/\s*\n\s*\| */g, ' ')).toMatch(/was interrupted while [\w ]+ worked/);
});

test('the shipped command is refused where the demo may answer', () => {
  expect(demo.output).toContain('Only a person answers gates');
  expect(demo.output).toContain('Exit code 3: refused');
});

test('every gate was answered exactly once, by the person called demo', () => {
  const events = baton('log', run, '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (type: string) => events.filter((event) => event.type === type);
  const answered = of('gate_answered').map(({ input }) => input.gate);
  expect(answered.length).toBeGreaterThanOrEqual(3);
  expect(new Set(answered).size).toBe(answered.length);
  expect(
    of('gate_opened')
      .map(({ input }) => input.gate)
      .sort(),
  ).toEqual(answered.sort());
  for (const { input } of of('gate_answered')) {
    expect(input.by).toEqual({ person: 'demo', surface: 'demo', proof: 'composition' });
  }
});

test('the approved document stands on the branch of the run, and nothing else was touched', () => {
  const branch = git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton');
  const files = git('ls-tree', '-r', '--name-only', branch, 'docs').split('\n');
  const spec = files.find((file) => file.endsWith('/spec.md')) ?? '';
  expect(git('show', `${branch}:${spec}`)).toBe(baton('show', run, 'spec').trim());
  expect(git('rev-list', '--count', `main..${branch}`)).toBe('1');
  expect(git('status', '--porcelain', '--branch')).toBe('## main');
  expect(git('rev-list', '--count', 'main')).toBe('1');
});

test('the store it leaves is sound', () => {
  expect(JSON.parse(baton('doctor', '--deep', '--json'))).toMatchObject({ ok: true, runs: 1, problems: [] });
});
