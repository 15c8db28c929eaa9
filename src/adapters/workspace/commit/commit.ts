import { randomBytes } from 'node:crypto';
import { AdapterError, failure } from '../../../engine/errors.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { makePrivate, removeTree } from '../../../files/state-files.ts';
import { effectVariables, type Git } from '../../git/git.ts';
import { bytes, decodeName, rawChanges, zeroList, zeroText } from '../../git/names.ts';
import { filterSettings, needPerson, type Person } from '../../git/person.ts';
import { emptyTree, type Repository } from '../../git/repository.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { type ChangeContext, changesOf, findContent } from '../changes/change-set.ts';
import { type Ledger, noteFormatted } from '../documents/ledger.ts';
import type { TreeContext } from '../tree-queries.ts';
import type { CommitNote, CommitNotes } from './notes.ts';
import { type CommitInput, type Committed, planCommit } from './plan.ts';
import { type CommitContext, openCommitRoom } from './room.ts';
import {
  chooseHooks,
  findCommit,
  hooksOf,
  leftOut,
  runCommit,
  skippedHooks,
  splitIgnored,
  stage,
  stageRights,
} from './run.ts';

/** Where a commit is made: the person's own folder, or the tree of a run. `git` sees the repository of the commit. */
export interface CommitSite extends TreeContext {
  /** The person's repository: their hooks, filters and identity count. */
  readonly person: Person;
  readonly notes: CommitNotes;
  /** The ref that the commit moves. */
  readonly ref: string;
  /** The branch of our own repository, which only Baton moves. Null in the person's repository. */
  readonly ownBranch: string | null;
  /** Environment that makes the person's git work on the repository of the commit. */
  readonly env: Readonly<Record<string, string>>;
  /** Git directory that receives the objects. */
  gitDir(repository: Repository): RealPath;
  head(): Promise<{ readonly branch: string | null; readonly head: string | null }>;
  /** Refuses a repository in which the person is in the middle of something. */
  refuseBusy(repository: Repository): Promise<void>;
  /** True if a document is exactly what a run wrote. Without this function every named file counts as ours. */
  isWritten?(path: string, hash: string): Promise<boolean>;
  /** Brings everything that follows the ref up to date. `again`: a process that died may have done it. */
  follow(made: { readonly commit: string; readonly parent: string | null }, again: boolean): Promise<void>;
}

/**
 * Commits the named paths at the head of the site, with the person's hooks. The commit is made from a separate index, so
 * everything else that is staged stays staged and uncommitted.
 */
export async function commit(site: CommitSite, effect: string, input: CommitInput): Promise<Committed> {
  // Without a note, no attempt of this effect has reached its commit.
  const find = async () =>
    (await site.notes.read(effect)) === null ? null : await lookupCommit(site, effect, input);
  const done = await find();
  if (done !== null) return done;
  try {
    return await commitNow(site, effect, input);
  } catch (error) {
    // Git also refuses if the commit was made meanwhile. That commit is then the result.
    const found = error instanceof AdapterError ? await find() : null;
    if (found === null) throw error;
    return found;
  }
}

async function commitNow(site: CommitSite, effect: string, input: CommitInput): Promise<Committed> {
  const plan = await planCommit(site, input);
  const repository = await needPerson(site.person.git, site.person.root);
  await site.refuseBusy(repository);
  const asked = { effect, unasked: input.unasked, repository, folder: await site.notes.room(effect) };
  const { made, ...rest } = await withStaging(site, asked, async (location, parent) => {
    const { staged, ignored } = await splitIgnored(location, plan.documents);
    const named = [...plan.paths, ...staged];
    if (input.unasked && location.room === null) await refuseFilters(location, plan.paths);
    await stageJudged(site, location, { paths: plan.paths, named, since: input.since });
    const tree = await stagedTree(location);
    const old = parent === null ? null : await site.git.ask(site.root, ['rev-parse', `${parent}^{tree}`]);
    await refuseStaged(site.git, site.root, { old, tree }, named);
    await refuseAltered(site, input);
    const note = { before: parent, tree };
    await site.notes.write(effect, note);
    const identity = await commitIdentity(site.person, input.author);
    await runCommit(location, effect, input.message, identity);
    const { head } = await site.head();
    if (head === null || head === parent) throw failure('commit_failed', 'git made no new commit');
    const env = { ...location.env, ...identity };
    await refuseRewritten({ ...location, ledger: site.ledger, env }, input, head, note);
    const skipped = await leftOut(location, ignored, plan.foreign);
    return { made: { commit: head, parent }, skipped, ...skippedHooks(location) };
  });
  await site.follow(made, false);
  return { commit: made.commit, branch: (await site.head()).branch, ...rest };
}

