import type { Merge, Merged } from '../../contract/code-host.ts';
import { failure } from '../../engine/errors.ts';
import { branchRef } from '../git/branch.ts';
import { decodeName, zeroList } from '../git/names.ts';
import { commitIdentity, isSigned, signed, trailerOf } from '../git/sign-commit.ts';
import { type HostContext, MOST_TRIES, type RemoteState, see } from './context.ts';
import { moveTo, type Pull } from './pulls.ts';
import { isContained, type Scratch } from './scratch.ts';

/**
 * Merges exactly this commit into the base at the remote. The merge is made in our own directory and pushed: the
 * person's files, index and branches do not change. If the base moved meanwhile, the merge uses the new base.
 */
export async function merge(location: HostContext, input: Merge): Promise<Merged> {
  const { scratch, remote } = location;
  for (let n = 0; n < MOST_TRIES; n += 1) {
    const seen = await see(location, input);
    const done = await mergedBefore(location, input, seen);
    if (done !== null) return done;
    const pull = needPull(location, input, seen);
    const commit = await writeMerge(location, input, seen);
    const pushed = await remote.push([
      { ref: branchRef(input.base), to: commit, from: seen.base_sha },
      { ref: branchRef(input.branch), to: input.head_sha, from: input.head_sha },
      await moveTo(scratch, pull, 'merged'),
    ]);
    if (pushed === 'done') return { merged_sha: commit, base: input.base };
  }
  throw failure('branch_moved', `${input.base} keeps moving at ${remote.name}`, { retry: 'transient' });
}

/** The merge this effect made, or null. */
export async function findMerge(location: HostContext, input: Merge): Promise<Merged | null> {
  return signedMerge(location, input, await see(location, input));
}

/**
 * The merge by this effect or by someone else. In the second case the current base contains the commit, and the pull
 * request is recorded as merged.
 */
async function mergedBefore(location: HostContext, input: Merge, seen: RemoteState): Promise<Merged | null> {
  const { scratch, remote } = location;
  const ours = await signedMerge(location, input, seen);
  if (ours !== null || !(await isContained(scratch, input.head_sha, seen.base_sha))) return ours;
  const pull = seen.pulls.all.find(({ number, state }) => number === input.pr_number && state === 'open');
  if (pull !== undefined) await remote.push([await moveTo(scratch, pull, 'merged')]);
  return { merged_sha: seen.base_sha, base: input.base };
}

/** Anyone can write such a message. Our commit must also be a merge of exactly this head. */
async function signedMerge(
  { scratch, effect }: HostContext,
  { head_sha, base }: Merge,
  { base_sha }: RemoteState,
): Promise<Merged | null> {
  const sought = ['log', '--merges', '--fixed-strings', `--grep=${trailerOf(effect)}`];
  const listed = await scratch.need([...sought, '--format=%H%x00%P%x00%B%x00%x00', base_sha, '--']);
  const commits = listed.split('\0\0').map((one) => one.trimStart().split('\0'));
  const isOurs = ([, parents = '', body = '']: readonly string[]) =>
    parents.split(' ').includes(head_sha) && isSigned(body, effect);
  const merged_sha = commits.find(isOurs)?.[0];
  return merged_sha === undefined ? null : { merged_sha, base };
}

function needPull({ remote }: HostContext, input: Merge, { pulls, head }: RemoteState): Pull {
  const { pr_number, branch, head_sha } = input;
  const pull = pulls.all.find(({ number }) => number === pr_number);
  if (pull?.branch !== branch)
    throw failure('pull_request_missing', `${remote.name} has no pull request ${pr_number} of ${branch}`);
  if (head !== head_sha)
    throw failure(
      'head_moved',
      `${branch} is at ${head ?? 'no commit'} at ${remote.name}, not at ${head_sha}`,
    );
  return pull;
}

async function writeMerge(location: HostContext, input: Merge, { base_sha }: RemoteState): Promise<string> {
  const { scratch, effect } = location;
  const tried = await tryMerge(scratch, base_sha, input.head_sha);
  if ('conflicts' in tried)
    throw failure('merge_conflict', `${input.branch} and ${input.base}: ${told(tried.conflicts)}`);
  const args = ['commit-tree', '--no-gpg-sign', tried.tree, '-p', base_sha, '-p', input.head_sha];
  const env = await commitIdentity(scratch.person);
  return (await scratch.need(args, { input: signed(input.message, effect), env })).trim();
}

const MOST_REPORTED = 10;

function told(paths: readonly string[]): string {
  if (paths.length === 0) return 'they have no commit in common';
  const more = paths.length - MOST_REPORTED;
  return `${paths.slice(0, MOST_REPORTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * The tree two commits merge to, or the paths with conflicts. The paths are empty if the two have nothing in common.
 * Writes only objects of our own directory.
 */
export async function tryMerge(
  scratch: Scratch,
  ours: string,
  theirs: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  if ((await scratch.run(['merge-base', ours, theirs]))?.code !== 0) return { conflicts: [] };
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const done = await scratch.run(args, { binary: true });
  const [tree = '', ...names] = zeroList(done?.stdout ?? '');
  if (done?.code === 0) return { tree };
  if (done?.code === 1) return { conflicts: names.map((name) => decodeName(name).path) };
  throw failure('git_failed', `git merge-tree: ${done?.stderr.trim() ?? ''}`, { retry: 'transient' });
}
