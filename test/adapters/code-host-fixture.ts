import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openLocalHost } from '../../src/adapters/host-git/open.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import { BuildPr, Merged, ReleaseFacts } from '../../src/contract/code-host.ts';
import { ReleaseConfig } from '../../src/contract/config.ts';
import type { CodeHost } from '../../src/ports/code-host.ts';
import type { PreparedOp } from '../../src/ports/workspace.ts';
import { commandRunner } from '../../src/runtime/run-command.ts';
import { contents, head, op, personal, project, stateOf } from './tree-fixture.ts';
import { type Fixture, keep } from './workspace-fixture.ts';

export const BRANCH = 'baton/B-12-export';
export const NOW = '2026-03-01T10:00:00.000Z';

/** A repository with a bare remote `origin` that has its `main`. */
export function published(name?: string): Fixture {
  const fixture = project(name);
  fixture.git(['init', '-q', '--bare', '-b', 'main', remoteOf(fixture)]);
  fixture.git(['remote', 'add', 'origin', '../remote.git']);
  fixture.git(['push', '-q', 'origin', 'main']);
  return fixture;
}

export function remoteOf(fixture: Fixture): string {
  return join(dirname(fixture.root), 'remote.git');
}

export const atRemote = (fixture: Fixture, ref: string): string => head(fixture, ref, remoteOf(fixture));

/** Refs of the remote, all of them. */
export function remoteRefs(fixture: Fixture): Record<string, string> {
  const lines = fixture.git(['for-each-ref', '--format=%(refname) %(objectname)'], remoteOf(fixture));
  return Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
}

/** Commits a file on a branch that nobody has checked out, a new one from `main`; gives the commit. */
export function commitOn(fixture: Fixture, branch: string, path: string, content: string): string {
  const tree = join(dirname(fixture.root), `work-${Math.random().toString(36).slice(2)}`);
  const known = fixture.git(['branch', '--list', branch]).trim() !== '';
  fixture.git(['worktree', 'add', '-q', ...(known ? [tree, branch] : ['-b', branch, tree, 'main'])]);
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), content);
  fixture.git(['add', '.'], tree);
  fixture.git(['commit', '-q', '-m', `change ${path}`], tree);
  fixture.git(['worktree', 'remove', '--force', tree]);
  return head(fixture, branch);
}

/** Somebody else's commit at the remote, made in a clone of their own. */
export function commitElsewhere(fixture: Fixture, branch: string, path: string, content: string): string {
  const clone = join(dirname(fixture.root), `else-${Math.random().toString(36).slice(2)}`);
  fixture.git(['clone', '-q', '-b', branch, remoteOf(fixture), clone]);
  writeFileSync(join(clone, path), content);
  fixture.git(['add', '.'], clone);
  fixture.git(['commit', '-q', '-m', `elsewhere ${path}`], clone);
  fixture.git(['push', '-q', 'origin', branch], clone);
  return atRemote(fixture, branch);
}

/** The base at the remote moves on by itself, commit after commit. */
export function moveOn(fixture: Fixture, commits: number): void {
  const [at, tree] = [remoteOf(fixture), atRemote(fixture, 'main^{tree}')];
  for (let n = 0; n < commits; n += 1) {
    const next = fixture.git(['commit-tree', tree, '-p', 'main', '-m', `later ${n}`], at).trim();
    fixture.git(['update-ref', 'refs/heads/main', next], at);
  }
}

/** A hook of the remote that refuses with these words. */
export function refuseAt(fixture: Fixture, hook: string, script: string): void {
  const file = join(remoteOf(fixture), 'hooks', hook);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** A host as another process would open it. */
export function hostOf(
  fixture: Fixture,
  release: Partial<ReleaseConfig> = {},
  person = fixture.root,
): CodeHost {
  const { environment } = fixture;
  return openLocalHost({
    ...{ person, dir: scratchOf(fixture), namespace: 'baton', environment },
    release: ReleaseConfig.parse(release),
    run: commandRunner({ processes: createProcesses(), environment }),
    now: () => NOW,
  });
}

export function scratchOf(fixture: Fixture): string {
  return join(stateOf(fixture), 'host');
}

/** Scratch places that are still there. */
export function left(fixture: Fixture): string[] {
  return readdirSync(scratchOf(fixture));
}

export function pullOp(more: Record<string, unknown> = {}, effect = 'B-12/4/0'): PreparedOp {
  const input = { ticket: 'B-12', branch: BRANCH, base: null, title: 'Export', body: 'As planned.' };
  return op('open_pull_request', { ...input, ...more }, effect);
}

export async function openPull(
  host: CodeHost,
  more?: Record<string, unknown>,
  effect?: string,
): Promise<BuildPr> {
  return BuildPr.parse(await host.changes.perform(pullOp(more, effect), keep));
}

export function mergeOp({ pr_number, branch, head_sha, base }: BuildPr, effect = 'B-12/6/0'): PreparedOp {
  return op('merge', { pr_number, branch, head_sha, base, message: 'Merge B-12: Export' }, effect);
}

export async function mergePull(host: CodeHost, pull: BuildPr, effect?: string): Promise<Merged> {
  return Merged.parse(await host.changes.perform(mergeOp(pull, effect), keep));
}

export const LOOKING = { effect: 'B-12/5/0', keep, signal: new AbortController().signal };

export async function inspect(host: CodeHost, pull: BuildPr): Promise<ReleaseFacts> {
  const { branch, head_sha, pr_number, base } = pull;
  const input = { branch, head_sha, pr_number, base };
  return ReleaseFacts.parse(await host.query({ what: 'host.release', input }, LOOKING));
}

/** Makes the checkout as untidy as a person's can be: staged, changed, untracked, ignored, stashed. */
export function untidy(fixture: Fixture): void {
  fixture.write('src/a.ts', 'export const a = "stashed";\n');
  fixture.git(['stash', '-q']);
  fixture.write('src/a.ts', 'export const a = "changed";\n');
  fixture.write('staged.ts', 'staged\n');
  fixture.git(['add', 'staged.ts']);
  fixture.write('untracked.ts', 'untracked\n');
  fixture.write('ignored/file', 'ignored\n');
}

/** Every byte of the person's folder and repository, git's own directory included. */
export function everything(fixture: Fixture) {
  execFileSync('git', ['status'], { cwd: fixture.root, env: fixture.environment, stdio: 'ignore' });
  return { all: contents(fixture.root, true), personal: personal(fixture), head: head(fixture) };
}
