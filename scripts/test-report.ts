import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';

/** The part of vitest's JSON report that we read. */
export type TestReport = {
  startTime: number;
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
};

const REPORT = '.reports/tests.json';

/** The report of the last complete test run; runs the tests first (output on stderr) if that run is out of date. */
export function freshReport(): TestReport {
  const last = readReport();
  if (last && isFresh(last)) return last;
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], { stdio: ['ignore', 2, 2] });
  const report = readReport();
  if (!report || report.startTime === last?.startTime) throw new Error(`the test run wrote no ${REPORT}`);
  return report;
}

function readReport(): TestReport | undefined {
  return existsSync(REPORT) ? (JSON.parse(readFileSync(REPORT, 'utf8')) as TestReport) : undefined;
}

/** A run of only some test files is not fresh, however young it is: it would call the others untested. */
function isFresh(report: TestReport): boolean {
  const ran = new Set(report.testResults.map((file) => relative('.', file.name)));
  const changed = globSync('{src,test}/**/*').map((file) => statSync(file).mtimeMs);
  return (
    globSync('test/**/*.test.ts').every((file) => ran.has(file)) && Math.max(...changed) < report.startTime
  );
}
