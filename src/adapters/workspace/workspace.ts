import { resolve } from 'node:path';
import * as z from 'zod';
import type { LexicalPath } from '../../engine/paths.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { BranchFileInput, findBranchFile } from './branch-file.ts';
import { checkoutSnapshots } from './checkout-snapshots.ts';
import { CleanUpInput, type CleanUpPlace, cleanUp, lookupCleanUp } from './clean-up.ts';
import { type CheckoutPlace, commitInPlace, lookupInPlace } from './commit-in-place.ts';
import { createCommitNotes, NO_COMMIT_NOTES } from './commit-note.ts';
import { CommitInput } from './commit-plan.ts';
import { DocumentsInput, lookupDocuments, performDocuments } from './documents.ts';
import { documentsExist } from './documents-files.ts';
import { workspaceFacts } from './facts.ts';
import { failure, withIo } from './failure.ts';
import { freeBytes, hashOf, sha256 } from './files.ts';
import { createGit, type GitEnvironment } from './git.ts';
import { guardDocsPath, guardFileName, walkTo } from './guard.ts';
import { createLedger, NO_LEDGER, noteDocuments } from './ledger.ts';
import { findOutputBase, lookupWipe, OutputBaseInput, WipeInput, wipeBase } from './output-base.ts';
import { child, type RealPath, realFolder } from './real-path.ts';
import { checkReference } from './reference.ts';
import { commitOf, findRepository, isInWorkTree } from './repository.ts';
import { findSetup } from './setup.ts';
import { findSpecFile, SpecFileInput } from './spec-file.ts';
import { changedSinceMark, type MarkPlace, markTree } from './tree-mark.ts';
import { type LookAt, parseInput, TREE_LOOKS, TREE_OPS, tableEntry, type Write } from './tree-place.ts';

export interface WorkspaceOptions {
  readonly root: string;
  readonly namespace: string;
  /** Folder outside the tree for snapshots; without it a snapshot is a bug of the caller. */
  readonly state?: string;
  /** Where git is found and where the person's git settings lie; the process's own environment unless given. */
  readonly environment?: GitEnvironment;
}

/** The person's own folder as a place of work. */
type Checkout = CheckoutPlace & MarkPlace & CleanUpPlace;

/**
 * The folder or repository a run works in. A folder inside a work tree of git opens the whole tree; whether git is
 * there is asked anew by every operation that depends on it. Nothing in it is ever reverted.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const folder = await realFolder(options.root);
  const root = (await findRepository(git, folder))?.top ?? folder;
  const state = options.state === undefined ? null : resolve(options.state);
  const place: Checkout = {
    git,
    root,
    namespace: options.namespace,
    environment,
    ledger: state === null ? NO_LEDGER : createLedger(child(state as RealPath, 'documents')),
    notes: state === null ? NO_COMMIT_NOTES : createCommitNotes(child(state as RealPath, 'commits')),
    snapshots: () => checkoutSnapshots({ git, root, environment, state }),
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
      withIo(`write ${op}`, () => tableEntry(OPS, op, 'unknown_op').perform(place, effect, input, keep)),
    lookup: ({ op, effect, input }) =>
      withIo(`lookup ${op}`, () => tableEntry(OPS, op, 'unknown_op').lookup(place, effect, input)),
    mark: () => withIo('mark', () => markTree(place)),
    changedSince: (mark) => withIo('mark', () => changedSinceMark(place, mark)),
    snapshot: (name) => withIo('snapshot', async () => (await place.snapshots()).take(name)),
    restore: (name) => Promise.reject(neverReverts(name)),
    freeBytes: () => withIo('free space', () => freeBytes(root)),
  };
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

/** Name of the newest run's first snapshot; each run's own is `<run>/start`. */
const START = 'start';

/** Input of the write `take_base`. `since`: the base so far, null before the first attempt. */
const TakeBaseInput = z.strictObject({ since: z.string().nullable(), paths: z.array(z.string()) });

const OPS: Readonly<Record<string, Write<Checkout>>> = {
  ...TREE_OPS,
  write_documents: {
    perform: async (place, effect, raw) => {
      const input = parseInput(DocumentsInput, raw);
      if (input.own_only) await refuseForeign(place, input);
      if (input.branch === null || input.in_place) await noteDocuments(place, input);
      return await performDocuments(place, effect, input);
    },
    lookup: (place, effect, input) => lookupDocuments(place, effect, parseInput(DocumentsInput, input)),
  },
  open_tree: {
    perform: async (place, effect) => {
      const snapshots = await place.snapshots();
      await snapshots.take(ownStart(effect));
      return {
        base: null,
        branch: null,
        snapshot: ownStart(effect),
        tree: await snapshots.retake(START, effect),
      };
    },
    lookup: async (place, effect) => {
      const snapshots = await place.snapshots();
      if ((await snapshots.takenBy(START)) !== effect) return null;
      return { base: null, branch: null, snapshot: ownStart(effect), tree: await snapshots.take(START) };
    },
  },
  take_base: {
    perform: (place, effect, input) => takeBase(place, effect, parseInput(TakeBaseInput, input)),
    // Taking a base that is there gives what was taken.
    lookup: () => Promise.resolve(null),
  },
  commit: {
    perform: (place, effect, input) => commitInPlace(place, effect, parseInput(CommitInput, input)),
    lookup: (place, effect, input) => lookupInPlace(place, effect, parseInput(CommitInput, input)),
  },
  clean_up: {
    perform: (place, _, input) => cleanUp(place, parseInput(CleanUpInput, input)),
    lookup: (place, _, input) => lookupCleanUp(place, parseInput(CleanUpInput, input)),
  },
  wipe_base: {
    perform: (place, _, input) => wipeBase(place, parseInput(WipeInput, input)),
    lookup: (place, _, input) => lookupWipe(place, parseInput(WipeInput, input)),
  },
};

/** A document a person wrote or edited is not replaced without a question. */
async function refuseForeign(place: Checkout, input: DocumentsInput): Promise<void> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const folder = await walkTo(place.root, docs, false);
  for (const { name, text } of folder === null ? [] : input.files) {
    const hash = await hashOf(child(folder as RealPath, guardFileName(name)));
    const foreign =
      hash !== null && hash !== sha256(text) && !(await place.ledger.isOwn(`${docs}/${name}`, hash));
    if (foreign) throw documentsExist(docs, name);
  }
}

/**
 * The tree right before an author works, so that only what happens from here on is the author's. What attempts of the
 * run changed since `since` stays out of it: the next one adds to that.
 */
async function takeBase(place: Checkout, effect: string, input: z.infer<typeof TakeBaseInput>) {
  const snapshot = `${effect}/base`;
  const snapshots = await place.snapshots();
  if (input.since === null) await snapshots.take(snapshot);
  else await snapshots.takeExcept(snapshot, input.since, input.paths);
  return { snapshot };
}

function ownStart(effect: string): string {
  return `${effect.split('/')[0]}/${START}`;
}

async function isCommitted(place: Checkout, path: LexicalPath, commit: string | null): Promise<boolean> {
  if (!(await isInWorkTree(place.git, place.root))) return false;
  if (commit !== null && (await commitOf(place.git, place.root, commit)) === null)
    throw failure('commit_missing', `${commit} is not in the repository; nothing was removed`);
  const args = ['cat-file', '-e', `${commit ?? 'HEAD'}:${path}`];
  return (await place.git.ask(place.root, args)) !== null;
}
