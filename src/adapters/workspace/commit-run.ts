import { join, resolve } from 'node:path';
import { AdapterError } from '../../engine/errors.ts';
import type { CommitNote } from './commit-note.ts';
import type { Committed } from './commit-plan.ts';
import { failure } from './failure.ts';
import type { Git, GitRun } from './git.ts';
import { hasProgram } from './git-files.ts';
import type { RealPath } from './real-path.ts';
import type { Repository } from './repository.ts';
import type { TreeChange } from './snapshots/snapshots.ts';
import { bytes } from './trees.ts';

/** Where a commit is made: a tree, the git directory whose HEAD moves, and an index that holds nothing of others. */
export interface CommitPlace {
  readonly git: Git;
  readonly root: RealPath;
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the person's hooks. */
  readonly hooks: string;
  /** Settings the staging needs, as `-c` arguments: the person's filters, which run here and nowhere else. */
  readonly settings: readonly string[];
}

/** A hook may build and test; after this long it counts as failed. */
const HOOK_DEADLINE_MS = 10 * 60_000;

/** The line of a commit message that names the effect it was made by. */
export const trailerOf = (effect: string): string => `Baton-Effect: ${effect}`;

/** Stages exactly these paths; one that is gone is staged as removed (WF-72). */
export function stage(place: CommitPlace, paths: readonly string[]): Promise<void> {
  return updateIndex(place, paths, []);
}

/** Stages the right to run these files as it was judged, also where the repository is told not to look at it. */
export async function stageRights(place: CommitPlace, changes: readonly TreeChange[]): Promise<void> {
  for (const rights of ['+x', '-x'] as const) {
    const paths = changes.filter((one) => one.rights === rights).map(({ path }) => path);
    await updateIndex(place, paths, [`--chmod=${rights}`]);
  }
}

