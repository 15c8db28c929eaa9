import { join, resolve } from 'node:path';
import { failure } from '../../../engine/errors.ts';
import { isProgram } from '../../../files/find-program.ts';
import { type Git, type GitRun, lastLines } from '../../git/git.ts';
import { bytes, zeroText } from '../../git/names.ts';
import type { Repository } from '../../git/repository.ts';
import { isSigned, signed, trailerOf } from '../../git/sign-commit.ts';
import type { TreeChange } from '../snapshots/snapshots.ts';
import type { CommitNote } from './notes.ts';
import type { Committed } from './plan.ts';
import { type CommitContext, commitInRoom, stageInRoom } from './room.ts';

/** A hook may build and test. After this time it counts as failed. */
const HOOK_DEADLINE_MS = 10 * 60_000;

/** Stages exactly these paths. A missing file is staged as removed (WF-72). */
export function stage(location: CommitContext, paths: readonly string[]): Promise<void> {
  return updateIndex(location, paths, []);
}

/** Stages the executable bit of these files as it was judged, even if the repository ignores that bit. */
export async function stageRights(location: CommitContext, changes: readonly TreeChange[]): Promise<void> {
  for (const rights of ['+x', '-x'] as const) {
    const paths = changes.filter((one) => one.rights === rights).map(({ path }) => path);
    await updateIndex(location, paths, [`--chmod=${rights}`]);
  }
}

async function updateIndex(
  location: CommitContext,
  paths: readonly string[],
  more: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const input = zeroText(paths.map(bytes));
  const args = ['update-index', '-z', '--add', '--remove', '--replace', ...more, '--stdin'];
  const settings = ['-c', 'core.safecrlf=false', '-c', 'core.sparseCheckout=false'];
  // Without a filter, staging does not start another program.
  const where = location.settings.length === 0 ? { ...location, room: null } : location;
  const done = await runGit(stageInRoom, where, [...settings, ...args], { env: {}, input, binary: true });
  if (done?.code !== 0) throw failure('commit_failed', `staging: ${lastLines(done)}`);
}

/** Runs git as the person, or in the sandbox if the run has one. */
function runGit(
  inside: typeof stageInRoom,
  location: CommitContext,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly input: string; readonly binary?: true },
): Promise<GitRun | null> {
  const call = { ...options, deadline_ms: HOOK_DEADLINE_MS };
  if (location.room !== null) return inside(location, location.room, args, call);
  const env = { ...location.env, ...options.env };
  return location.git.asPerson(location.root, [...location.settings, ...args], { ...call, env });
}

/** Separates the documents that git ignores. They are left out with a warning (WF-71). */
export async function splitIgnored(
  location: CommitContext,
  documents: readonly string[],
): Promise<{ staged: string[]; ignored: string[] }> {
  if (documents.length === 0) return { staged: [], ignored: [] };
  // This command does not support literal paths. With `..` in front, none of them can be read as anything else.
  const plain = (path: string) => `./${bytes(path)}`;
  const input = zeroText(documents.map(plain));
  const args = ['check-ignore', '-z', '--stdin'];
  const done = await location.git.asPerson(location.root, args, { env: location.env, input, binary: true });
  const listed = new Set((done?.stdout ?? '').split('\0'));
  const isIgnored = (path: string) => listed.has(plain(path));
  return { staged: documents.filter((path) => !isIgnored(path)), ignored: documents.filter(isIgnored) };
}

/**
 * What a commit left out, each with a reason: documents that git ignores, and foreign ones that differ from the index.
 */
export async function leftOut(
  location: Pick<CommitContext, 'git' | 'root' | 'env'>,
  ignored: readonly string[],
  foreign: readonly string[],
): Promise<Committed['skipped']> {
  const skipped = ignored.map((path) => ({ path, why: 'ignored' }));
  if (foreign.length === 0) return skipped;
  const args = ['ls-files', '-z', '--modified', '--others', '--', ...foreign];
  const listed = await location.git.need(location.root, args, { env: location.env });
  const differing = new Set(listed.split('\0'));
  const changed = foreign.filter((path) => differing.has(path));
  return [...skipped, ...changed.map((path) => ({ path, why: 'not as Baton wrote it' }))];
}

/**
 * Commits what is staged, with the person's hooks. A failure is `hook_failed` if there is a hook that can refuse the
 * commit, else `commit_failed`. In both cases HEAD has not moved and no file was removed.
 */
export async function runCommit(
  location: CommitContext,
  effect: string,
  message: string,
  identity: Readonly<Record<string, string>>,
): Promise<void> {
  const input = signed(message, effect);
  const args = ['commit', '-q', '--no-gpg-sign', '--no-status', '--cleanup=whitespace', '-F', '-'];
  const settings = ['-c', `core.hooksPath=${location.hooks ?? '/dev/null'}`];
  const done = await runGit(commitInRoom, location, [...settings, ...args], { env: identity, input });
  if (done?.code === 0) return;
  const refusing = hooksIn(location.hooks).filter((name) => name !== 'post-commit');
  const code = refusing.length > 0 ? 'hook_failed' : 'commit_failed';
  throw failure(code, lastLines(done));
}

/** What distinguishes the commit of an effect from others. */
interface Sought {
  readonly effect: string;
  readonly note: CommitNote | null;
  /** True if only Baton moves the ref. */
  readonly alone: boolean;
}

/**
 * The commit of this effect among the newest of a ref, or null. With a note, it is the commit that follows the noted
 * head. It is then recognised by its position, its tree or its message. Without a note, only the message decides.
 */
export async function findCommit(
  ask: (args: readonly string[]) => Promise<string | null>,
  ref: string,
  sought: Sought,
): Promise<string | null> {
  const format = '--format=%H%x00%P%x00%T%x00%B%x00%x00';
  if ((await ask(['rev-parse', '-q', '--verify', `${ref}^{commit}`])) === null) return null;
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

/** The person's hooks, wherever they are. A relative path starts at their repository, not at the run's tree. */
export async function hooksOf(git: Git, repository: Repository): Promise<string> {
  const set = await git.setting(repository.top, 'core.hooksPath', 'path');
  return set === null ? join(repository.commonDir, 'hooks') : resolve(repository.top, set);
}

/** Without a sandbox, hooks run only if a person was asked: they execute files of the change with the person's keys. */
export function chooseHooks(
  found: string,
  contained: boolean,
  unasked: boolean,
): Pick<CommitContext, 'hooks' | 'skips'> {
  if (contained || !unasked) return { hooks: found, skips: [] };
  return { hooks: null, skips: hooksIn(found) };
}

/** The part of the result that names the hooks that did not run. */
export function skippedHooks({ skips }: Pick<CommitContext, 'skips'>): Pick<Committed, 'hooks_skipped'> {
  return skips.length === 0 ? {} : { hooks_skipped: skips };
}

const HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'];

/** Existing commit hooks that are executable. */
export function hooksIn(folder: string | null): string[] {
  return folder === null ? [] : HOOKS.filter((name) => isProgram(join(folder, name)));
}
