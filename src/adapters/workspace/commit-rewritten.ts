import type { CommitNote } from './commit-note.ts';
import type { CommitInput } from './commit-plan.ts';
import type { CommitPlace } from './commit-run.ts';
import { failure } from './failure.ts';
import { decodeName, zeroList } from './snapshots/names.ts';

const NAMED = 5;

/**
 * Takes back a commit into which a hook put something else than was judged, and refuses it as `hook_rewrote`; the files
 * stay as the hook left them. Nobody has seen that commit: one somebody has gone on from stays.
 */
export async function refuseRewritten(
  place: Pick<CommitPlace, 'git' | 'root' | 'env'>,
  { content }: CommitInput,
  commit: string,
  note: CommitNote | null,
): Promise<void> {
  if (content === undefined || note === null) return;
  const { git, root, env } = place;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', note.tree, commit];
  const names = zeroList(await git.need(root, args, { env, binary: true })).map(
    (name) => decodeName(name).path,
  );
  if (names.length === 0) return;
  const back = note.before === null ? ['-d', 'HEAD', commit] : ['HEAD', note.before, commit];
  const done = await git.run(root, ['update-ref', '-m', 'baton: a hook rewrote the change', ...back], {
    env,
  });
  if (done?.code !== 0) return;
  const shown = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  throw failure('hook_rewrote', `a hook rewrote ${shown}; the commit was taken back`);
}
