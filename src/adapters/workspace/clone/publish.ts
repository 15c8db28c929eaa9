import { relative } from 'node:path';
import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { branchRef, checkedOutBranches, guardBranch } from '../../git/branch.ts';
import { onOwnRef } from '../../git/locks.ts';
import { commitOf } from '../../git/repository.ts';
import { commitIdentity } from '../../git/sign-commit.ts';
import { type RunTree, tipOf } from './run-tree.ts';

/** Input of the write `publish`. */
export const PublishInput = z.object({ branch: z.string(), commit: z.string() });
export type PublishInput = z.infer<typeof PublishInput>;

/**
 * Brings the run's branch into the person's repository by one fetch. It refuses a branch that is checked out or that
 * has commits the run does not have.
 */
export async function publish(tree: RunTree, input: PublishInput): Promise<PublishInput> {
  const done = await lookupPublished(tree, input);
  if (done !== null) return done;
  const { person, at } = tree;
  const { commit } = await tipOf(tree);
  if (input.branch !== tree.file.branch || commit !== input.commit)
    throw failure('commit_missing', `${input.commit} is not the head of ${input.branch} in the run's tree`);
  await guardBranch(person, input.branch);
  const ref = branchRef(input.branch);
  if ((await checkedOutBranches(person)).has(input.branch))
    throw failure('branch_checked_out', `${input.branch} is checked out; switch to another branch`);
  // The repository's restrictions and rewrites are meant for remotes. Our own folder is not a remote and is never named
  // by a URL.
  const own = ['-c', 'protocol.file.allow=always'];
  const args = [...own, 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const source = `./${relative(person.root, at.view)}`;
  const rest = ['--no-recurse-submodules', '--no-prune', source, `${ref}:${ref}`];
  const env = await commitIdentity(person);
  await refuseMoved(tree, ref);
  const fetched = await onOwnRef(ref, () => person.git.run(person.root, [...args, ...rest], { env }));
  if ((await commitOf(person.git, person.root, ref)) === input.commit)
    return { branch: input.branch, commit: input.commit };
  await refuseMoved(tree, ref);
  throw failure('publish_failed', `${input.branch}: ${fetched?.stderr.trim() ?? 'there is no git program'}`, {
    retry: 'transient',
  });
}

/** Asked in our own directory, which reads the person's objects: only there are both commits known. */
async function refuseMoved(tree: RunTree, ref: string): Promise<void> {
  const { git, root } = tree.person;
  const now = await commitOf(git, root, ref);
  const args = ['merge-base', '--is-ancestor', now ?? '', ref];
  if (now !== null && (await tree.git.ask(tree.at.dir, args)) === null)
    throw failure('branch_moved', `${tree.file.branch} has a commit of somebody else: ${now}`);
}

/** The result if the branch in the person's repository is at the commit, else null. */
export async function lookupPublished(tree: RunTree, input: PublishInput): Promise<PublishInput | null> {
  const { git, root } = tree.person;
  const now = await commitOf(git, root, branchRef(input.branch));
  return now === input.commit ? { branch: input.branch, commit: input.commit } : null;
}
