import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const TASK = [
  '- **TSK-01** {A} One line; TSK-03 {B} is only named here.',
  '- **TSK-02** {A} A second line.',
  '- **TSK-03** {B} A line of another slice, with a clause {A}.',
  '- **TSK-04** {C} The last slice.',
  '- Note: TSK-05 {A} is withdrawn.',
  '- **I-01** {A} An invariant. **I-02** {B} Another one.',
].join('\n');

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'baton-trace-'));
  mkdirSync(join(project, 'docs/requirements'), { recursive: true });
  mkdirSync(join(project, '.reports'));
  const files = {
    spec: '- **SP-01** A line without a slice.',
    deliver: '- **WF-01** A line.',
    autopilot: '- **AP-01** A line.\n- **IV-01** An invariant.',
    conduct: '- **CON-01** A line.',
    task: TASK,
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(project, `docs/requirements/${name}.md`), text);
  const result = (fullName: string, status = 'passed') => ({ fullName, status });
  const assertionResults = [
    result('SP-1: a number without zeros'),
    result('TSK-01: passes here'),
    result('TSK-02: passes here'),
    result('TSK-02: fails there', 'failed'),
    result('TSK-03: passes'),
    result('TSK I-02: passes'),
  ];
  // The folder has no sources and no test files, so that every report is fresh and no tests run.
  const report = { startTime: 1, testResults: [{ name: 'some.test.ts', assertionResults }] };
  writeFileSync(join(project, '.reports/tests.json'), JSON.stringify(report));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

function trace(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('scripts/trace.ts'), ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function traceJson(...args: string[]): unknown {
  return JSON.parse(trace('--json', ...args).stdout);
}

describe('npm run trace', () => {
  test('without a slice counts every line of every file', () => {
    const { status, stdout } = trace();
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'spec       requirements      1/1   invariants      0/0',
      'deliver    requirements      0/1   invariants      0/0',
      '  no passing test: WF-01',
      'autopilot  requirements      0/1   invariants      0/1',
      '  no passing test: AP-01, AP IV-01',
      'conduct    requirements      0/1   invariants      0/0',
      '  no passing test: CON-01',
      'task       requirements      2/4   invariants      1/2',
      '  no passing test: TSK-02, TSK-04, TSK I-01',
    ]);
  });

  test('with a slice counts only the lines that have its mark after the id', () => {
    expect(trace('--slice', 'A').stdout.trimEnd().split('\n')).toEqual([
      'task       requirements      1/2   invariants      0/1',
      '  no passing test: TSK-02, TSK I-01',
    ]);
    const counts = { total: 1, tested: 1, invariants: 1, invariantsTested: 1, missing: [] };
    expect(traceJson('--slice', 'B')).toEqual({ task: counts });
    const none = { total: 1, tested: 0, invariants: 0, invariantsTested: 0, missing: ['TSK-04'] };
    expect(traceJson('--slice=C')).toEqual({ task: none });
  });

  test.each([
    ['an unknown letter', ['--slice', 'D'], '"D" is not a slice'],
    ['an empty letter', ['--slice='], '"" is not a slice'],
    ['no letter', ['--slice'], '--slice'],
    ['an unknown option', ['--slices', 'A'], '--slices'],
  ])('refuses %s with exit code 2 and what is allowed', (_case, args, reason) => {
    const { status, stdout, stderr } = trace(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('Allowed: --json, --slice A|B|C');
  });
});
