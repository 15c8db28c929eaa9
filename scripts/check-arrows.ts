import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ICruiseResult } from 'dependency-cruiser';
import { reportProblems } from './report-problems.ts';

// dependency-cruiser passes with "0 modules cruised" when it cannot read the compiler it finds.
const FEWEST_MODULES = 10;

const { modules, summary } = cruise();
const seen = modules.filter((module) => module.source.startsWith('src/')).length;
const problems = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
if (seen < FEWEST_MODULES) {
  problems.push(`only ${seen} modules of src were seen, at least ${FEWEST_MODULES} expected`);
}
reportProblems('arrows', problems, `${seen} modules of src seen`);

function cruise(): ICruiseResult {
  const program = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
  const folders = ['src', 'test', 'scripts'].filter((folder) => existsSync(folder));
  const args = [program, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders];
  const json = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return JSON.parse(json) as ICruiseResult;
}
