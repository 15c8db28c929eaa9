import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Scenario } from './scenario.ts';

/** What a worker leaves that died in the middle of its edits. */
const LEFT_OVER = 'left-over.txt';

/** The edits of such a worker. */
export function leaveHalf(root: string): void {
  writeFileSync(path.join(root, 'sums.txt'), 'BAD half of it');
  writeFileSync(path.join(root, LEFT_OVER), 'left over\n');
}

const DATES = { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' };

/** The folder before the run: files, and a repository with one commit that is the same every time. */
export function layOut(dir: string, scenario: Scenario): void {
  const root = path.join(dir, 'photos');
  mkdirSync(root, { recursive: true });
  mkdirSync(path.join(dir, 'home'));
  if (scenario.git) {
    git(root, 'init', '-q', '-b', 'main', '--template=');
    shareObjects(dir, path.join(root, '.git', 'objects'));
  }
  for (const [name, text] of Object.entries(scenario.files ?? {})) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
    if (name.startsWith('.git/hooks/')) chmodSync(path.join(root, name), 0o755);
  }
  if (scenario.git) {
    git(root, 'config', 'user.name', 'Tess Tester');
    git(root, 'config', 'user.email', 'tess@example.org');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '--no-verify', '--allow-empty', '-m', 'start');
    if (scenario.workflow === 'deliver') leaveWork(root);
    if (scenario.workflow === 'conduct') addRemote(root);
  }
  if (isApart(scenario)) writeFileSync(path.join(dir, 'person.json'), JSON.stringify(personOf(root)));
}

/** A bare remote beside the folder, named so that a copy of both finds its own. */
function addRemote(root: string): void {
  git(root, 'init', '-q', '--bare', '-b', 'main', '--template=', REMOTE);
  git(root, 'remote', 'add', 'origin', REMOTE);
  git(root, 'push', '-q', 'origin', 'main');
}

const REMOTE = '../remote.git';

/** Somebody else's commit on main of the remote, and the person's own main brought up to it. */
export function pushMain(root: string, text: string): void {
  const other = path.join(root, '../other');
  rmSync(other, { recursive: true, force: true });
  git(root, 'clone', '-q', '--template=', REMOTE, other);
  writeFileSync(path.join(other, 'sums.txt'), text);
  const as = ['-c', 'user.name=Olga Other', '-c', 'user.email=olga@example.org'];
  git(other, ...as, 'commit', '-q', '-a', '-m', 'somebody else');
  git(other, 'push', '-q', 'origin', 'main');
  rmSync(other, { recursive: true, force: true });
  git(root, 'pull', '-q', '--ff-only', 'origin', 'main');
}

/** Whether that was done, both halves of it. */
export function isPushed(root: string, text: string): boolean {
  const file = path.join(root, 'sums.txt');
  return readFileSync(file, 'utf8') === text;
}

/** The person is in the middle of something: a stash, a staged file, an edited one and one git does not know. */
function leaveWork(root: string): void {
  writeFileSync(path.join(root, 'mine.txt'), 'put away\n');
  git(root, 'stash', '-q');
  writeFileSync(path.join(root, 'staged.txt'), 'staged\n');
  git(root, 'add', 'staged.txt');
  writeFileSync(path.join(root, 'mine.txt'), 'edited\n');
  writeFileSync(path.join(root, 'notes.txt'), 'nobody knows\n');
}

/** The run works in a tree of its own: nothing of the person's may change. */
function isApart({ workflow, git, in_place }: Scenario): boolean {
  return workflow === 'deliver' && git === true && !in_place;
}

/** What changed of the person's own things although the run has a tree of its own. */
export function touched(dir: string): string[] {
  const file = path.join(dir, 'person.json');
  if (!existsSync(file)) return [];
  const before = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const now = personOf(path.join(dir, 'photos'));
  return [
    ...now.filter((line) => !before.includes(line)).map((line) => `the person's repository has ${line}`),
    ...before.filter((line) => !now.includes(line)).map((line) => `the person's repository lost ${line}`),
  ];
}

