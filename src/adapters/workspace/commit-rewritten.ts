import { failure } from '../../engine/errors.ts';
import type { CommitContext } from './commit-context.ts';
import type { CommitNote } from './commit-note.ts';
import type { CommitInput } from './commit-plan.ts';
import { type Ledger, noteFormatted } from './ledger.ts';
import { decodeName, zeroList } from './snapshots/names.ts';

const NAMED = 5;

/**
 * Takes back a commit in which a hook changed judged content, and refuses it as `hook_rewrote`. The files stay as the
 * hook left them. If the branch has already moved on, the commit stays. It also stays if a person agreed to take the
 * hooks' changes. Documents were not judged: hooks may format them.
 */
export async function refuseRewritten(
  location: Pick<CommitContext, 'git' | 'root' | 'env'> & { readonly ledger: Ledger },
  { content, take_hooks, docs_path }: CommitInput,
  commit: string,
  note: CommitNote | null,
): Promise<void> {
  if (content === undefined || take_hooks || note === null) return;
  const { git, root, env } = location;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', note.tree, commit];
  const names = zeroList(await git.need(root, args, { env, binary: true })).map(
    (name) => decodeName(name).path,
  );
  const folder = docs_path === undefined ? null : `${docs_path.replace(/\/$/, '')}/`;
  const documents = names.filter((name) => folder !== null && name.startsWith(folder));
  const judged = names.filter((name) => !documents.includes(name));
  for (const path of documents) await noteFormatted(location, path);
  if (judged.length === 0) return;
  const back = note.before === null ? ['-d', 'HEAD', commit] : ['HEAD', note.before, commit];
  const done = await git.run(root, ['update-ref', '-m', 'baton: a hook rewrote the change', ...back], {
    env,
  });
  if (done?.code !== 0) return;
  const shown = judged.slice(0, NAMED).join(', ') + (judged.length > NAMED ? ', …' : '');
  throw failure('hook_rewrote', `a hook rewrote ${shown}; the commit was taken back`, { paths: judged });
}
