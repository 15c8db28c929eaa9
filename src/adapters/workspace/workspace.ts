import { resolve } from 'node:path';
import * as z from 'zod';
import type { LexicalPath } from '../../engine/paths.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { BranchFileInput, findBranchFile } from './branch-file.ts';
import type { Checkout } from './checkout-writes.ts';
import { createCommitNotes, NO_COMMIT_NOTES } from './commit-note.ts';
import { workspaceFacts } from './facts.ts';
import { failure, withIo } from './failure.ts';
import { freeBytes } from './files.ts';
import { createGit, type GitEnvironment } from './git.ts';
import { createIgnoredNotes, NO_IGNORED_NOTES, noteIgnored } from './ignored-notes.ts';
import { createLedger, NO_LEDGER } from './ledger.ts';
import { findOutputBase, OutputBaseInput } from './output-base.ts';
import { child, type RealPath, realFolder } from './real-path.ts';
import { checkReference } from './reference.ts';
import { commitOf, findRepository, isInWorkTree } from './repository.ts';
import { findSetup } from './setup.ts';
import { findSpecFile, SpecFileInput } from './spec-file.ts';
import { type LookAt, parseInput, TREE_LOOKS, tableEntry, type Write } from './tree-place.ts';

export interface WorkspaceOptions {
  readonly root: string;
  readonly namespace: string;
  /** The root is known to be the top of its work tree, or to lie in none; else git is asked. */
  readonly isTop?: boolean;
  /** Folder outside the tree for snapshots; without it a snapshot is a bug of the caller. */
  readonly state?: string;
  /** Where git is found and where the person's git settings lie; the process's own environment unless given. */
  readonly environment?: GitEnvironment;
}

/**
 * The folder or repository a run works in. A folder inside a work tree of git opens the whole tree; whether git is
 * there is looked at anew by every operation that depends on it. Nothing in it is ever reverted.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const folder = await realFolder(options.root);
  const root = options.isTop ? folder : ((await findRepository(git, folder))?.top ?? folder);
  const state = options.state === undefined ? null : resolve(options.state);
  const place: Checkout = {
    git,
    root,
    namespace: options.namespace,
    environment,
    ledger: state === null ? NO_LEDGER : createLedger(child(state as RealPath, 'documents')),
    ignored: state === null ? NO_IGNORED_NOTES : createIgnoredNotes(child(state as RealPath, 'ignored')),
    notes: state === null ? NO_COMMIT_NOTES : createCommitNotes(child(state as RealPath, 'commits')),
    snapshots: async () =>
      (await import('./checkout-snapshots.ts')).checkoutSnapshots({ git, root, environment, state }),
    isCommitted: (path, commit) => isCommitted(place, path, commit),
    isOwn: (path, hash) => place.ledger.isOwn(path, hash),
  };
  return {
    root,
    facts: () => workspaceFacts(git, root),
    checkReference: (path) => checkReference(place, path),
    look: ({ what, input }, keep) =>
      withIo(`look ${what}`, () => tableEntry(LOOKS, what, 'unknown_look')(place, input, keep)),
    perform: ({ op, effect, input }, keep) =>
      withIo(`write ${op}`, async () => (await writeOf(op)).perform(place, effect, input, keep)),
    lookup: ({ op, effect, input }) =>
      withIo(`lookup ${op}`, async () => (await writeOf(op)).lookup(place, effect, input)),
    mark: () => withIo('mark', async () => (await import('./tree-mark.ts')).markTree(place)),
    changedSince: (mark) =>
      withIo('mark', async () => (await import('./tree-mark.ts')).changedSinceMark(place, mark)),
    noteIgnored: (run, since) => withIo('ignored', () => noteIgnored(place, run, since)),
    snapshot: (name) => withIo('snapshot', async () => (await place.snapshots()).take(name)),
    restore: (name) => Promise.reject(neverReverts(name)),
    freeBytes: () => withIo('free space', () => freeBytes(root)),
  };
}

/** Writes are loaded by the first of them: on the way to the next gate there often is none. */
async function writeOf(op: string): Promise<Write<Checkout>> {
  return tableEntry((await import('./checkout-writes.ts')).CHECKOUT_WRITES, op, 'unknown_op');
}

function neverReverts(name: string): Error {
  return failure('never_reverts', `the person's folder is not put back to ${name}; nothing was touched`);
}

const SetupInput = z.strictObject({ slug: z.string(), docs_path: z.string(), branch: z.string().nullable() });

const LOOKS: Readonly<Record<string, LookAt<Checkout>>> = {
  ...TREE_LOOKS,
  setup: (place, input) => findSetup(place, parseInput(SetupInput, input)),
  spec_file: (place, input, keep) => findSpecFile(place, parseInput(SpecFileInput, input), keep),
  branch_file: (place, input) => findBranchFile(place, parseInput(BranchFileInput, input)),
  output_base: (place, input) => findOutputBase(place, parseInput(OutputBaseInput, input)),
};

async function isCommitted(place: Checkout, path: LexicalPath, commit: string | null): Promise<boolean> {
  if (!(await isInWorkTree(place.git, place.root))) return false;
  if (commit !== null && (await commitOf(place.git, place.root, commit)) === null)
    throw failure('commit_missing', `${commit} is not in the repository; nothing was removed`);
  const args = ['cat-file', '-e', `${commit ?? 'HEAD'}:${path}`];
  return (await place.git.ask(place.root, args)) !== null;
}