/** Files, HEAD, index, settings and every ref that is not ours, the stash among them. */
function personOf(root: string): string[] {
  const refs = lines(git(root, 'for-each-ref', '--format=%(refname) %(objectname)'));
  const foreign = refs.filter((ref) => !/^refs\/(heads\/)?baton\//.test(ref));
  return [
    ...filesOf(root, '').map((name) => `file ${name} ${hash(readFileSync(path.join(root, name)))}`),
    ...['HEAD', 'config'].map((name) => `${name} ${hash(readFileSync(path.join(root, '.git', name)))}`),
    ...lines(git(root, 'ls-files', '-s')).map((line) => `index ${line}`),
    ...foreign,
    ...leftIn(path.join(root, '.git')),
  ];
}

/** Locks and unfinished business in a git directory; nobody has any there at the end. */
function leftIn(gitDir: string): string[] {
  const names = readdirSync(gitDir, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.lock') || name.endsWith('_HEAD'))
    .map((name) => `left ${name}`);
}

/** Files of a folder, git's own left out. */
export function filesOf(root: string, below: string): string[] {
  return readdirSync(path.join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.name === '.git') return [];
    return entry.isDirectory() ? filesOf(root, name) : [name];
  });
}

/** Every branch: the subjects of its commits, and its files with what they hold; also what is staged and what is not. */
export function repositoryOf(root: string, normalise: (text: string) => string): string[] {
  const status = lines(git(root, 'status', '--porcelain', '-uall')).map((line) => `status ${line}`);
  return [
    ...refsOf(root, normalise),
    ...status,
    `on ${git(root, 'symbolic-ref', 'HEAD').trim()}`,
    ...leftIn(path.join(root, '.git')),
  ];
}

/** The same of the remote, where there is one. */
export function remoteOf(root: string, normalise: (text: string) => string): string[] {
  const remote = path.join(root, REMOTE);
  return existsSync(remote)
    ? [...refsOf(remote, normalise), ...leftIn(remote)].map((line) => `remote ${line}`)
    : [];
}

function refsOf(root: string, normalise: (text: string) => string): string[] {
  const branches = lines(git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads'));
  const told = branches.flatMap((branch) => [
    ...lines(git(root, 'log', '--format=%s', branch)).map((subject, n) => `${branch} ${n} ${subject}`),
    ...contentsOf(root, branch).map(([name, text]) => `${branch} has ${name} ${hash(normalise(text))}`),
  ]);
  const refs = lines(git(root, 'for-each-ref', '--format=%(refname)')).map((ref) => `ref ${ref}`);
  return [...told, ...refs];
}

function contentsOf(root: string, branch: string): [string, string][] {
  const listed = lines(git(root, 'ls-tree', '-r', '--format=%(objectname) %(objectmode) %(path)', branch));
  const files = listed.map((line) => line.split(' ') as [string, string, string]);
  const ids = files.map(([id]) => id);
  const batch = execFileSync('git', ['cat-file', '--batch'], { cwd: root, input: `${ids.join('\n')}\n` });
  let at = 0;
  return files.map(([, mode, name]) => {
    const end = batch.indexOf(10, at);
    const size = Number(batch.subarray(at, end).toString().split(' ')[2]);
    at = end + 1 + size + 1;
    return [`${mode} ${name}`, batch.subarray(end + 1, end + 1 + size).toString('utf8')];
  });
}

/** A person cleans up after a worker that died in the middle of its edits. */
export function putBack(root: string): void {
  rmSync(path.join(root, LEFT_OVER), { force: true });
  writeFileSync(path.join(root, 'sums.txt'), 'one\n');
}

/**
 * The objects lie beside the folder and are the same ones in every copy of it: a tree of a run names where they are,
 * and a copy that named another place would look as if a worker had changed that.
 */
function shareObjects(dir: string, objects: string): void {
  renameSync(objects, `${dir}-objects`);
  symlinkSync(`${dir}-objects`, objects);
}

/** A copy that works: what names the first folder names the second. */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const trees = path.join(to, 'home/trees');
  for (const run of existsSync(trees) ? readdirSync(trees) : []) {
    const file = path.join(trees, run, 'tree.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
  }
  // Snapshots of a checkout lie under the hash of where it is.
  const [before, now] = [from, to].map((dir) =>
    path.join(to, 'home/snapshots', hash(path.join(dir, 'photos'))),
  );
  if (before && now && existsSync(before)) renameSync(before, now);
}

/** Text without what differs between any two runs of one scenario. */
export function withoutTimes(json: string): string {
  return json
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'T')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\ban-[0-9a-z]{6}\b/g, 'an')
    .replace(/(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/g, 'SHA')
    .replace(/"(commit|sha)":"[0-9a-f]{12}"/g, '"$1":"SHA"')
    .replace(/(seconds\\*":) ?[\d.]+/g, '$1 0')
    .replace(/[\d.]+ worker minutes/g, '0 worker minutes')
    .replace(/(exit \w+), \d+ s\b/g, '$1, 0 s')
    .replace(/-20\d{12}/g, '-STAMP');
}

export function hash(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, ...DATES, GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