/** The commit of this effect, or null. Also finishes what follows a commit and was interrupted by a crash. */
export async function lookupCommit(
  site: CommitSite,
  effect: string,
  input: CommitInput,
): Promise<Committed | null> {
  const repository = await needPerson(site.person.git, site.person.root);
  await site.notes.leave(effect);
  const note = await site.notes.read(effect);
  const ask = (args: readonly string[]) => site.git.ask(site.root, args);
  const made = await findCommit(ask, site.ref, { effect, note, alone: site.ownBranch !== null });
  if (made === null) return null;
  const env = { ...site.env, ...(await commitIdentity(site.person, input.author)) };
  await refuseRewritten({ ...site, env }, input, made, note);
  const parent = await ask(['rev-parse', '-q', '--verify', `${made}^`]);
  await site.follow({ commit: made, parent }, true);
  const plan = await planCommit(site, input);
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--name-only', made];
  const names = new Set((await site.git.need(site.root, args, { binary: true })).split('\0'));
  const missing = plan.documents.filter((path) => !names.has(bytes(path)));
  const asked = { effect, unasked: input.unasked, repository, folder: await site.notes.room(effect) };
  const rest = await withStaging(site, asked, async (location) => ({
    skipped: await leftOut(location, missing, plan.foreign),
    ...skippedHooks(location),
  }));
  return { commit: made, branch: (await site.head()).branch, ...rest };
}

interface Staging {
  readonly effect: string;
  readonly unasked?: boolean | undefined;
  readonly repository: Repository;
  /** An empty folder of ours for the index. It is removed afterwards. */
  readonly folder: RealPath;
}

/** Creates a separate index at the head of the site. Every file that is not staged stays as it is in the commit. */
async function withStaging<T>(
  site: CommitSite,
  { effect, unasked = false, repository, folder }: Staging,
  use: (location: CommitContext, head: string | null) => Promise<T>,
): Promise<T> {
  const { person, git, root, ref } = site;
  const isOwn = site.ownBranch !== null;
  try {
    const { branch, head } = await site.head();
    const hooks = await hooksOf(person.git, repository);
    // In the sandbox and in our own repository, git cannot read the person's settings.
    const settings = isOwn || person.hookRoom ? await filterSettings(person, repository) : [];
    const gitDir = site.gitDir(repository);
    const target = { person, repository, hooks, settings, branch, head, folder, gitDir, ref };
    const room = await openCommitRoom(target);
    const env = { ...site.env, GIT_INDEX_FILE: child(folder, 'index'), ...effectVariables(effect) };
    const location = { git, root, env, ...chooseHooks(hooks, room !== null, unasked), settings, room };
    await git.need(root, ['read-tree', head ?? '--empty'], { env });
    if (isOwn) await git.run(root, ['update-index', '-q', '--refresh'], { env });
    return await use(location, head);
  } finally {
    await removeTree(folder);
  }
}

/** The tree of a commit of these paths, or of any other use of a separate index, without a commit. */
export async function stageOnly<T>(
  site: CommitSite,
  asked: Pick<Staging, 'effect' | 'unasked'> & { readonly in: RealPath },
  staged: { readonly paths: readonly string[]; readonly since: string },
  use: (tree: string) => Promise<T>,
): Promise<T> {
  const repository = await needPerson(site.person.git, site.person.root);
  const folder = child(asked.in, `staging.${randomBytes(6).toString('hex')}`);
  await makePrivate(folder);
  return await withStaging(site, { ...asked, repository, folder }, async (location) => {
    await stageJudged(site, location, { ...staged, named: staged.paths });
    return await use(await stagedTree(location));
  });
}

/** Stages `named`, with the executable bits that `paths` had when they were judged. */
async function stageJudged(
  site: CommitSite,
  location: CommitContext,
  judged: {
    readonly named: readonly string[];
    readonly paths: readonly string[];
    readonly since?: string | undefined;
  },
): Promise<void> {
  await stage(location, judged.named);
  if (judged.since !== undefined)
    await stageRights(location, await changesOf(site, judged.since, judged.paths));
}

async function stagedTree({ git, root, env }: CommitContext): Promise<string> {
  return (await git.need(root, ['write-tree'], { env })).trim();
}

