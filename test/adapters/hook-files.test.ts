import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findHooks } from '../../src/adapters/workspace/changes/hook-files.ts';
import { realFolder } from '../../src/files/real-path.ts';
import { type Fixture, plainFolder } from './workspace-fixture.ts';

const MANIFEST = JSON.stringify({ scripts: { lint: 'node by-script.js' } });

async function hooksFor(fixture: Fixture, changed: readonly string[], folder: string | null) {
  const root = await realFolder(fixture.root);
  const location = { root, namespace: 'baton', openHooks: async () => folder };
  const [modified, created] = [changed.slice(1), changed.slice(0, 1)];
  return findHooks(location, { modified, created });
}

function withHook(text: string): Fixture {
  const fixture = plainFolder();
  fixture.write('package.json', MANIFEST);
  chmodSync(fixture.write('hooks/pre-commit', `#!/bin/sh\n${text}\n`), 0o755);
  return fixture;
}

test.each([
  ['package.json', true],
  ['.husky/pre-commit', true],
  ['scripts/x.sh', true],
  ['Scripts/X.sh', true],
  ['deep/bin/run', true],
  ['tools/notes.txt', true],
  ['app.config.mjs', true],
  ['.prettierrc.json', true],
  ['poetry.lock', true],
  ['test/data.json', true],
  ['src/a.spec.ts', true],
  ['pkg/sum_test.go', true],
  ['test_sums.py', true],
  ['by-hook.sh', true],
  ['by-script.js', true],
  ['program', true],
  ['src/index.ts', false],
  ['docs/testing.md', false],
  ['gone.txt', false],
])('WF-71 a commit hook can execute the changed file %s: %s', async (path, listed) => {
  using fixture = withHook('sh ./by-hook.sh && npm run lint');
  if (path !== 'package.json' && path !== 'gone.txt') fixture.write(path, 'x');
  if (path === 'program') chmodSync(fixture.path(path), 0o755);
  for (const changed of [[path], ['README.md', path]])
    expect(await hooksFor(fixture, changed, fixture.path('hooks'))).toEqual({
      names: ['pre-commit'],
      files: listed ? [path] : [],
    });
});

test('WF-71 without a hook that would run nothing is listed', async () => {
  using fixture = withHook('true');
  expect(await hooksFor(fixture, ['package.json'], null)).toBe(null);
  chmodSync(fixture.path('hooks/pre-commit'), 0o644);
  expect(await hooksFor(fixture, ['package.json'], fixture.path('hooks'))).toBe(null);
});
