import { failure } from '../../../engine/errors.ts';
import { child } from '../../../files/real-path.ts';
import { copyIndex } from '../../../files/state-files.ts';
import { branchRef } from '../../git/branch.ts';
import { copyObjects } from '../../git/git-dir.ts';
import { bytes } from '../../git/names.ts';
import { inherit } from '../../git/person.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { changesOf } from '../changes/change-set.ts';
import { refuseAltered, refuseFilters, refuseRewritten, refuseStaged } from '../commit/checks.ts';
import { createCommitNotes } from '../commit/notes.ts';
import { type CommitInput, type Committed, planCommit } from '../commit/plan.ts';
import {
  commitOnce,
  findCommit,
  leftOut,
  runCommit,
  skippedHooks,
  splitIgnored,
  stage,
  stageRights,
} from '../commit/run.ts';
import type { TreeContext } from '../tree-queries.ts';
import { type RunTree, tipOf } from './run-tree.ts';
import { stagedTree, withStaging } from './staging.ts';
import { renewWorkerGit, savedIndex } from './worker-git.ts';

/** A run's tree as a location to commit in. */
export interface CloneSite extends TreeContext {
  readonly tree: RunTree;
}

/**
 * Commits the named paths on the run's branch in our own directory, with the person's hooks and filters. Commits made
 * by a worker are not included: the parent is the base or our previous commit.
 */
export function commitInClone(site: CloneSite, effect: string, input: CommitInput): Promise<Committed> {
  const find = () => lookupInClone(site, effect, input);
  const isNoted = async () => (await notesOf(site.tree).read(effect)) !== null;
  return commitOnce(isNoted, find, () => commitNow(site, effect, input));
}

async function commitNow(site: CloneSite, effect: string, input: CommitInput): Promise<Committed> {
  const { tree } = site;
  const plan = await planCommit(site, input);
  const asked = { effect, unasked: input.unasked };
  const { commit, ...rest } = await withStaging(tree, asked, async (location, head) => {
    const documents = await splitIgnored(location, plan.documents);
    if (input.unasked && location.room === null) await refuseFilters(location, plan.paths);
    await stage(location, [...plan.paths, ...documents.staged]);
    if (input.since !== undefined)
      await stageRights(location, await changesOf(site, input.since, plan.paths));
    const staged = await stagedTree(tree, location);
    const old = head === null ? null : await tree.git.ask(tree.at.dir, ['rev-parse', `${head}^{tree}`]);
    await refuseStaged(tree.git, tree.at.dir, { old, tree: staged }, [...plan.paths, ...documents.staged]);
    await refuseAltered(site, input);
    const note = { before: head, tree: staged };
    await notesOf(tree).write(effect, note);
    const identity = await commitIdentity(tree.person, input.author);
    await runCommit(location, effect, input.message, identity);
    const tip = await tipOf(tree);
    if (tip.commit === null || tip.commit === head) throw failure('commit_failed', 'git made no new commit');
    const made = { ...location, ledger: site.ledger, env: { ...location.env, ...identity } };
    await refuseRewritten(made, input, tip.commit, note);
    const skipped = await leftOut(location, documents.ignored, plan.foreign);
    return { commit: tip.commit, skipped, ...skippedHooks(location) };
  });
  await followCommit(tree);
  return { commit, branch: tree.file.branch, ...rest };
}

/** The commit of this effect on the run's branch, or null. */
export async function lookupInClone(
  site: CloneSite,
  effect: string,
  input: CommitInput,
): Promise<Committed | null> {
  const { tree } = site;
  const ask = (args: readonly string[]) => tree.git.ask(tree.at.dir, args);
  // Only Baton moves the branch of its own directory.
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
  const rest = await withStaging(tree, { effect, unasked: input.unasked }, async (location) => ({
    skipped: await leftOut(location, missing, plan.foreign),
    ...skippedHooks(location),
  }));
  return { commit, branch: tree.file.branch, ...rest };
}

function notesOf({ at }: RunTree) {
  return createCommitNotes(child(at.dir, 'commits'));
}

/**
 * Copies the objects of the commit into our git directory. The workers' git directory then starts again from that
 * commit, so that its status is clean.
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