/** The staged tree and `old`, the tree of the last commit. `old` is null before the first commit. */
interface Staged {
  readonly old: string | null;
  readonly tree: string;
}

/**
 * Rejects a staged tree that is empty, contains an unlisted path, or touches a submodule. Git itself removes an entry
 * when a file is staged below its name.
 */
async function refuseStaged(
  git: Pick<Git, 'need'>,
  cwd: string,
  { old, tree }: Staged,
  planned: readonly string[],
): Promise<void> {
  if (tree === old)
    throw failure('nothing_to_commit', 'none of the named paths differs from the last commit');
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', old ?? (await emptyTree(git, cwd)), tree];
  // Git may stage the composed form of a name that is decomposed on disk.
  const named = new Set(planned.flatMap((path) => [bytes(path), bytes(path.normalize('NFC'))]));
  const changes = rawChanges(await git.need(cwd, args, { binary: true }));
  const other = changes.find((one) => !named.has(one.name) || [one.oldMode, one.mode].includes(SUBMODULE));
  if (other === undefined) return;
  const name = JSON.stringify(Buffer.from(other.name, 'latin1').toString('utf8'));
  throw failure('commit_differs', `${name} would change too; nothing was committed`);
}

const SUBMODULE = '160000';

/** Refuses files that differ from what was judged. Called after staging: later changes are not in the commit. */
async function refuseAltered(location: ChangeContext, input: CommitInput): Promise<void> {
  const { content: judged, since, paths } = input;
  if (judged === undefined || since === undefined) return;
  const { content } = await findContent(location, { since, paths });
  if (content !== judged)
    throw failure('altered', 'the files are no longer what was judged; nothing was committed');
}

/**
 * Refuses to stage paths whose filter could execute files of the change with the person's keys. Used for a commit
 * outside a sandbox that no person was asked about. After the refusal the commit gate opens. Large files (LFS) are only
 * stored.
 */
async function refuseFilters(
  { git, root, env, settings }: CommitContext,
  paths: readonly string[],
): Promise<void> {
  const set = settings.flatMap((setting) => /^filter\.(.+)\.(?:clean|process)=(.*)$/s.exec(setting) ?? []);
  const names = set.filter((_, n) => n % 3 === 1 && !/^git-lfs /.test(set[n + 1] ?? ''));
  if (names.length === 0) return;
  const input = zeroText(paths.map(bytes));
  const args = ['check-attr', '-z', '--stdin', 'filter'];
  const fields = (await git.need(root, args, { env, input, binary: true })).split('\0');
  const used = fields.filter((value, n) => n % 3 === 2 && names.includes(value));
  if (used.length > 0)
    throw failure(
      'commit_failed',
      `the filter ${used[0]} may execute files of the change: choose to commit yourself`,
    );
}

const NAMED = 5;

/**
 * Takes back a commit in which a hook changed judged content, and refuses it as `hook_rewrote`. The files stay as the
 * hook left them. If the branch has already moved on, the commit stays. It also stays if a person agreed to take the
 * hooks' changes. Documents were not judged: hooks may format them.
 */
async function refuseRewritten(
  location: Pick<CommitContext, 'git' | 'root' | 'env'> & { readonly ledger: Ledger },
  { content, take_hooks, docs_path }: CommitInput,
  commit: string,
  note: CommitNote | null,
): Promise<void> {
  if (content === undefined || take_hooks || note === null) return;
  const { git, root, env } = location;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', note.tree, commit];
  const names = zeroList(await git.need(root, args, { env, binary: true })).map(
    (name) => decodeName(name).path,
  );
  const folder = docs_path === undefined ? null : `${docs_path.replace(/\/$/, '')}/`;
  const documents = names.filter((name) => folder !== null && name.startsWith(folder));
  const judged = names.filter((name) => !documents.includes(name));
  for (const path of documents) await noteFormatted(location, path);
  if (judged.length === 0) return;
  const back = note.before === null ? ['-d', 'HEAD', commit] : ['HEAD', note.before, commit];
  const done = await git.run(root, ['update-ref', '-m', 'baton: a hook rewrote the change', ...back], {
    env,
  });
  if (done?.code !== 0) return;
  const shown = judged.slice(0, NAMED).join(', ') + (judged.length > NAMED ? ', …' : '');
  throw failure('hook_rewrote', `a hook rewrote ${shown}; the commit was taken back`, { paths: judged });
}
