import type { BuildPr, OpenPullRequest } from '../../contract/code-host.ts';
import { failure } from '../../engine/errors.ts';
import { branchRef, guardBranch } from '../git/branch.ts';
import { commitOf } from '../git/repository.ts';
import { type HostContext, MOST_TRIES, type RemoteState, see } from './context.ts';
import { moveTo, type Pull, pullRefs, toBuildPr, writePull } from './pulls.ts';
import type { RefMove } from './remote.ts';
import { isContained } from './scratch.ts';

/** A branch of the person's repository and the state of the remote. */
interface Branch {
  /** Head in the person's repository. */
  readonly head: string;
  readonly seen: RemoteState;
  /** The open pull request of this branch. */
  readonly open: Pull | undefined;
}

/**
 * Pushes the branch from the person's repository and records a pull request for it, both in one atomic push. An open
 * pull request of the same branch is updated. A branch with commits of others is refused.
 */
export async function openPullRequest(location: HostContext, input: OpenPullRequest): Promise<BuildPr> {
  const { scratch, remote } = location;
  await guardBranch(scratch.person, input.branch);
  for (let n = 0; n < MOST_TRIES; n += 1) {
    const branch = await findBranch(location, input);
    const { head, seen, open } = branch;
    await refuseMoved(location, input.branch, branch);
    if (await isContained(scratch, head, seen.base_sha))
      throw failure('nothing_to_merge', `${input.branch} has no commit that ${seen.base} has not`);
    const pull = await writeNext(location, input, branch);
    const refs = pullRefs(pull.number);
    const pushed = await remote.push([
      { ref: branchRef(input.branch), to: head, from: seen.head },
      { ref: refs.head, to: head, from: open?.head_sha ?? null },
      { ref: refs.data, to: pull.blob, from: open?.blob ?? null },
      ...(await closeReplaced(location, input, seen)),
    ]);
    if (pushed === 'done') return toBuildPr(pull, remote);
  }
  throw failure('branch_moved', `${input.branch} keeps moving at ${remote.name}`, { retry: 'transient' });
}

/** The pull request this effect made, or null. */
export async function findPullRequest(
  location: HostContext,
  input: OpenPullRequest,
): Promise<BuildPr | null> {
  const { pulls } = await see(location, input);
  const pull = pulls.all.find(({ effect }) => effect === location.effect);
  return pull === undefined ? null : toBuildPr(pull, location.remote);
}

async function findBranch(location: HostContext, input: OpenPullRequest): Promise<Branch> {
  const { git, root } = location.scratch.person;
  const head = await commitOf(git, root, branchRef(input.branch));
  if (head === null) throw failure('branch_missing', `the repository has no branch ${input.branch}`);
  const seen = await see(location, input);
  const open = seen.pulls.all.find(({ branch, state }) => branch === input.branch && state === 'open');
  return { head, seen, open };
}

/**
 * The head at the remote may be replaced if it is part of what is pushed. It may also be replaced if we pushed it and
 * it has not moved since.
 */
async function refuseMoved(location: HostContext, name: string, { head, seen, open }: Branch): Promise<void> {
  const there = seen.head;
  if (there === null || there === open?.head_sha || (await isContained(location.scratch, there, head)))
    return;
  throw failure('branch_moved', `${name} has a commit of somebody else at ${location.remote.name}: ${there}`);
}

/** Earlier pull requests of the ticket that this one replaces. */
function closeReplaced(
  { scratch }: HostContext,
  input: OpenPullRequest,
  { pulls }: RemoteState,
): Promise<RefMove[]> {
  const replaced = pulls.all.filter(
    ({ number, ticket, branch, state }) =>
      input.replaces.includes(number) &&
      ticket === input.ticket &&
      branch !== input.branch &&
      state === 'open',
  );
  return Promise.all(replaced.map((pull) => moveTo(scratch, pull, 'closed')));
}

async function writeNext(location: HostContext, input: OpenPullRequest, branch: Branch): Promise<Pull> {
  const { head, seen, open } = branch;
  const { ticket, title, body } = input;
  const data = {
    ...{ v: 1 as const, ticket, branch: input.branch, base: seen.base, title, body },
    opened_at: open?.opened_at ?? location.now(),
    author_is_bot: location.release.bot,
    state: 'open' as const,
    effect: location.effect,
  };
  const blob = await writePull(location.scratch, data);
  return { ...data, number: open?.number ?? seen.pulls.next, head_sha: head, blob };
}
