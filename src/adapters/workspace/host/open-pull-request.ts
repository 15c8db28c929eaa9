import type { BuildPr, OpenPullRequest } from '../../../contract/code-host.ts';
import { branchRef, guardBranch } from '../branch.ts';
import { failure } from '../failure.ts';
import { commitOf } from '../repository.ts';
import { type HostPlace, MOST_TRIES, type Seen, see } from './place.ts';
import { moveTo, type Pull, pullRefs, toBuildPr, writePull } from './pulls.ts';
import type { RefMove } from './remote.ts';
import { isContained } from './scratch.ts';

/** A branch of the person's repository and where it stands at the remote. */
interface Branch {
  /** In the person's repository. */
  readonly head: string;
  readonly seen: Seen;
  /** The open pull request of this branch. */
  readonly open: Pull | undefined;
}

/**
 * Pushes the branch as it stands in the person's repository and records a pull request for it, both in one act; the
 * open one of the same branch is brought up to date. A branch with commits of somebody else is left alone.
 */
export async function openPullRequest(place: HostPlace, input: OpenPullRequest): Promise<BuildPr> {
  const { scratch, remote } = place;
  await guardBranch(scratch.person, input.branch);
  for (let n = 0; n < MOST_TRIES; n += 1) {
    const branch = await findBranch(place, input);
    const { head, seen, open } = branch;
    await refuseMoved(place, input.branch, branch);
    if (await isContained(scratch, head, seen.base_sha))
      throw failure('nothing_to_merge', `${input.branch} has no commit that ${seen.base} has not`);
    const pull = await writeNext(place, input, branch);
    const refs = pullRefs(pull.number);
    const pushed = await remote.push([
      { ref: branchRef(input.branch), to: head, from: seen.head },
      { ref: refs.head, to: head, from: open?.head_sha ?? null },
      { ref: refs.data, to: pull.blob, from: open?.blob ?? null },
      ...(await closeReplaced(place, input, seen)),
    ]);
    if (pushed === 'done') return toBuildPr(pull, remote);
  }
  throw failure('branch_moved', `${input.branch} keeps moving at ${remote.name}`, { retry: 'transient' });
}

/** The pull request this effect made, or null. */
export async function findPullRequest(place: HostPlace, input: OpenPullRequest): Promise<BuildPr | null> {
  const { pulls } = await see(place, input);
  const pull = pulls.all.find(({ effect }) => effect === place.effect);
  return pull === undefined ? null : toBuildPr(pull, place.remote);
}

async function findBranch(place: HostPlace, input: OpenPullRequest): Promise<Branch> {
  const { git, root } = place.scratch.person;
  const head = await commitOf(git, root, branchRef(input.branch));
  if (head === null) throw failure('branch_missing', `the repository has no branch ${input.branch}`);
  const seen = await see(place, input);
  const open = seen.pulls.all.find(({ branch, state }) => branch === input.branch && state === 'open');
  return { head, seen, open };
}

/** What stands at the remote may be replaced if it is a part of what is pushed, or was pushed by us and not touched. */
async function refuseMoved(place: HostPlace, name: string, { head, seen, open }: Branch): Promise<void> {
  const there = seen.head;
  if (there === null || there === open?.head_sha || (await isContained(place.scratch, there, head))) return;
  throw failure('branch_moved', `${name} has a commit of somebody else at ${place.remote.name}: ${there}`);
}

/** Earlier pull requests of the ticket that this one takes the place of. */
function closeReplaced({ scratch }: HostPlace, input: OpenPullRequest, { pulls }: Seen): Promise<RefMove[]> {
  const replaced = pulls.all.filter(
    ({ number, ticket, branch, state }) =>
      input.replaces.includes(number) &&
      ticket === input.ticket &&
      branch !== input.branch &&
      state === 'open',
  );
  return Promise.all(replaced.map((pull) => moveTo(scratch, pull, 'closed')));
}

async function writeNext(place: HostPlace, input: OpenPullRequest, branch: Branch): Promise<Pull> {
  const { head, seen, open } = branch;
  const { ticket, title, body } = input;
  const data = {
    ...{ v: 1 as const, ticket, branch: input.branch, base: seen.base, title, body },
    opened_at: open?.opened_at ?? place.now(),
    author_is_bot: place.release.bot,
    state: 'open' as const,
    effect: place.effect,
  };
  const blob = await writePull(place.scratch, data);
  return { ...data, number: open?.number ?? seen.pulls.next, head_sha: head, blob };
}
