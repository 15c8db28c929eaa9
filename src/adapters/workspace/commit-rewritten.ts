import type { CommitNote } from './commit-note.ts';
import type { CommitInput } from './commit-plan.ts';
import type { CommitPlace } from './commit-run.ts';
import { failure } from './failure.ts';
import { type Ledger, noteFormatted } from './ledger.ts';
import { decodeName, zeroList } from './snapshots/names.ts';

const NAMED = 5;

/**
 * Takes back a commit into which a hook put something else than was judged, and refuses it as `hook_rewrote`; the files
 * stay as the hook left them. Nobody has seen that commit: one somebody has gone on from stays. Where a person has
 * said to take what the hooks make of it, it stays too. Documents are not what was judged: hooks may format them.
 */
export async function refuseRewritten(
  place: Pick<CommitPlace, 'git' | 'root' | 'env'> & { readonly ledger: Ledger },
  { content, take_hooks, docs_path }: CommitInput,
  commit: string,
  note: CommitNote | null,
): Promise<void> {
  if (content === undefined || take_hooks || note === null) return;
  const { git, root, env } = place;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', note.tree, commit];
  const names = zeroList(await git.need(root, args, { env, binary: true })).map(
    (name) => decodeName(name).path,
  );
  const folder = docs_path === undefined ? null : `${docs_path.replace(/\/$/, '')}/`;
  const documents = names.filter((name) => folder !== null && name.startsWith(folder));
  const judged = names.filter((name) => !documents.includes(name));
  for (const path of documents) await noteFormatted(place, path);
  if (judged.length === 0) return;
  const back = note.before === null ? ['-d', 'HEAD', commit] : ['HEAD', note.before, commit];
  const done = await git.run(root, ['update-ref', '-m', 'baton: a hook rewrote the change', ...back], {
    env,
  });
  if (done?.code !== 0) return;
  const shown = judged.slice(0, NAMED).join(', ') + (judged.length > NAMED ? ', …' : '');
  throw failure('hook_rewrote', `a hook rewrote ${shown}; the commit was taken back`, { paths: judged });
}