async function updateIndex(
  place: CommitPlace,
  paths: readonly string[],
  more: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${bytes(path)}\0`).join('');
  const args = ['update-index', '-z', '--add', '--remove', '--replace', ...more, '--stdin'];
  const settings = [...place.settings, '-c', 'core.safecrlf=false', '-c', 'core.sparseCheckout=false'];
  const done = await place.git.asPerson(place.root, [...settings, ...args], {
    env: place.env,
    input,
    binary: true,
    deadline_ms: HOOK_DEADLINE_MS,
  });
  if (done?.code !== 0) throw failure('commit_failed', `staging: ${lastLines(done)}`);
}

/** Splits off the documents git ignores; those are left out with a warning (WF-71). */
export async function splitIgnored(
  place: CommitPlace,
  documents: readonly string[],
): Promise<{ staged: string[]; ignored: string[] }> {
  if (documents.length === 0) return { staged: [], ignored: [] };
  // This command knows no literal paths; with `./` in front none of them can be read as anything else.
  const plain = (path: string) => `./${bytes(path)}`;
  const input = documents.map((path) => `${plain(path)}\0`).join('');
  const args = ['check-ignore', '-z', '--stdin'];
  const done = await place.git.asPerson(place.root, args, { env: place.env, input, binary: true });
  const listed = new Set((done?.stdout ?? '').split('\0'));
  const isIgnored = (path: string) => listed.has(plain(path));
  return { staged: documents.filter((path) => !isIgnored(path)), ignored: documents.filter(isIgnored) };
}

/** What a commit left out, each with a reason: documents git ignores, and foreign ones that differ from the index. */
export async function leftOut(
  place: Pick<CommitPlace, 'git' | 'root' | 'env'>,
  ignored: readonly string[],
  foreign: readonly string[],
): Promise<Committed['skipped']> {
  const skipped = ignored.map((path) => ({ path, why: 'ignored' }));
  if (foreign.length === 0) return skipped;
  const args = ['ls-files', '-z', '--modified', '--others', '--', ...foreign];
  const listed = await place.git.need(place.root, args, { env: place.env });
  const differing = new Set(listed.split('\0'));
  const changed = foreign.filter((path) => differing.has(path));
  return [...skipped, ...changed.map((path) => ({ path, why: 'not as Baton wrote it' }))];
}

/**
 * Commits what is staged, with the person's hooks. A hook that refuses is `hook_failed`, everything else
 * `commit_failed`; then HEAD has not moved and no file was removed.
 */
export async function runCommit(
  place: CommitPlace,
  effect: string,
  message: string,
  identity: Readonly<Record<string, string>>,
): Promise<void> {
  const input = signed(message, effect);
  const settings = [...place.settings, '-c', `core.hooksPath=${place.hooks}`];
  const args = ['commit', '-q', '--no-gpg-sign', '--no-status', '--cleanup=whitespace', '-F', '-'];
  const done = await place.git.asPerson(place.root, [...settings, ...args], {
    env: { ...place.env, ...identity },
    input,
    deadline_ms: HOOK_DEADLINE_MS,
  });
  if (done?.code === 0) return;
  const code = (await hasProgram(place.hooks, HOOKS)) ? 'hook_failed' : 'commit_failed';
  throw failure(code, lastLines(done));
}

/**
 * A commit message that names its effect, beside the message's own trailers where it ends in some: git reads only the
 * last paragraph as such.
 */
export function signed(message: string, effect: string): string {
  const text = message.trimEnd();
  const hasOwn = /\n\n(?:[A-Z][A-Za-z-]*: [^\n]+(?:\n|$))+$/.test(text);
  return `${text}${hasOwn ? '\n' : '\n\n'}${trailerOf(effect)}\n`;
}

/** What tells the commit of an effect from others. */
interface Sought {
  readonly effect: string;
  readonly note: CommitNote | null;
  /** True where nobody but us moves the ref. */
  readonly alone: boolean;
}

/**
 * The commit of this effect among the newest of a ref, or null. With a note it is the one that follows what stood
 * there before, and is ours by its place, its tree or its message; else the message alone tells.
 */
export async function findCommit(
  ask: (args: readonly string[]) => Promise<string | null>,
  ref: string,
  sought: Sought,
): Promise<string | null> {
  const format = '--format=%H%x00%P%x00%T%x00%B%x00%x00';
  const listed = (await ask(['log', '--max-count=20', format, ref, '--'])) ?? '';
  const commits = listed.split('\0\0').map((one) => one.trimStart().split('\0'));
  const isOurs = (fields: readonly string[]) =>
    sought.note === null ? isSigned(fields[3] ?? '', sought.effect) : isNoted(fields, sought.note, sought);
  return commits.find(isOurs)?.[0] ?? null;
}

function isNoted(fields: readonly string[], note: CommitNote, { effect, alone }: Sought): boolean {
  const [commit = '', parents, tree, body = ''] = fields;
  if (commit === '' || parents !== (note.before ?? '')) return false;
  return alone || tree === note.tree || body.split('\n').includes(trailerOf(effect));
}

/** A hook may add lines below ours; what stands above the last paragraph may be a worker's. */
export function isSigned(body: string, effect: string): boolean {
  const paragraph = body.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph.split('\n').includes(trailerOf(effect));
}

/**
 * Commits unless a note says it was tried and the commit is there. Where git refuses because it was done meanwhile,
 * that commit is the result.
 */
export async function commitOnce<T>(
  isNoted: () => Promise<boolean>,
  find: () => Promise<T | null>,
  make: () => Promise<T>,
): Promise<T> {
  const done = (await isNoted()) ? await find() : null;
  if (done !== null) return done;
  try {
    return await make();
  } catch (error) {
    const found = error instanceof AdapterError && (await isNoted()) ? await find() : null;
    if (found === null) throw error;
    return found;
  }
}

/** Environment of the person's git: by the mark what a killed process left running is found and ended. */
export function marked(effect: string): Readonly<Record<string, string>> {
  return { BATON_CALL: effect };
}

/** The person's hooks, wherever they keep them; a relative folder is theirs and not the run's tree's. */
export async function hooksOf(git: Git, repository: Repository): Promise<string> {
  const set = await git.setting(repository.top, 'core.hooksPath', 'path');
  return set === null ? join(repository.commonDir, 'hooks') : resolve(repository.top, set);
}

const HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg'];

const MOST_LINES = 20;

export function lastLines(done: GitRun | null): string {
  if (done === null) return 'there is no git program';
  const text = `${done.stderr}\n${done.stdout}`.trim();
  return text.split('\n').slice(-MOST_LINES).join('\n').slice(-2000) || `exit code ${done.code}`;
}
