import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { LexicalPath } from '../../../engine/paths.ts';
import type { Workspace, WorkspaceFacts } from '../../../ports/workspace.ts';
import { CleanUpInput, cleanUp, lookupCleanUp } from '../clean-up.ts';
import { CommitInput } from '../commit-plan.ts';
import { DocumentsInput } from '../documents.ts';
import { findWritten, writeDocuments } from '../documents-files.ts';
import { workspaceFacts } from '../facts.ts';
import { failure, withIo } from '../failure.ts';
import { freeBytes, readOwn } from '../files.ts';
import { createGit, type GitEnvironment } from '../git.ts';
import { guardDocsPath, guardFileName } from '../guard.ts';
import { createIgnoredNotes, noteIgnored } from '../ignored-notes.ts';
import { createLedger, foundNoted, writeNoted } from '../ledger.ts';
import { findProject, ProjectInput } from '../project.ts';
import { child, type RealPath, realFolder } from '../real-path.ts';
import { checkReference } from '../reference.ts';
import { commitOf } from '../repository.ts';
import { findSetup } from '../setup.ts';
import { createGitSnapshots } from '../snapshots/git-snapshots.ts';
import { removeLocks } from '../snapshots/locks.ts';
import { makePrivate } from '../state-files.ts';
import { type LookAt, parseInput, TREE_LOOKS, tableEntry, type Write } from '../tree-place.ts';
import { TREE_WRITES } from '../tree-writes.ts';
import { type CloneSite, commitInClone, lookupInClone } from './commit.ts';
import { freshWorkerGit } from './fresh-git.ts';
import { changedInRunTree, markRunTree } from './mark.ts';
import { findOpened, OpenTreeInput, openRunTree, type Site } from './open-tree.ts';
import { needPerson } from './person.ts';
import { lookupPublished, PublishInput, publish } from './publish.ts';
import { restoreTree } from './restore.ts';
import { ensureRoot, type RunTree, runTree, tipOf } from './run-tree.ts';
import { SavePatchInput, savePatch } from './save-patch.ts';
import { needTreeFile, readTreeFile, touchTree, treeDir } from './tree-dir.ts';

export interface TreeOptions {
  /** Folder inside the person's repository. */
  readonly person: string;
  /** Folder of this run's tree; its parent holds the trees of all runs. It is made by the write `open_tree`. */
  readonly dir: string;
  readonly run: string;
  readonly namespace: string;
  readonly environment?: GitEnvironment;
}

const RUN = /^[a-z0-9][a-z0-9-]*$/i;

/**
 * A tree of the run's own: a clone that reads the person's objects and never touches their files, index or branches.
 * Before `open_tree` only facts and setup can be looked at. Our git works through directories beside the tree, so
 * nothing a worker sets in it is run.
 */
export async function openTree(options: TreeOptions): Promise<Workspace> {
  if (!RUN.test(options.run)) throw failure('path_refused', `${JSON.stringify(options.run)} is not a run`);
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const { top } = await needPerson(git, await realFolder(options.person));
  const person = { git, root: top, namespace: options.namespace, environment };
  const parent = resolve(dirname(options.dir)) as RealPath;
  await makePrivate(parent);
  const dir = child(await realFolder(parent), basename(options.dir));
  const site: Site = { person, run: options.run, dir };
  const at = treeDir(dir);
  const inTurn = createTurns();
  return {
    root: at.tree,
    facts: () => treeFacts(site),
    checkReference: async (path) => checkReference(await readingPlace(site), path),
    look: ({ what, input }, keep) =>
      withIo(`look ${what}`, () => tableEntry(LOOKS, what, 'unknown_look')(site, input, keep)),
    perform: ({ op, effect, input }, keep) =>
      withIo(`write ${op}`, () => tableEntry(OPS, op, 'unknown_op').perform(site, effect, input, keep)),
    lookup: ({ op, effect, input }) =>
      withIo(`lookup ${op}`, () => tableEntry(OPS, op, 'unknown_op').lookup(site, effect, input)),
    mark: () => withIo('mark', async () => markRunTree(await needTree(site))),
    changedSince: (mark) => withIo('mark', async () => changedInRunTree(await needTree(site), mark)),
    noteIgnored: (run, since) => withIo('ignored', async () => noteIgnored(await placeOf(site), run, since)),
    snapshot: (name) => withIo('snapshot', () => inTurn(() => snapshotForCall(site, name))),
    restore: (name) => withIo('restore', async () => restoreTree(await needTree(site), name)),
    freeBytes: () => withIo('free space', () => freeBytes(dirname(dir) as RealPath)),
  };
}

/** The tree as a call finds it: calls of one step start together, so they take it one after the other. */
async function snapshotForCall(site: Site, name: string): Promise<string> {
  const tree = await needTree(site);
  await freshWorkerGit(tree);
  return createGitSnapshots(tree.kept).take(name);
}

function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

/** The opened tree, its folder there even if a worker removed it. Throws `tree_missing`. */
async function needTree(site: Site): Promise<RunTree> {
  const file = await needTreeFile(site.dir);
  const at = treeDir(site.dir);
  await touchTree(site.dir);
  for (const gitDir of [at.view, at.raw]) await removeLocks(gitDir);
  await ensureRoot(at);
  return runTree(at, file, site.person);
}

