import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

/** A file and the imports that it may not have, each with the rule that refuses it. */
const BROKEN: readonly [file: string, to: string, rule: string][] = [
  ['files/a.ts', 'ports/x.ts', 'files-see-engine'],
  ['files/b.ts', 'adapters/git/x.ts', 'files-see-engine'],
  ['runtime/a.ts', 'files/x.ts', 'runtime-sees-no-adapter-or-surface'],
  ['runtime/b.ts', 'workflows/conduct/x.ts', 'runtime-sees-no-single-workflow'],
  ['surfaces/cli/b.ts', 'workflows/conduct/x.ts', 'surfaces-see-no-workflow'],
  ['engine/a.ts', 'files/x.ts', 'engine-sees-contract'],
  ['surfaces/cli/a.ts', 'files/x.ts', 'surfaces-see-contract-engine-runtime'],
  ['adapters/git/a.ts', 'adapters/workspace/x.ts', 'adapters-are-strangers'],
  ['adapters/host-git/a.ts', 'adapters/workspace/x.ts', 'adapters-are-strangers'],
  ['adapters/workspace/a.ts', 'adapters/host-git/x.ts', 'adapters-are-strangers'],
  ['adapters/git/b.ts', 'adapters/agent-process/x.ts', 'only-agents-are-processes'],
  ['adapters/workspace/b.ts', 'runtime/x.ts', 'adapters-see-ports-contract-engine'],
];

const ALLOWED: readonly [file: string, to: string][] = [
  ['files/c.ts', 'engine/x.ts'],
  ['adapters/host-git/c.ts', 'adapters/git/x.ts'],
  ['adapters/workspace/c.ts', 'adapters/git/x.ts'],
  ['adapters/git/c.ts', 'files/x.ts'],
  ['adapters/agent-codex/c.ts', 'adapters/agent-process/x.ts'],
];

/** A tree of its own, because planted files in src would disturb tests that run at the same time. */
function violationsOf(imports: readonly (readonly [string, string, ...unknown[]])[]): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'baton-arrows-'));
  const write = (name: string, text: string) => {
    const file = path.join(root, 'src', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  try {
    symlinkSync(path.resolve('node_modules'), path.join(root, 'node_modules'));
    for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json']) cpSync(name, path.join(root, name));
    for (const [, to] of imports) write(to, 'export const x = 1;\n');
    for (const [from, to] of imports)
      write(from, `export { x } from '${path.posix.relative(path.posix.dirname(from), to)}';\n`);
    const program = path.resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const args = [program, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src'];
    const json = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    const { summary } = JSON.parse(json) as { summary: { violations: Violation[] } };
    return summary.violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

test('each import that the layers forbid is reported by the rule for it', () => {
  const expected = BROKEN.map(([from, to, rule]) => `src/${from} -> src/${to}: ${rule}`);
  expect(violationsOf([...BROKEN, ...ALLOWED])).toEqual(expect.arrayContaining(expected));
});

test('imports along the arrows are not reported', () => {
  expect(violationsOf(ALLOWED)).toEqual([]);
});
