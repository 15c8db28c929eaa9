import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheFolder, installProgram } from './programs.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'programs-'));
  await mkdir(path.join(folder, 'bin'));
  vi.stubEnv('BATON_AGENTS_CACHE', path.join(folder, 'cache'));
  vi.stubEnv('PATH', `${path.join(folder, 'bin')}:${process.env.PATH}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** An npm of our own: the tests must not need a registry. It notes each call. */
async function fakeNpm(script: string): Promise<void> {
  const file = path.join(folder, 'bin', 'npm');
  await writeFile(file, `#!/bin/sh\necho "$@" >> '${folder}/calls'\n${script}\n`);
  await chmod(file, 0o755);
}

const INSTALLS = 'mkdir -p node_modules/.bin && touch node_modules/.bin/gemini';

test('a program is installed once, at its version, without install scripts', async () => {
  await fakeNpm(INSTALLS);
  const first = await installProgram('gemini');
  expect(first).toMatchObject({
    ok: true,
    file: expect.stringMatching(/gemini-[\d.]+\/node_modules\/.bin\/gemini$/),
  });
  expect(await installProgram('gemini')).toEqual(first);
  const calls = (await readFile(path.join(folder, 'calls'), 'utf8')).trim().split('\n');
  expect(calls).toEqual([
    expect.stringMatching(/^install --prefix .*--ignore-scripts.* @google\/gemini-cli@[\d.]+$/),
  ]);
});

test('what cannot be installed is a reason, and is tried again the next time', async () => {
  await fakeNpm('echo "npm error 404 not found" >&2; exit 1');
  expect(await installProgram('gemini')).toMatchObject({ ok: false, reason: 'npm error 404 not found' });
  await fakeNpm(INSTALLS);
  expect(await installProgram('gemini')).toMatchObject({ ok: true });
});

test('an install that left no program is no install', async () => {
  await fakeNpm('true');
  expect(await installProgram('gemini')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('ENOENT'),
  });
  const [made] = await readdir(path.join(folder, 'cache'));
  expect(await readdir(path.join(folder, 'cache', made ?? ''))).toEqual([]);
});

test.each([
  [{ BATON_AGENTS_CACHE: '/a', XDG_CACHE_HOME: '/x' }, '/a'],
  [{ XDG_CACHE_HOME: '/x' }, '/x/baton-agents'],
  [{}, path.join(homedir(), '.cache', 'baton-agents')],
])('the cache of %j is outside the repository', (env, expected) => {
  expect(cacheFolder(env)).toBe(expected);
});
