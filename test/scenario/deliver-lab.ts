import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import type { DeliverState } from '../../src/contract/deliver.ts';
import { toSlug } from '../../src/engine/slug.ts';
import { findLocation } from '../../src/find-location.ts';
import type { StartOptions, StopPoint } from '../../src/runtime/views.ts';
import {
  changeNotes,
  deliverScript,
  deliverSpec,
  type Entry,
  passing,
  type Roles,
} from '../support/deliver-script.ts';
import { initGit, type Lab, type LabOptions, openLabAt } from '../support/lab.ts';
import { type Answers, playTo } from './quick-lab.ts';

export const TASK = 'Greet in capitals';
export const SINGLE = { task: TASK, mode: 'single', model_config: 'balanced' } as const;
export const BRANCH = branchOf(TASK);
export const DOCS = `docs/baton/${toSlug(TASK, 'x')}`;

/** What a person says who wants the change and nothing else. */
export const YES: Answers = { conventions: [['skip']], spec: [['proceed']], commit: [['code_only']] };

/** A project whose check is a script: there must be a greeting. */
export const SMALL: Readonly<Record<string, string>> = {
  'baton.yaml': "checks: { build: null, test: 'sh check.sh', lint: null, type_check: null }\n",
  'check.sh': 'grep -qi hello greeting.txt\n',
  'greeting.txt': 'hello\n',
};
export const GREETING = [{ path: 'greeting.txt', content: 'HELLO\n' }];

export function branchOf(task: string): string {
  return `baton/deliver-${toSlug(task, 'x')}`;
}

/** Single mode: one planner, one author who makes these edits and tells of them, one evaluator who agrees. */
export function changing(edits: readonly Entry[] = GREETING, more: Entry = {}): Roles {
  const paths = edits.map(({ path }) => path as string);
  return {
    planner_single: [{ result: deliverSpec() }],
    generator_single: [{ edits, result: changeNotes({ files: paths }), ...more }],
    evaluator: [passing(paths)],
  };
}

/** A folder with a state directory beside it, both gone after the test. */
export interface Ground {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  path(name: string): string;
  write(name: string, content: string, mode?: number): void;
  git(...args: string[]): string;
  /** Another folder of the same ground as the root. */
  at(root: string): Ground;
}

export function groundsOfTest(): {
  plain(files?: Readonly<Record<string, string>>): Ground;
  repository(files?: Readonly<Record<string, string>>): Ground;
  open(ground: Ground, roles?: Roles, options?: LabOptions): Promise<Lab>;
} {
  let closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers) await close();
    closers = [];
  });
  const plain = (files: Readonly<Record<string, string>> = SMALL) => {
    const base = mkdtempSync(path.join(tmpdir(), 'baton-ground-'));
    closers.push(() => rmSync(base, { recursive: true, force: true }));
    const ground = groundAt(base, path.join(base, 'project'));
    mkdirSync(ground.root);
    mkdirSync(ground.home);
    for (const [name, text] of Object.entries(files)) ground.write(name, text);
    return ground;
  };
  return {
    plain,
    repository: (files) => {
      const ground = plain(files);
      initGit(ground.root);
      return ground;
    },
    open: async ({ root, home }, roles = changing(), options = {}) => {
      const lab = await openLabAt({ root, home }, { script: deliverScript(roles), ...options });
      closers.unshift(lab.close);
      return lab;
    },
  };
}

function groundAt(base: string, root: string): Ground {
  const at = (name: string) => path.join(root, name);
  return {
    base,
    root,
    home: path.join(base, 'home'),
    path: at,
    write: (name, content, mode) => {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      if (mode !== undefined) chmodSync(at(name), mode);
    },
    git: (...args) => gitIn(root, ...args),
    at: (other) => groundAt(base, other),
  };
}

/** The same ground with the state directory where the command line would have it. */
export async function locationOf(ground: Ground): Promise<Ground> {
  const saved = process.env.BATON_HOME;
  process.env.BATON_HOME = path.join(ground.base, 'state');
  try {
    const location = await findLocation(ground.root, true);
    return { ...ground, home: location?.home ?? '' };
  } finally {
    if (saved === undefined) delete process.env.BATON_HOME;
    else process.env.BATON_HOME = saved;
  }
}

/** Git without locks it does not need: looking must not write. */
export function gitIn(root: string, ...args: string[]): string {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'file' };
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', env, stdio: 'pipe' }).replace(/\n$/, '');
}

/** A whole run: started, its gates answered by name, to its rest. */
export async function deliver(
  lab: Lab,
  answers: Answers = YES,
  input: object = SINGLE,
  options: Partial<StartOptions> = {},
): Promise<StopPoint> {
  const drive = await lab.start('deliver', input, options);
  return playTo(lab, drive, answers);
}

export async function deliverState(lab: Lab, run: string): Promise<DeliverState> {
  return (await lab.row(run)).state as unknown as DeliverState;
}

/** Everything of the person's: files, index, HEAD, refs, stash, settings and hooks, byte for byte. */
export function personal({ root, git }: Ground): Record<string, string> {
  const found = walk(root, (name) => name === '.git');
  for (const which of ['--git-dir', '--git-common-dir']) {
    const dir = path.resolve(root, git('rev-parse', which));
    for (const [name, value] of Object.entries(walk(dir, isOfRuns))) found[`${which}/${name}`] = value;
  }
  return found;
}

/** Objects may be added; pins, branches and the id of runs are the runs' own. */
function isOfRuns(name: string): boolean {
  return /^(objects|refs\/baton|refs\/heads\/baton|logs\/refs\/heads\/baton|baton[^/]*)(\/|$)/.test(name);
}

/** Files below a folder with their bytes by hash. */
export function walk(folder: string, skip: (name: string) => boolean, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const name = `${prefix}${entry.name}`;
    if (skip(name)) continue;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(found, walk(at, skip, `${name}/`));
    else if (entry.isSymbolicLink()) found[name] = `link ${readlinkSync(at)}`;
    else if (entry.isFile()) found[name] = `${lstatSync(at).mode & 0o777} ${sha256(readFileSync(at))}`;
  }
  return found;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a commit changed against its parent, one line per file. */
export function changedIn({ git }: Ground, commit: string): string[] {
  const listed = git(
    '-c',
    'core.quotePath=false',
    'diff',
    '--name-status',
    '--no-renames',
    `${commit}^`,
    commit,
  );
  return listed
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace('\t', ' '));
}

/** The files of a commit in a folder of their own, and a command run there; throws when the command fails. */
export function runIn({ base, git }: Ground, commit: string, command: string): string {
  const folder = mkdtempSync(path.join(base, 'exported-'));
  git('archive', '-o', path.join(folder, 'all.tar'), commit);
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  execFileSync('tar', ['xf', 'all.tar'], options);
  return execFileSync('/bin/sh', ['-c', command], options);
}

/** Notices of a run in order, as `level id`. */
export function told(lab: Lab, id: string): Record<string, unknown>[] {
  return lab.progress.flatMap((event) =>
    event.type === 'notice' && event.text.msg === id ? [{ level: event.level, ...event.text.args }] : [],
  );
}
