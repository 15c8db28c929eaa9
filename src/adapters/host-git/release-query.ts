import type { HostChecks, ReleaseFacts, ReleaseQuery } from '../../contract/code-host.ts';
import type { CommandDone } from '../../ports/commands.ts';
import { decodeName, zeroList } from '../git/names.ts';
import { checkOut, endOf, type HostCommand, runHostCommand } from './commands.ts';
import { type HostContext, type RemoteState, see } from './context.ts';
import { tryMerge } from './merge.ts';
import { areKnown } from './scratch.ts';

/** Most paths that are stored. Further paths are only counted. */
const MOST_PATHS = 2_000;
const MOST_NAMES = 20;

/** All facts that decide a release, from the remote and the configured commands. */
export async function findRelease(
  location: HostContext,
  input: ReleaseQuery,
  signal: AbortSignal,
): Promise<ReleaseFacts> {
  const seen = await see(location, input);
  const { all } = seen.pulls;
  const pull = all.find(({ number, branch }) => number === input.pr_number && branch === input.branch);
  const own = all.filter(
    ({ state, ticket, branch }) =>
      state === 'open' && (pull === undefined ? branch === input.branch : ticket === pull.ticket),
  );
  const about = { ticket: pull?.ticket ?? null, base_sha: seen.base_sha };
  const asked = await askCommands(location, input, about, signal);
  const paths = await changedPaths(location, seen);
  return {
    pulls: own.map(({ number, head_sha, base }) => ({ pr_number: number, head_sha, base })),
    head_sha: seen.head,
    ...asked,
    author_is_bot: pull?.author_is_bot ?? false,
    by_us: pull !== undefined,
    mergeable:
      seen.head === null ? null : 'tree' in (await tryMerge(location.scratch, seen.base_sha, seen.head)),
    paths: paths.slice(0, MOST_PATHS),
    paths_left_out: Math.max(0, paths.length - MOST_PATHS),
  };
}

/**
 * Asks about the commit that will be merged, wherever the branch is now. The commands have the person's keys and run
 * before a person answers. They therefore run in the files of the base: no script of the change is executed.
 */
async function askCommands(
  location: HostContext,
  input: ReleaseQuery,
  { ticket, base_sha }: { readonly ticket: string | null; readonly base_sha: string },
  signal: AbortSignal,
): Promise<Pick<ReleaseFacts, 'checks' | 'approved' | 'approved_by'>> {
  const { scratch, release } = location;
  const { branch, base, pr_number, head_sha } = input;
  const lines = { checks: release.checks, approved: release.bot ? release.approved : null };
  const wanted = lines.checks !== null || lines.approved !== null;
  const tree = wanted && (await areKnown(scratch, [head_sha])) ? await checkOut(location, base_sha) : null;
  const told = { TICKET: ticket, SHA: head_sha, BASE: base, BRANCH: branch, PR: pr_number };
  const ask = async (name: 'checks' | 'approved'): Promise<CommandDone | null> => {
    const line = lines[name];
    if (line === null || tree === null) return null;
    const command: HostCommand = { name, line, tree, told, signal };
    return runHostCommand(location, command);
  };
  const [checks, approved] = [await ask('checks'), await ask('approved')];
  const isApproved = approved?.exit === 0;
  return {
    checks: checks === null ? unasked(lines.checks, head_sha) : readChecks(location, checks),
    approved: isApproved,
    approved_by: isApproved ? namesIn(approved.output) : [],
  };
}

function unasked(line: string | null, sha: string): HostChecks {
  if (line === null) return { readable: true, why: null, state: 'none', list: [] };
  return { readable: false, why: `commit ${sha} is not at the remote`, state: 'none', list: [] };
}

const CHECK_STATES = { 0: 'passed', 1: 'failed', 2: 'pending' } as const;

function readChecks(location: HostContext, done: CommandDone): HostChecks {
  const state = CHECK_STATES[done.exit as keyof typeof CHECK_STATES];
  if (state === undefined) return { readable: false, why: endOf(location, done), state: 'none', list: [] };
  return { readable: true, why: null, state, list: [{ name: 'release.checks', state }] };
}

function namesIn(output: string): string[] {
  const lines = output.split('\n').map((line) => line.trim().slice(0, 100));
  return lines.filter((line) => line !== '').slice(0, MOST_NAMES);
}

/** Paths the branch changed since it left its base. A moved file counts with both names. */
async function changedPaths({ scratch }: HostContext, { head, base_sha }: RemoteState): Promise<string[]> {
  if (head === null) return [];
  const args = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', `${base_sha}...${head}`];
  const done = await scratch.run(args, { binary: true });
  return done?.code === 0 ? zeroList(done.stdout).map((name) => decodeName(name).path) : [];
}
