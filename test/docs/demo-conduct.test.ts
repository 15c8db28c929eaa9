import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBundle } from '../support/shared-bundle.ts';

/** The demo of one ticket as a person starts it, without a terminal; looked at afterwards from outside. */
const base = mkdtempSync(path.join(tmpdir(), 'baton-demo-conduct-'));
let demo: { code: number | null; output: string };
let main: string;
let stage: string;

beforeAll(async () => {
  ({ main } = await sharedBundle());
  const done = spawnSync(process.execPath, ['scripts/demo.ts', '--conduct'], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: base, LC_ALL: 'en_US.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  demo = { code: done.status, output: done.stdout + done.stderr };
  stage = path.join(base, readdirSync(base).find((name) => name.startsWith('baton-demo-')) ?? '');
}, 400_000);

afterAll(() => rmSync(base, { recursive: true, force: true }));

const folder = () => path.join(stage, 'photos');

function baton(...argv: string[]) {
  const env = { ...process.env, BATON_HOME: path.join(stage, 'state') };
  const said = execFileSync(process.execPath, [main, ...argv, '--json'], {
    cwd: folder(),
    env,
    encoding: 'utf8',
  });
  return JSON.parse(said);
}

const git = (...argv: string[]) =>
  execFileSync('git', argv, { cwd: folder(), encoding: 'utf8' }).trim().slice(0, 12);

test('the demo of one ticket ends well and says where its files are', () => {
  expect(demo.code, demo.output).toBe(0);
  expect(demo.output).toContain(folder());
});

test('it is refused where only a person answers, and the first pause names its risk class', () => {
  expect(demo.output).toContain('exit code 3: refused');
  expect(demo.output).toContain('waits for a person: risk-floor auth');
});

test('what was decided is listed as it stands in the store', () => {
  const entries = baton('decisions', 'list') as { id: string; status: string; title: string }[];
  expect(entries.length).toBeGreaterThanOrEqual(4);
  for (const { id, status, title } of entries) expect(demo.output).toContain(`${id}  ${status}  ${title}`);
});

test('main of the remote has moved to what was built, and the ticket is verified', () => {
  const remote = git('ls-remote', 'origin', 'refs/heads/main');
  expect(remote).not.toBe(git('rev-parse', 'main'));
  expect(demo.output).toContain(`main of the remote is now ${remote}`);
  expect(baton('ticket', 'show', 'B-1')).toMatchObject({ workflow_state: 'Verified' });
});

test('the store it leaves is sound', () => {
  expect(baton('doctor', '--deep')).toMatchObject({ ok: true, problems: [] });
});
