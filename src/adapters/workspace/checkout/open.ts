import { resolve } from 'node:path';
import * as z from 'zod';
import type { Hash } from '../../../contract/ids.ts';
import { criterionIds } from '../../../engine/criterion-ids.ts';
import { failure } from '../../../engine/errors.ts';
import { validatePath } from '../../../engine/paths.ts';
import { freeBytes } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { withIo } from '../../../files/with-io.ts';
import type { HookRoom } from '../../../ports/hook-room.ts';
import type { StoreText, Workspace } from '../../../ports/workspace.ts';
import { branchRef } from '../../git/branch.ts';
import { createGit, type Git, type GitEnvironment } from '../../git/git.ts';
import { commitOf, findRepository, workspaceFacts } from '../../git/repository.ts';
import { createCommitNotes, NO_COMMIT_NOTES } from '../commit/notes.ts';
import { createLedger, NO_LEDGER } from '../documents/ledger.ts';
import { findSetup, SetupQuestion } from '../documents/setup.ts';
import { createIgnoredNotes, NO_IGNORED_NOTES, noteIgnored } from '../snapshots/ignored-notes.ts';
import { type QueryTable, query, tableMethods } from '../tables.ts';
import { readText, type TextLocation } from '../texts/read-text.ts';
import { checkReference } from '../texts/reference.ts';
import { TREE_QUERIES } from '../tree-queries.ts';
import { findOutputBase, OutputBaseInput } from './output-base.ts';
import type { Checkout } from './writes.ts';

/** Input of the query `spec_file`. */
const SpecFileInput = z.strictObject({ path: z.string() });

/** A specification written by hand: its text as an artefact with plain line ends, and its criterion ids. */
async function findSpecFile(
  location: TextLocation,
  { path }: z.infer<typeof SpecFileInput>,
  keep: StoreText,
): Promise<{ readonly hash: Hash; readonly criteria: readonly string[] }> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const read = await readText(location.root, checked.path);
  if (!read.ok) throw failure('spec_unreadable', `${path}: ${read.rule}`);
  const text = read.text.replaceAll('\r\n', '\n');
  return { hash: await keep(text), criteria: criterionIds(text) };
}

/** Input of the query `branch_file`. */
const BranchFileInput = z.strictObject({ branch: z.string(), path: z.string() });

/** Head commit of a branch and the text of one file in it. Null if the branch or the file does not exist. */
interface BranchFile {
  readonly commit: string | null;
  readonly text: string | null;
}

async function findBranchFile(
  location: { readonly git: Git; readonly root: RealPath; readonly namespace: string },
  { branch, path }: z.infer<typeof BranchFileInput>,
): Promise<BranchFile> {
  const checked = validatePath(path, 'spec_input', location);
  if (!checked.ok) throw failure('path_refused', `${path}: ${checked.code}`);
  const commit = await commitOf(location.git, location.root, branchRef(branch));
  if (commit === null) return { commit: null, text: null };
  const file = await location.git.run(location.root, ['cat-file', 'blob', `${commit}:${checked.path}`]);
  return { commit, text: file?.code === 0 ? file.stdout : null };
}

export interface WorkspaceOptions {
  readonly root: string;
  readonly namespace: string;
  /** The root is known to be the top of its work tree, or to be outside every work tree. If not set, git is asked. */
  readonly isTop?: boolean;
  /** Folder outside the tree for snapshots. A snapshot without it is a bug of the caller. */
  readonly state?: string;
  /** Where git and the person's git settings are. Default: the environment of the process. */
  readonly environment?: GitEnvironment;
  /** Where commit hooks run. Without it they run with the person's environment. */
  readonly hookRoom?: HookRoom | undefined;
}

/**
 * The folder or repository a run works in. A folder inside a git work tree opens the whole tree. Every operation that
 * depends on git checks again whether it is there. Nothing in the tree is ever reverted.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const folder = await realFolder(options.root);
  const root = options.isTop ? folder : ((await findRepository(git, folder))?.top ?? folder);
  const state = options.state === undefined ? null : resolve(options.state);
  const location: Checkout = {
    git,
    root,
    namespace: options.namespace,
    environment,
    hookRoom: options.hookRoom,
    openHooks: async () => {
      const repository = options.hookRoom ? null : await findRepository(git, root);
      return repository === null ? null : (await import('../commit/run.ts')).hooksOf(git, repository);
    },
    ledger: state === null ? NO_LEDGER : createLedger(child(state as RealPath, 'documents')),
    ignored: state === null ? NO_IGNORED_NOTES : createIgnoredNotes(child(state as RealPath, 'ignored')),
    notes: state === null ? NO_COMMIT_NOTES : createCommitNotes(child(state as RealPath, 'commits')),
    snapshots: async () =>
      (await import('./snapshots.ts')).checkoutSnapshots({ git, root, environment, state }),
  };
  return {
    root,
    facts: () => workspaceFacts(git, root),
    checkReference: (path) => checkReference(location, path),
    ...tableMethods(location, QUERIES, writes),
    fingerprint: () =>
      withIo('fingerprint', async () =>
        (await import('../snapshots/tree-fingerprint.ts')).fingerprintTree(location),
      ),
    changedSince: (fingerprint) =>
      withIo('fingerprint', async () =>
        (await import('../snapshots/tree-fingerprint.ts')).changedSinceFingerprint(location, fingerprint),
      ),
    noteIgnored: (run, since) => withIo('ignored', () => noteIgnored(location, run, since)),
    controls: () => Promise.resolve({}),
    snapshot: (name) => withIo('snapshot', async () => (await location.snapshots()).take(name)),
    restore: async (name) => {
      throw failure('never_reverts', `the person's folder is not put back to ${name}; nothing was touched`);
    },
    freeBytes: () => withIo('free space', () => freeBytes(root)),
  };
}

/** Loaded on first use: often no write happens before the next gate. */
async function writes() {
  return (await import('./writes.ts')).CHECKOUT_WRITES;
}

const QUERIES: QueryTable<Checkout> = {
  ...TREE_QUERIES,
  setup: query(SetupQuestion, findSetup),
  spec_file: query(SpecFileInput, findSpecFile),
  branch_file: query(BranchFileInput, findBranchFile),
  output_base: query(OutputBaseInput, findOutputBase),
};
