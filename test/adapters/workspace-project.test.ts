import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { type JudgeInput, judgeChecks } from '../../src/engine/judge-checks.ts';
import { failureOf, keep, plainFolder, repository } from './workspace-fixture.ts';

const NO_CHECK_OPTIONS = { lint_cmd: null, type_check_cmd: null, scope: null };

describe('the look project', () => {
  test('reads the names and the two texts of the root', async () => {
    using folder = repository();
    folder.write('package.json', JSON.stringify({ scripts: { test: 'vitest', lint: 'biome check' } }));
    folder.write('tsconfig.json', '{}');
    folder.write('packages/a/Cargo.toml', '');
    const query = { what: 'project', input: NO_CHECK_OPTIONS };
    expect(await (await folder.open()).query(query, keep)).toEqual({
      lang: 'typescript',
      build: null,
      test: { command: 'npm test', source: 'package.json' },
      lint: { command: 'npm run lint', source: 'package.json' },
      type_check: { command: 'npx tsc --noEmit', source: 'tsconfig.json' },
      install: null,
      unread: [],
    });
  });

  test('what a person said wins, and null takes a check away', async () => {
    using folder = plainFolder();
    folder.write('pyproject.toml', '[tool.ruff]\n[tool.mypy]\n');
    const input = {
      ...NO_CHECK_OPTIONS,
      lint_cmd: 'make lint',
      checks: { test: 'make test', type_check: null, timeout_minutes: 5 },
    };
    expect(await (await folder.open()).query({ what: 'project', input }, keep)).toEqual({
      lang: 'python',
      build: null,
      test: { command: 'make test', source: 'baton.yaml' },
      lint: { command: 'make lint', source: '--lint-cmd' },
      type_check: null,
      install: null,
      unread: [],
    });
  });

  test('a folder of a marker’s name is none, and a file that is not to be read is named', async () => {
    using folder = plainFolder();
    folder.write('go.mod/x', '');
    folder.write('elsewhere.json', JSON.stringify({ scripts: { test: 'x' } }));
    symlinkSync('elsewhere.json', folder.path('package.json'));
    folder.write('pyproject.toml', Buffer.from([0xff, 0x00]));
    const workspace = await folder.open();
    expect(await workspace.query({ what: 'project', input: NO_CHECK_OPTIONS }, keep)).toMatchObject({
      lang: 'python',
      test: { command: 'pytest', source: 'pyproject.toml' },
      lint: null,
      unread: ['package.json', 'pyproject.toml'],
    });
  });

  test('a root that is gone is the world’s failure', async () => {
    using folder = plainFolder();
    const workspace = await folder.open();
    const { rmSync } = await import('node:fs');
    rmSync(folder.root, { recursive: true });
    expect((await failureOf(workspace.query({ what: 'project', input: NO_CHECK_OPTIONS }, keep))).code).toBe(
      'io_failed',
    );
  });
});

const CLEAN: JudgeInput = {
  ...{ commands: { build: null, test: null, lint: null, type_check: null }, checks: [], baseline: null },
  ...{ todo: [], todo_blocking: false, outside: [], files: 1, max_files: 20, judge_all: false },
};

describe('the completeness scan', () => {
  test('WF-48 markers in changed files warn or block, those in unchanged files and unknown files do not count', async () => {
    using folder = plainFolder();
    folder.write('old.ts', '// TODO old\n');
    folder.write('grown.ts', 'export const a = 1;\n');
    const { environment, root } = folder;
    const state = `${environment.HOME}/state`;
    const workspace = await openWorkspace({ root, namespace: 'baton', environment, state });
    await workspace.snapshot('start');
    folder.write('grown.ts', 'export const a = 1;\n// FIXME now\n');
    folder.write('new.ts', '// HACK\n// TODOS are fine\n// TODO(x): y\n');
    const query = { what: 'change_set', input: { since: 'start', scope: null, max_files: 20 } };
    const change = (await workspace.query(query, keep)) as { todo: JudgeInput['todo'] };
    expect(change.todo?.map(({ path, line }) => `${path}:${line}`)).toEqual([
      'grown.ts:2',
      'new.ts:1',
      'new.ts:3',
    ]);

    const judged = (todo: JudgeInput['todo'], todo_blocking: boolean) => {
      const { result: end, report, reasons } = judgeChecks({ ...CLEAN, todo, todo_blocking });
      return [end, report.scan.result, report.scan.markers.length, reasons.length];
    };
    expect(judged(change.todo, false)).toEqual(['PASS', 'WARN', 3, 0]);
    expect(judged(change.todo, true)).toEqual(['FAIL', 'FAIL', 3, 1]);
    expect(judged([], true)).toEqual(['PASS', 'PASS', 0, 0]);
    expect(judged(null, true)).toEqual(['PASS', 'SKIPPED', 0, 0]);
  });
});
