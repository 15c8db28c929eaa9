import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-score-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function endOf(report: string | null, ...steps: string[]): string[] {
  mkdirSync(path.join(folder, '.reports'), { recursive: true });
  if (report !== null) writeFileSync(path.join(folder, '.reports/tests.json'), report);
  const script = path.resolve('.ci/score.cjs');
  return execFileSync(process.execPath, [script, ...steps], { cwd: folder, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

test('the end of a CI run names every failed test and step, and its last line is the score', () => {
  const message = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
  const broken = { fullName: 'a thing works', status: 'failed', failureMessages: [message] };
  const fine = { fullName: 'another works', status: 'passed', failureMessages: [] };
  const file = (name: string, assertionResults: unknown[], more: string) => ({
    name: path.join(folder, name),
    status: 'failed',
    message: more,
    assertionResults,
  });
  const testResults = [file('test/a.test.ts', [fine, broken], ''), file('test/b.test.ts', [], 'no module')];
  const report = { numPassedTests: 1, numFailedTests: 1, testResults };
  expect(endOf(JSON.stringify(report), 'npm run check', 'npm test')).toEqual([
    'failed test: test/a.test.ts > a thing works',
    ...Array.from({ length: 8 }, (_, n) => `    line ${n}`),
    'failed test: test/b.test.ts',
    '    no module',
    'failed step: npm run check',
    'failed step: npm test',
    '1 passed, 1 failed',
  ]);
});

test('a file whose process died is named with what the runner said of it, though no test failed', () => {
  const assertionResults = ['passed', 'skipped', 'pending', 'pending'].map((status) => ({ status }));
  const file = { name: path.join(folder, 'test/a.test.ts'), status: 'passed', message: '', assertionResults };
  mkdirSync(path.join(folder, '.reports'));
  const log = 'RUN\n\u001b[31m--- Unhandled Errors ---\u001b[39m\n\nWorker exited unexpectedly\n';
  writeFileSync(path.join(folder, '.reports/tests.log'), log);
  const report = { numPassedTests: 1, numFailedTests: 0, testResults: [file] };
  expect(endOf(JSON.stringify(report), 'npm test')).toEqual([
    'failed test: test/a.test.ts',
    '    2 of its tests did not run: its process ended before them',
    '--- Unhandled Errors ---',
    'Worker exited unexpectedly',
    'failed step: npm test',
    '1 passed, 0 failed',
  ]);
});

test.each([null, '{"numPassedTests": 3, "testRes'])(
  'a run that left the report %s has passed nothing',
  (report) => {
    expect(endOf(report)).toEqual(['no test report was written', '0 passed, 0 failed']);
  },
);
