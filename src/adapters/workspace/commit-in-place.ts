import type { BranchPlace } from './branch.ts';
import { changesOf } from './change-set.ts';
import { refuseAltered, refuseStaged } from './commit-checks.ts';
import type { CommitNotes } from './commit-note.ts';
import { type CommitInput, type Committed, planCommit } from './commit-plan.ts';
import { refuseRewritten } from './commit-rewritten.ts';
import {
  type CommitPlace,
  commitOnce,
  findCommit,
  hooksOf,
  leftOut,
  marked,
  runCommit,
  splitIgnored,
  stage,
  stageRights,
} from './commit-run.ts';
import { failure } from './failure.ts';
import { statOf } from './files.ts';
import { commitIdentity } from './identity.ts';
import { child } from './real-path.ts';
import { findRepository, headOf, type Repository } from './repository.ts';
import { removeTree } from './state-files.ts';
import type { TreePlace } from './tree-place.ts';
import { bytes } from './trees.ts';

/** The person's own folder as a place to commit in. */
export interface CheckoutPlace extends TreePlace {
  readonly notes: CommitNotes;
}

/**
 * Commits the named paths on the person's present branch, with their hooks. What else they have staged stays staged
 * and uncommitted: the commit is made from an index of its own, and only the named entries of theirs are brought up
 * to date afterwards.
 */
export function commitInPlace(place: CheckoutPlace, effect: string, input: CommitInput): Promise<Committed> {
  const find = () => lookupInPlace(place, effect, input);
  const isNoted = async () => (await place.notes.read(effect)) !== null;
  return commitOnce(isNoted, find, () => commitNow(place, effect, input));
}

async function commitNow(place: CheckoutPlace, effect: string, input: CommitInput): Promise<Committed> {
  const plan = await planCommit(place, input);
  const repository = await needRepository(place);
  await refuseBusy(repository);
  const before = await headOf(place.git, place.root);
  const own = await place.notes.room(effect);
  const index = child(own, 'index');
  const commitPlace: CommitPlace = {
    git: place.git,
    root: place.root,
    env: { GIT_INDEX_FILE: index, ...marked(effect) },
    hooks: await hooksOf(place.git, repository),
    settings: [],
  };
  try {
    const from = before.head === null ? ['--empty'] : [before.head];
    await place.git.need(place.root, ['read-tree', ...from], { env: { GIT_INDEX_FILE: index } });
    const { staged, ignored } = await splitIgnored(commitPlace, plan.documents);
    await stage(commitPlace, [...plan.paths, ...staged]);
    if (input.since !== undefined)
      await stageRights(commitPlace, await changesOf(place, input.since, plan.paths));
    const tree = (
      await place.git.need(place.root, ['write-tree'], { env: { GIT_INDEX_FILE: index } })
    ).trim();
    const named = [...plan.paths, ...staged];
    await refuseStaged(place.git, place.root, { old: await treeOf(place, before.head), tree }, named);
    await refuseAltered(place, input);
    const note = { before: before.head, tree };
    await place.notes.write(effect, note);
    const identity = await commitIdentity(place, input.author);
    await runCommit(commitPlace, effect, input.message, identity);
    const { head, branch } = await headOf(place.git, place.root);
    if (head === null || head === before.head) throw failure('commit_failed', 'git made no new commit');
    await refuseRewritten({ ...commitPlace, ledger: place.ledger, env: identity }, input, head, note);
    await bringUpToDate(place, { commit: head, parent: before.head }, false);
    return { commit: head, branch, skipped: await leftOut(commitPlace, ignored, plan.foreign) };
  } finally {
    await removeTree(own);
  }
}

/** The commit of this effect; what a crash left undone of the index is done now. */
export async function lookupInPlace(
  place: CheckoutPlace,
  effect: string,
  input: CommitInput,
): Promise<Committed | null> {
  await needRepository(place);
  await place.notes.leave(effect);
  const note = await place.notes.read(effect);
  const sought = { effect, note, alone: false };
  const commit = await findCommit((args) => place.git.ask(place.root, args), 'HEAD', sought);
  if (commit === null) return null;
  const env = await commitIdentity(place, input.author);
  await refuseRewritten({ ...place, env }, input, commit, note);
  const parent = await place.git.ask(place.root, ['rev-parse', '-q', '--verify', `${commit}^`]);
  await bringUpToDate(place, { commit, parent }, true);
  const plan = await planCommit(place, input);
  const { branch } = await headOf(place.git, place.root);
  const listed = await place.git.need(place.root, ['ls-tree', '-r', '-z', '--name-only', commit], {
    binary: true,
  });
  const names = new Set(listed.split('\0'));
  const missing = plan.documents.filter((path) => !names.has(bytes(path)));
  const here = { git: place.git, root: place.root, env: {} };
  return { commit, branch, skipped: await leftOut(here, missing, plan.foreign) };
}

async function needRepository(place: BranchPlace): Promise<Repository> {
  const found = await findRepository(place.git, place.root);
  if (found === null) throw failure('not_a_repository', `${place.root} is no longer a work tree of git`);
  return found;
}

const BUSY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** A merge or rebase of the person's own is finished by them alone; a commit in between would become part of it. */
async function refuseBusy({ gitDir }: Repository): Promise<void> {
  for (const name of BUSY)
    if ((await statOf(child(gitDir, name))) !== null)
      throw failure('repository_busy', `${name} is there: finish or abort it first`);
  if ((await statOf(child(gitDir, 'index.lock'))) !== null)
    throw failure('index_locked', 'another git process is at work', { retry: 'transient' });
}

async function treeOf(place: BranchPlace, head: string | null): Promise<string | null> {
  return head === null ? null : await place.git.ask(place.root, ['rev-parse', `${head}^{tree}`]);
}

/**
 * Gives the person's index the entries of the commit, for the paths the commit changed. `careful`: an entry the
 * person has changed meanwhile is left alone.
 */
async function bringUpToDate(
  place: BranchPlace,
  made: { readonly commit: string; readonly parent: string | null },
  careful: boolean,
): Promise<void> {
  const from = made.parent ?? (await emptyTree(place));
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, made.commit];
  const raw = (await place.git.need(place.root, args, { binary: true })).split('\0');
  const present = careful ? await indexEntries(place) : null;
  const lines: string[] = [];
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const [oldMode = '', mode = '', oldId = '', id = ''] = (raw[n] ?? '').slice(1).split(' ');
    const path = raw[n + 1] ?? '';
    const old = /^0+$/.test(oldMode) ? undefined : `${oldMode} ${oldId}`;
    if (present === null || present.get(path) === old) lines.push(`${mode} ${id}\t${path}\0`);
  }
  if (lines.length === 0) return;
  const options = { input: lines.join(''), binary: true };
  await place.git.need(place.root, ['update-index', '-z', '--replace', '--index-info'], options);
  await place.git.run(place.root, ['update-index', '-q', '--refresh']);
}

async function indexEntries(place: BranchPlace): Promise<Map<string, string>> {
  const listed = await place.git.need(place.root, ['ls-files', '-s', '-z'], { binary: true });
  const entries = listed.split('\0').map((line): [string, string] => {
    const tab = line.indexOf('\t');
    const [mode, id] = line.slice(0, tab).split(' ');
    return [line.slice(tab + 1), `${mode} ${id}`];
  });
  return new Map(entries);
}

async function emptyTree(place: BranchPlace): Promise<string> {
  return (await place.git.need(place.root, ['mktree', '-z'], { input: '' })).trim();
}
