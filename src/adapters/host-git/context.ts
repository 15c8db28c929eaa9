import type { ReleaseConfig } from '../../contract/config.ts';
import { failure } from '../../engine/errors.ts';
import type { RunCommand } from '../../ports/commands.ts';
import { branchRef } from '../git/branch.ts';
import { ALL_PULLS, type Pulls, pullDataRefs, readPulls } from './pulls.ts';
import type { Listed, Remote } from './remote.ts';
import { areKnown, type Scratch } from './scratch.ts';

/** What every operation needs. */
export interface HostParts {
  readonly release: ReleaseConfig;
  readonly run: RunCommand;
  readonly now: () => string;
}

/** Where one operation works: its own scratch folder and the remote. */
export interface HostContext extends HostParts {
  readonly scratch: Scratch;
  readonly remote: Remote;
  readonly effect: string;
}

/** Another program may write at the same moment. Each try queries the remote again. */
export const MOST_TRIES = 5;

/** The current state of the remote, all of it fetched. */
export interface RemoteState {
  /** Head of the requested branch. Null if the remote has no branch of that name. */
  readonly head: string | null;
  readonly base: string;
  readonly base_sha: string;
  readonly pulls: Pulls;
}

/**
 * Queries the remote until everything that was listed is also fetched. If a ref moves in between, it queries again.
 * Without a given base it uses the configured one, else the remote's own. Throws `no_base`.
 */
export async function see(
  { scratch, remote, release }: HostContext,
  want: { readonly branch: string | null; readonly base: string | null },
): Promise<RemoteState> {
  const given = want.base ?? release.branch;
  if (given !== null && (await scratch.run(['check-ref-format', branchRef(given)]))?.code !== 0)
    throw failure('no_base', `${JSON.stringify(given)} is not the name of a branch`);
  const branch = want.branch === null ? [] : [branchRef(want.branch)];
  for (let n = 0; n < MOST_TRIES; n += 1) {
    const listed = await remote.list([branchRef(given ?? DEFAULT_BRANCH), ALL_PULLS, ...branch]);
    const { base, base_sha } = needBase(remote, listed, given);
    const { at } = listed;
    const refs = [...branch, ...pullDataRefs(at)].filter((ref) => at.has(ref));
    await remote.fetch([branchRef(base), ...refs]);
    const [head = null] = branch.flatMap((ref) => at.get(ref) ?? []);
    if (await areKnown(scratch, [base_sha, ...refs.flatMap((ref) => at.get(ref) ?? [])]))
      return { head, base, base_sha, pulls: await readPulls(scratch, at) };
  }
  throw failure('remote_unreachable', `${remote.name} keeps moving`, { retry: 'transient' });
}

function needBase({ name }: Remote, { at, first }: Listed, given: string | null) {
  const base = given ?? first ?? DEFAULT_BRANCH;
  const base_sha = at.get(branchRef(base)) ?? (base === first ? at.get('HEAD') : undefined);
  if (base_sha === undefined) throw failure('no_base', `${name} has no branch ${base}`);
  return { base, base_sha };
}

const DEFAULT_BRANCH = 'main';
