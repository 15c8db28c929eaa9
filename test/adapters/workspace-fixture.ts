import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GitEnvironment } from '../../src/adapters/git/git.ts';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import { sha256 } from '../../src/files/real-files.ts';
import type { StoreText, Workspace } from '../../src/ports/workspace.ts';

/** A temporary folder that goes away with `using`. Its own path is real; `home` is an empty home folder. */
export interface Fixture extends Disposable {
  readonly root: string;
  readonly environment: Record<string, string> & { readonly PATH: string; readonly HOME: string };
  path(name: string): string;
  write(name: string, content: string | Buffer): string;
  git(args: readonly string[], cwd?: string): string;
  open(root?: string): Promise<Workspace>;
}

/** An empty folder `name` in a temporary place of its own. */
export function plainFolder(name = 'project'): Fixture {
  const location = realpathSync(mkdtempSync(join(tmpdir(), 'baton-workspace-')));
  const root = join(location, name);
  const home = join(location, 'home');
  mkdirSync(root, { recursive: true });
  mkdirSync(home);
  const environment = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_SYSTEM: '/dev/null' };
  const path = (file: string) => join(root, file);
  return {
    root,
    environment,
    path,
    write(file, content) {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), content);
      return path(file);
    },
    git(args, cwd = root) {
      const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
      const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
      const env = { ...environment, ...identity, ...committer };
      const stdio = ['ignore', 'pipe', 'pipe'] as const;
      return execFileSync('git', [...args], { cwd, env, encoding: 'utf8', stdio: [...stdio] });
    },
    open: (folder = root) => openWorkspace({ root: folder, namespace: 'baton', environment }),
    [Symbol.dispose]: () => rmSync(location, { recursive: true, force: true }),
  };
}

/** A repository on branch `main` without a commit. */
export function unbornRepository(name?: string): Fixture {
  const fixture = plainFolder(name);
  fixture.git(['init', '-q', '-b', 'main']);
  return fixture;
}

/** A repository on branch `main` with one commit that holds `README.md`. */
export function repository(name?: string): Fixture {
  const fixture = unbornRepository(name);
  fixture.write('README.md', '# Project\n');
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'first']);
  return fixture;
}

/** Puts a program named `git` in front of the real one: it writes its arguments to a log, then runs the real one. */
export function recordGit(fixture: Fixture): { environment: GitEnvironment; log: string } {
  const bin = join(fixture.environment.HOME, 'bin');
  const log = join(fixture.environment.HOME, 'git.log');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(bin);
  writeFileSync(log, '');
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return { environment: { ...fixture.environment, PATH: `${bin}:${fixture.environment.PATH}` }, log };
}

/** Keeps nothing and answers with the text's hash, like an artefact store would. */
export const keep: StoreText = (text) => Promise.resolve(sha256(text));

/** The failure of a refused operation; the test fails when it was not refused with an AdapterError. */
export async function failureOf(
  run: Promise<unknown>,
): Promise<{ code: string; retry: string; detail: string }> {
  try {
    await run;
  } catch (error) {
    if (error instanceof AdapterError) return error.failure;
    throw error;
  }
  throw new Error('the operation was not refused');
}

/** `n` lines, each ended. */
export function lines(n: number, word = 'line'): string {
  return `${word}\n`.repeat(n);
}

/** Root may read everything, so this runs with the rights of somebody else. */
export async function asOtherUser<T>(fixture: Fixture, run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return await run();
  chmodSync(dirname(fixture.root), 0o755);
  process.seteuid?.(65534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}
