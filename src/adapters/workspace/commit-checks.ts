import { type ChangePlace, findContent } from './change-set.ts';
import type { CommitInput } from './commit-plan.ts';
import { failure } from './failure.ts';
import type { Git } from './git.ts';
import { zeroList } from './snapshots/names.ts';
import { bytes } from './trees.ts';

/** What is staged, as trees: `old` is that of the last commit, or null before the first. */
interface Staged {
  readonly old: string | null;
  readonly tree: string;
}

/**
 * Refuses what is staged where it is nothing, holds a path nobody named, or touches a submodule. Git itself removes
 * an entry when a file is staged below its name.
 */
export async function refuseStaged(
  git: Pick<Git, 'need'>,
  cwd: string,
  { old, tree }: Staged,
  planned: readonly string[],
): Promise<void> {
  if (tree === old)
    throw failure('nothing_to_commit', 'none of the named paths differs from the last commit');
  const from = old ?? (await git.need(cwd, ['mktree', '-z'], { input: '' })).trim();
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, tree];
  const fields = zeroList(await git.need(cwd, args, { binary: true }));
  // Git may stage the composed form of a name that is decomposed on disk.
  const named = new Set(planned.flatMap((path) => [bytes(path), bytes(path.normalize('NFC'))]));
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const path = fields[n + 1] ?? '';
    if (named.has(path) && !LINK.test(fields[n] ?? '')) continue;
    const name = JSON.stringify(Buffer.from(path, 'latin1').toString('utf8'));
    throw failure('commit_differs', `${name} would change too; nothing was committed`);
  }
}

/** Refuses files that are no longer what was judged. Asked after staging: what changes later is not in the commit. */
export async function refuseAltered(place: ChangePlace, input: CommitInput): Promise<void> {
  const { content: judged, since, paths } = input;
  if (judged === undefined || since === undefined) return;
  const { content } = await findContent(place, { since, paths });
  if (content !== judged)
    throw failure('altered', 'the files are no longer what was judged; nothing was committed');
}

/** A line of `diff-tree --raw` whose old or new mode is that of a submodule. */
const LINK = /^:(?:160000 |\d+ 160000 )/;
