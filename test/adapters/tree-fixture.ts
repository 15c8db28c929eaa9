import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hookRoom } from '../../src/adapters/sandbox/hook-room.ts';
import { makeSurroundings } from '../../src/adapters/sandbox/surroundings.ts';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { openTree } from '../../src/adapters/workspace/clone/open.ts';
import { sha256 } from '../../src/files/real-files.ts';
import type { HookRoom } from '../../src/ports/hook-room.ts';
import type { StoreText, Workspace } from '../../src/ports/workspace.ts';
import { type Fixture, repository } from './workspace-fixture.ts';

export const BRANCH = 'baton/deliver-dark-mode';
export const DOCS = 'docs/baton/dark-mode';

/** State directory of a fixture, beside the project. */
export function stateOf(fixture: Fixture): string {
  return join(dirname(fixture.root), 'state');
}

/** The tree of a run, not opened yet. */
export function treeOf(
  fixture: Fixture,
  run = 'de-7k2',
  person = fixture.root,
  room?: HookRoom,
): Promise<Workspace> {
  const { environment } = fixture;
  const dir = join(stateOf(fixture), 'trees', run);
  return openTree({ person, dir, run, namespace: 'baton', environment, hookRoom: room });
}

/** The sandbox of commit hooks, for the person of a fixture. */
export function roomOf(fixture: Fixture): HookRoom {
  const { root, environment: env } = fixture;
  const state = stateOf(fixture);
  return hookRoom(() => makeSurroundings({ root, home: state, state, env, programs: [] }), env, null);
}

/** The person's checkout or folder with a state directory. */
export function checkoutOf(fixture: Fixture, root = fixture.root, room?: HookRoom): Promise<Workspace> {
  return openWorkspace({
    hookRoom: room,
    root,
    namespace: 'baton',
    state: stateOf(fixture),
    environment: fixture.environment,
  });
}

export const head = (fixture: Fixture, ref = 'HEAD', cwd = fixture.root): string =>
  fixture.git(['rev-parse', ref], cwd).trim();

export function op(name: string, input: Record<string, unknown>, effect = 'de-7k2/3/0') {
  return { op: name, effect, input };
}

/** A run's tree, opened at the person's HEAD. */
export async function opened(
  fixture: Fixture,
  run = 'de-7k2',
  person = fixture.root,
  room?: HookRoom,
): Promise<Workspace> {
  const tree = await treeOf(fixture, run, person, room);
  await tree.perform(op('open_tree', { base: head(fixture, 'HEAD', person), branch: BRANCH }, `${run}/1/0`));
  return tree;
}

/** A repository with a few files of several kinds. */
export function project(name?: string): Fixture {
  const fixture = repository(name);
  fixture.write('src/a.ts', 'export const a = 1;\n');
  fixture.write('src/b ü.ts', 'export const b = 2;\n');
  fixture.write('.gitignore', 'ignored/\n*.log\n');
  fixture.write('run.sh', '#!/bin/sh\n');
  execFileSync('chmod', ['755', fixture.path('run.sh')]);
  fixture.git(['add', '.']);
  fixture.git(['commit', '-q', '-m', 'project']);
  return fixture;
}

/** Every entry below a folder but git's own: kind, right to be run and bytes. */
export function contents(root: string, all = false): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string, prefix: string) => {
    for (const name of readdirSync(folder)) {
      if (name === '.git' && !all) continue;
      const [at, path] = [join(folder, name), `${prefix}${name}`];
      const stat = lstatSync(at);
      if (stat.isDirectory()) walk(at, `${path}/`);
      else if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(at)}`;
      else if (stat.isFile()) found[path] = `${(stat.mode & 0o111).toString(8)} ${sha256(readFileSync(at))}`;
    }
  };
  walk(root, '');
  return found;
}

/** Everything of the person's that a run must not change; the pins of runs and their branches are the run's. */
export function personal(fixture: Fixture, root = fixture.root) {
  const refs = fixture.git(['for-each-ref'], root).split('\n');
  return {
    files: contents(root),
    index: sha256(fixture.git(['ls-files', '-s', '-v'], root)),
    status: fixture.git(['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '-uall'], root),
    refs: refs.filter((line) => !/refs\/(heads\/)?baton\//.test(line)),
    stash: fixture.git(['stash', 'list'], root),
  };
}

/** Keeps texts in memory like an artefact store. */
export function shelf(): { keep: StoreText; texts: Map<string, string> } {
  const texts = new Map<string, string>();
  const keep: StoreText = (text) => {
    texts.set(sha256(text), text);
    return Promise.resolve(sha256(text));
  };
  return { keep, texts };
}

export interface Changes {
  modified: string[];
  created: string[];
  deleted: string[];
  tree: string;
  outside: { path: string; code: string }[];
  too_many: boolean;
  alters_checks: string[];
  todo: { path: string; line: number; text: string }[];
  git: string[];
  ignored: string[];
  lines: Record<string, { added: number; removed: number }> | null;
}

export async function changeSet(
  workspace: Workspace,
  more: { since?: string; scope?: string[] | null; max_files?: number; run?: string } = {},
): Promise<Changes> {
  const input = { since: 'start', scope: null, max_files: 20, ...more };
  return (await workspace.query({ what: 'change_set', input }, shelf().keep)) as Changes;
}

/** Writes a file inside a tree, folders included. */
export function put(workspace: Workspace, path: string, content: string | Buffer): void {
  execFileSync('mkdir', ['-p', dirname(join(workspace.root, path))]);
  writeFileSync(join(workspace.root, path), content);
}

/** What a worker does in every kind of repository below, and what must come of it. */
export const EDITS = { modified: ['src/a.ts'], created: ['src/new ü.ts'], deleted: ['run.sh'] };

export function edit(tree: Workspace): void {
  put(tree, 'src/a.ts', 'export const a = 2;\n');
  put(tree, 'src/new ü.ts', 'export {};\n');
  rmSync(join(tree.root, 'run.sh'), { force: true });
}
