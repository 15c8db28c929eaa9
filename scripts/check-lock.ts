import { execFileSync } from 'node:child_process';
import { type Line, projectLines } from './project-lines.ts';
import { reportProblems } from './report-problems.ts';

// The repository must install from any registry and say nothing about the machine it was written on.
const PUBLIC_REGISTRY = /registry\.npmjs\.org/;
const MACHINE_PATH = /(?<![\w.$})\]~*-])\/(work|root|tmp|home)\/[A-Za-z]/;

const registry = registryHost();
const lines = projectLines();
reportProblems('lock', lines.flatMap(complain), `${lines.length} lines read`);

function complain(line: Line): string[] {
  const at = `${line.file}:${line.number}`;
  const problems: string[] = [];
  if (line.file === 'package-lock.json' && line.text.includes('"resolved": "http')) {
    problems.push(`${at} holds a download address; .npmrc keeps them out`);
  }
  if (PUBLIC_REGISTRY.test(line.text) || line.text.includes(registry)) {
    problems.push(`${at} names a package registry`);
  }
  if (MACHINE_PATH.test(line.text) && !line.text.includes('os.tmpdir')) {
    problems.push(`${at} holds an absolute path of one machine`);
  }
  return problems;
}

function registryHost(): string {
  const address = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', stdio: 'pipe' });
  return new URL(address.trim()).host;
}
