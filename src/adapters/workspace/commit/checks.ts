import { failure } from '../../../engine/errors.ts';
import type { Git } from '../../git/git.ts';
import { bytes, decodeName, rawChanges, zeroList, zeroText } from '../../git/names.ts';
import { emptyTree } from '../../git/repository.ts';
import { type ChangeContext, findContent } from '../changes/change-set.ts';
import { type Ledger, noteFormatted } from '../documents/ledger.ts';
import type { CommitNote } from './notes.ts';
import type { CommitInput } from './plan.ts';
import type { CommitContext } from './room.ts';

/** The staged tree and `old`, the tree of the last commit. `old` is null before the first commit. */
interface Staged {
  readonly old: string | null;
  readonly tree: string;
}

/**
 * Rejects a staged tree that is empty, contains an unlisted path, or touches a submodule. Git itself removes an entry
 * when a file is staged below its name.
 */
export async function refuseStaged(
  git: Pick<Git, 'need'>,
  cwd: string,
  { old, tree }: Staged,
  planned: readonly string[],
): Promise<void> {
  if (tree === old)
    throw failure('nothing_to_commit', 'none of the named paths differs from the last commit');
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', old ?? (await emptyTree(git, cwd)), tree];
  // Git may stage the composed form of a name that is decomposed on disk.
  const named = new Set(planned.flatMap((path) => [bytes(path), bytes(path.normalize('NFC'))]));
  const changes = rawChanges(await git.need(cwd, args, { binary: true }));
  const other = changes.find((one) => !named.has(one.name) || [one.oldMode, one.mode].includes(SUBMODULE));
  if (other === undefined) return;
  const name = JSON.stringify(Buffer.from(other.name, 'latin1').toString('utf8'));
  throw failure('commit_differs', `${name} would change too; nothing was committed`);
}

const SUBMODULE = '160000';

/** Refuses files that differ from what was judged. Called after staging: later changes are not in the commit. */
export async function refuseAltered(location: ChangeContext, input: CommitInput): Promise<void> {
  const { content: judged, since, paths } = input;
  if (judged === undefined || since === undefined) return;
  const { content } = await findContent(location, { since, paths });
  if (content !== judged)
    throw failure('altered', 'the files are no longer what was judged; nothing was committed');
}

/**
 * Refuses to stage paths whose filter could execute files of the change with the person's keys. Used for a commit
 * outside a sandbox that no person was asked about. After the refusal the commit gate opens. Large files (LFS) are only
 * stored.
 */
export async function refuseFilters(
  { git, root, env, settings }: CommitContext,
  paths: readonly string[],
): Promise<void> {
  const set = settings.flatMap((setting) => /^filter\.(.+)\.(?:clean|process)=(.*)$/s.exec(setting) ?? []);
  const names = set.filter((_, n) => n % 3 === 1 && !/^git-lfs /.test(set[n + 1] ?? ''));
  if (names.length === 0) return;
  const input = zeroText(paths.map(bytes));
  const args = ['check-attr', '-z', '--stdin', 'filter'];
  const fields = (await git.need(root, args, { env, input, binary: true })).split('\0');
  const used = fields.filter((value, n) => n % 3 === 2 && names.includes(value));
  if (used.length > 0)
    throw failure(
      'commit_failed',
      `the filter ${used[0]} may execute files of the change: choose to commit yourself`,
    );
}

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
