import { branchRef } from '../branch.ts';
import { changesOf } from '../change-set.ts';
import { refuseAltered, refuseStaged } from '../commit-checks.ts';
import { createCommitNotes } from '../commit-note.ts';
import { type CommitInput, type Committed, planCommit } from '../commit-plan.ts';
import { refuseRewritten } from '../commit-rewritten.ts';
import {
  commitOnce,
  findCommit,
  leftOut,
  runCommit,
  splitIgnored,
  stage,
  stageRights,
} from '../commit-run.ts';
import { failure } from '../failure.ts';
import { commitIdentity } from '../identity.ts';
import { child } from '../real-path.ts';
import { copyObjects } from '../snapshots/own-objects.ts';
import { copyIndex } from '../state-files.ts';
import type { TreePlace } from '../tree-place.ts';
import { bytes } from '../trees.ts';
import { inherit } from './person.ts';
import { type RunTree, tipOf } from './run-tree.ts';
import { stagedTree, withStaging } from './staging.ts';
import { renewWorkerGit, savedIndex } from './worker-git.ts';

/** A run's tree as a place to commit in. */
export interface CloneSite extends TreePlace {
  readonly tree: RunTree;
}

/**
 * Commits the named paths on the run's branch in our own directory, with the person's hooks and filters. A worker's
 * own commits are no part of it: the parent is the base, or our commit before.
 */
export function commitInClone(site: CloneSite, effect: string, input: CommitInput): Promise<Committed> {
  const find = () => lookupInClone(site, effect, input);
  const isNoted = async () => (await notesOf(site.tree).read(effect)) !== null;
  return commitOnce(isNoted, find, () => commitNow(site, effect, input));
}

async function commitNow(site: CloneSite, effect: string, input: CommitInput): Promise<Committed> {
  const { tree } = site;
  const plan = await planCommit(site, input);
  const { commit, skipped } = await withStaging(tree, effect, async (place, head) => {
    const documents = await splitIgnored(place, plan.documents);
    await stage(place, [...plan.paths, ...documents.staged]);
    if (input.since !== undefined) await stageRights(place, await changesOf(site, input.since, plan.paths));
    const staged = await stagedTree(tree, place);
    const old = head === null ? null : await tree.git.ask(tree.at.dir, ['rev-parse', `${head}^{tree}`]);
    await refuseStaged(tree.git, tree.at.dir, { old, tree: staged }, [...plan.paths, ...documents.staged]);
    await refuseAltered(site, input);
    const note = { before: head, tree: staged };
    await notesOf(tree).write(effect, note);
    const identity = await commitIdentity(tree.person, input.author);
    await runCommit(place, effect, input.message, identity);
    const tip = await tipOf(tree);
    if (tip.commit === null || tip.commit === head) throw failure('commit_failed', 'git made no new commit');
    const made = { ...place, ledger: site.ledger, env: { ...place.env, ...identity } };
    await refuseRewritten(made, input, tip.commit, note);
    return { commit: tip.commit, skipped: await leftOut(place, documents.ignored, plan.foreign) };
  });
  await followCommit(tree);
  return { commit, branch: tree.file.branch, skipped };
}

/** The commit of this effect on the run's branch, or null. */
export async function lookupInClone(
  site: CloneSite,
  effect: string,
  input: CommitInput,
): Promise<Committed | null> {
  const { tree } = site;
  const ask = (args: readonly string[]) => tree.git.ask(tree.at.dir, args);
  // The branch of our own directory is moved by nobody else.
  const note = await notesOf(tree).read(effect);
  const commit = await findCommit(ask, branchRef(tree.file.branch), { effect, note, alone: true });
  if (commit === null) return null;
  const env = { GIT_DIR: tree.at.view, ...(await commitIdentity(tree.person, input.author)) };
  const here = { git: tree.person.git, root: tree.at.tree, ledger: site.ledger, env };
  await refuseRewritten(here, input, commit, note);
  await followCommit(tree);
  const plan = await planCommit(site, input);
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--name-only', commit];
  const names = new Set((await tree.git.need(tree.at.dir, args, { binary: true })).split('\0'));
  const missing = plan.documents.filter((path) => !names.has(bytes(path)));
  const skipped = await withStaging(tree, effect, (place) => leftOut(place, missing, plan.foreign));
  return { commit, branch: tree.file.branch, skipped };
}

function notesOf({ at }: RunTree) {
  return createCommitNotes(child(at.dir, 'commits'));
}

/**
 * The commit holds its objects itself from here on, and the workers' git directory starts again from it, so that its
 * status is clean.
 */
async function followCommit(tree: RunTree): Promise<void> {
  const { at, person } = tree;
  const tip = await tipOf(tree);
  if (tip.commit === null) return;
  const base = tree.file.base === null ? '' : `^${tree.file.base}\n`;
  await copyObjects({ git: tree.git, gitDir: at.view }, `${tip.commit}\n${base}`);
  await renewWorkerGit(at, person, await inherit(person), tip);
  const env = { GIT_DIR: at.workerGit, GIT_WORK_TREE: at.tree };
  await person.git.need(at.dir, ['read-tree', '-m', '-i', tip.commit], { env });
  await person.git.run(at.dir, ['update-index', '-q', '--refresh'], { env });
  await copyIndex(child(at.workerGit, 'index'), savedIndex(at));
}
