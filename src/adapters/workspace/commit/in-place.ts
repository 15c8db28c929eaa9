import { failure } from '../../../engine/errors.ts';
import { statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { removeTree } from '../../../files/state-files.ts';
import type { WorkspaceFacts } from '../../../ports/workspace.ts';
import type { BranchContext } from '../../git/branch.ts';
import { effectVariables } from '../../git/git.ts';
import { bytes } from '../../git/names.ts';
import { filterSettings } from '../../git/person.ts';
import { findRepository, headOf, type Repository } from '../../git/repository.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { changesOf } from '../changes/change-set.ts';
import type { TreeContext } from '../tree-queries.ts';
import { refuseAltered, refuseRewritten, refuseStaged } from './checks.ts';
import type { CommitNotes } from './notes.ts';
import { type CommitInput, type Committed, planCommit } from './plan.ts';
import { type CommitContext, openCommitRoom } from './room.ts';
import {
  chooseHooks,
  commitOnce,
  findCommit,
  hooksOf,
  leftOut,
  runCommit,
  skippedHooks,
  splitIgnored,
  stage,
  stageRights,
} from './run.ts';

/** The person's own folder as a location to commit in. */
export interface CheckoutContext extends TreeContext {
  readonly notes: CommitNotes;
}

/**
 * Commits the named paths on the person's current branch, with their hooks. Everything else they have staged stays
 * staged and uncommitted. The commit is made from a separate index. Afterwards only the named entries of the person's
 * index are updated.
 */
export function commitInPlace(
  location: CheckoutContext,
  effect: string,
  input: CommitInput,
): Promise<Committed> {
  const find = () => lookupInPlace(location, effect, input);
  const isNoted = async () => (await location.notes.read(effect)) !== null;
  return commitOnce(isNoted, find, () => commitNow(location, effect, input));
}

async function commitNow(location: CheckoutContext, effect: string, input: CommitInput): Promise<Committed> {
  const plan = await planCommit(location, input);
  const repository = await needRepository(location);
  await refuseBusy(repository);
  const before = await headOf(location.git, location.root);
  const own = await location.notes.room(effect);
  const index = child(own, 'index');
  const commitContext: CommitContext = {
    git: location.git,
    root: location.root,
    env: { GIT_INDEX_FILE: index, ...effectVariables(effect) },
    ...(await hooksInPlace(location, { repository, before, folder: own, unasked: input.unasked ?? false })),
  };
  try {
    const from = before.head === null ? ['--empty'] : [before.head];
    await location.git.need(location.root, ['read-tree', ...from], { env: { GIT_INDEX_FILE: index } });
    const { staged, ignored } = await splitIgnored(commitContext, plan.documents);
    await stage(commitContext, [...plan.paths, ...staged]);
    if (input.since !== undefined)
      await stageRights(commitContext, await changesOf(location, input.since, plan.paths));
    const tree = (
      await location.git.need(location.root, ['write-tree'], { env: { GIT_INDEX_FILE: index } })
    ).trim();
    const named = [...plan.paths, ...staged];
    await refuseStaged(
      location.git,
      location.root,
      { old: await treeOf(location, before.head), tree },
      named,
    );
    await refuseAltered(location, input);
    const note = { before: before.head, tree };
    await location.notes.write(effect, note);
    const identity = await commitIdentity(location, input.author);
    await runCommit(commitContext, effect, input.message, identity);
    const { head, branch } = await headOf(location.git, location.root);
    if (head === null || head === before.head) throw failure('commit_failed', 'git made no new commit');
    await refuseRewritten({ ...commitContext, ledger: location.ledger, env: identity }, input, head, note);
    await bringUpToDate(location, { commit: head, parent: before.head }, false);
    const skipped = await leftOut(commitContext, ignored, plan.foreign);
    return { commit: head, branch, skipped, ...skippedHooks(commitContext) };
  } finally {
    await removeTree(own);
  }
}

interface HooksInPlace {
  readonly repository: Repository;
  readonly before: NonNullable<WorkspaceFacts['git']>;
  readonly folder: RealPath;
  readonly unasked: boolean;
}

/** In the sandbox git cannot read the person's own settings, so it gets their filters as arguments. */
async function hooksInPlace(
  location: CheckoutContext,
  { repository, before, folder, unasked }: HooksInPlace,
): Promise<Pick<CommitContext, 'hooks' | 'skips' | 'settings' | 'room'>> {
  const hooks = await hooksOf(location.git, repository);
  const settings = location.hookRoom ? await filterSettings(location, repository) : [];
  const target = { person: location, repository, hooks, settings, ...before, folder, ref: 'HEAD' };
  const room = await openCommitRoom({ ...target, gitDir: repository.commonDir });
  return { ...chooseHooks(hooks, room !== null, unasked), settings, room };
}

/** The commit of this effect. Also finishes the index update that a crash interrupted. */
export async function lookupInPlace(
  location: CheckoutContext,
  effect: string,
  input: CommitInput,
): Promise<Committed | null> {
  const repository = await needRepository(location);
  await location.notes.leave(effect);
  const note = await location.notes.read(effect);
  const sought = { effect, note, alone: false };
  const commit = await findCommit((args) => location.git.ask(location.root, args), 'HEAD', sought);
  if (commit === null) return null;
  const env = await commitIdentity(location, input.author);
  await refuseRewritten({ ...location, env }, input, commit, note);
  const parent = await location.git.ask(location.root, ['rev-parse', '-q', '--verify', `${commit}^`]);
  await bringUpToDate(location, { commit, parent }, true);
  const plan = await planCommit(location, input);
  const { branch } = await headOf(location.git, location.root);
  const listed = await location.git.need(location.root, ['ls-tree', '-r', '-z', '--name-only', commit], {
    binary: true,
  });
  const names = new Set(listed.split('\0'));
  const missing = plan.documents.filter((path) => !names.has(bytes(path)));
  const here = { git: location.git, root: location.root, env: {} };
  const skipped = await leftOut(here, missing, plan.foreign);
  const hooks = await hooksOf(location.git, repository);
  const chosen = chooseHooks(hooks, location.hookRoom !== undefined, input.unasked ?? false);
  return { commit, branch, skipped, ...skippedHooks(chosen) };
}

async function needRepository(location: BranchContext): Promise<Repository> {
  const found = await findRepository(location.git, location.root);
  if (found === null) throw failure('not_a_repository', `${location.root} is no longer a work tree of git`);
  return found;
}

const BUSY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** Only the person finishes their own merge or rebase. A commit in between would become part of it. */
async function refuseBusy({ gitDir }: Repository): Promise<void> {
  for (const name of BUSY)
    if ((await statOf(child(gitDir, name))) !== null)
      throw failure('repository_busy', `${name} is there: finish or abort it first`);
  if ((await statOf(child(gitDir, 'index.lock'))) !== null)
    throw failure('index_locked', 'another git process is at work', { retry: 'transient' });
}

async function treeOf(location: BranchContext, head: string | null): Promise<string | null> {
  return head === null ? null : await location.git.ask(location.root, ['rev-parse', `${head}^{tree}`]);
}

/**
 * Copies the entries of the commit into the person's index, for the paths the commit changed. With `careful`, an entry
 * that the person has changed meanwhile is left alone.
 */
async function bringUpToDate(
  location: BranchContext,
  made: { readonly commit: string; readonly parent: string | null },
  careful: boolean,
): Promise<void> {
  const from = made.parent ?? (await emptyTree(location));
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, made.commit];
  const raw = (await location.git.need(location.root, args, { binary: true })).split('\0');
  const present = careful ? await indexEntries(location) : null;
  const lines: string[] = [];
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const [oldMode = '', mode = '', oldId = '', id = ''] = (raw[n] ?? '').slice(1).split(' ');
    const path = raw[n + 1] ?? '';
    const old = /^0+$/.test(oldMode) ? undefined : `${oldMode} ${oldId}`;
    if (present === null || present.get(path) === old) lines.push(`${mode} ${id}\t${path}\0`);
  }
  if (lines.length === 0) return;
  const options = { input: lines.join(''), binary: true };
  await location.git.need(location.root, ['update-index', '-z', '--replace', '--index-info'], options);
  await location.git.run(location.root, ['update-index', '-q', '--refresh']);
}

async function indexEntries(location: BranchContext): Promise<Map<string, string>> {
  const listed = await location.git.need(location.root, ['ls-files', '-s', '-z'], { binary: true });
  const entries = listed.split('\0').map((line): [string, string] => {
    const tab = line.indexOf('\t');
    const [mode, id] = line.slice(0, tab).split(' ');
    return [line.slice(tab + 1), `${mode} ${id}`];
  });
  return new Map(entries);
}

async function emptyTree(location: BranchContext): Promise<string> {
  return (await location.git.need(location.root, ['mktree', '-z'], { input: '' })).trim();
}