async function treeFacts(site: Site): Promise<WorkspaceFacts> {
  const file = await readTreeFile(site.dir);
  if (file === null) return await workspaceFacts(site.person.git, site.person.root);
  const { branch, commit } = await tipOf(runTree(treeDir(site.dir), file, site.person));
  return { folder: basename(site.person.root), git: { branch, head: commit } };
}

/** Where files are read: the run's tree, or the person's folder before there is one. */
async function readingPlace(site: Site): Promise<{ root: RealPath; namespace: string }> {
  const file = await readTreeFile(site.dir);
  return {
    root: file === null ? site.person.root : treeDir(site.dir).tree,
    namespace: site.person.namespace,
  };
}

async function placeOf(site: Site): Promise<CloneSite> {
  const tree = await needTree(site);
  return {
    tree,
    git: tree.git,
    root: tree.at.tree,
    namespace: site.person.namespace,
    environment: site.person.environment,
    ledger: createLedger(child(site.dir, 'documents')),
    ignored: createIgnoredNotes(child(site.dir, 'ignored')),
    snapshots: () => Promise.resolve(createGitSnapshots(tree.kept)),
  };
}

const SetupInput = z.strictObject({ slug: z.string(), docs_path: z.string(), branch: z.string().nullable() });

const LOOKS: Readonly<Record<string, LookAt<Site>>> = {
  setup: (site, input) => findSetup(site.person, parseInput(SetupInput, input)),
  ...Object.fromEntries(
    Object.entries(TREE_LOOKS).map(([what, look]): [string, LookAt<Site>] => [
      what,
      async (site, input, keep) => look(await placeOf(site), input, keep),
    ]),
  ),
  project: async (site, input) => ({
    ...(await findProject(await placeOf(site), parseInput(ProjectInput, input))),
    config: await findConfig(site),
  }),
};

/** Line ends apart, which a checkout may change. A run's tree holds what was committed until a worker is called. */
async function findConfig(site: Site): Promise<'committed' | 'uncommitted'> {
  const read = async (root: RealPath) =>
    (await readOwn(child(root, 'baton.yaml')))?.replaceAll('\r\n', '\n') ?? null;
  const [now, base] = [await read(site.person.root), await read(treeDir(site.dir).tree)];
  return now === base ? 'committed' : 'uncommitted';
}

const OPS: Readonly<Record<string, Write<Site>>> = {
  ...Object.fromEntries(
    Object.entries(TREE_WRITES).map(([op, write]): [string, Write<Site>] => [
      op,
      {
        perform: async (site, effect, input) => write.perform(await placeOf(site), effect, input),
        lookup: async (site, effect, input) => write.lookup(await placeOf(site), effect, input),
      },
    ]),
  ),
  open_tree: {
    perform: (site, _, input) => openRunTree(site, parseInput(OpenTreeInput, input)),
    lookup: (site, _, input) => findOpened(site, parseInput(OpenTreeInput, input)),
  },
  write_documents: { perform: writeInTree, lookup: findInTree },
  commit: {
    perform: async (site, effect, input) =>
      commitInClone(await placeOf(site), effect, parseInput(CommitInput, input)),
    lookup: async (site, effect, input) =>
      lookupInClone(await placeOf(site), effect, parseInput(CommitInput, input)),
  },
  publish: {
    perform: async (site, _, input) => publish(await needTree(site), parseInput(PublishInput, input)),
    lookup: async (site, _, input) => lookupPublished(await needTree(site), parseInput(PublishInput, input)),
  },
  save_patch: {
    perform: async (site, effect, raw, keep) => {
      const { since } = parseInput(SavePatchInput, raw);
      return await savePatch(await placeOf(site), effect, since, keep);
    },
    lookup: () => Promise.resolve(null),
  },
  clean_up: {
    perform: async (site, _, input) => cleanUp(await cleanUpPlace(site), parseInput(CleanUpInput, input)),
    lookup: async (site, _, input) =>
      lookupCleanUp(await cleanUpPlace(site), parseInput(CleanUpInput, input)),
  },
};

async function writeInTree(site: Site, effect: string, raw: unknown): Promise<unknown> {
  const { tree, ...place } = await placeOf(site);
  const input = parseInput(DocumentsInput, raw);
  for (const { name } of input.files) guardFileName(name);
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const write = () => writeDocuments(place.root, effect, { ...input, docs });
  return { branch: tree.file.branch, ...(await writeNoted(place, input, write)) };
}

async function findInTree(site: Site, _: string, raw: unknown): Promise<unknown | null> {
  const { tree, ...place } = await placeOf(site);
  const input = parseInput(DocumentsInput, raw);
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const found = await foundNoted(place, input, await findWritten(place.root, { ...input, docs }));
  return found === null ? null : { branch: tree.file.branch, ...found };
}

async function cleanUpPlace(site: Site) {
  const { tree, root, namespace } = await placeOf(site);
  const isCommitted = async (path: LexicalPath, commit: string | null): Promise<boolean> => {
    if (commit !== null && (await commitOf(tree.git, tree.at.dir, commit)) === null)
      throw failure('commit_missing', `${commit} is not in the run's tree; nothing was removed`);
    const at = commit ?? (await tipOf(tree)).commit;
    if (at === null) return false;
    return (await tree.git.ask(tree.at.dir, ['cat-file', '-e', `${at}:${path}`])) !== null;
  };
  return { root, namespace, isCommitted };
}
