import { basename, dirname, resolve } from 'node:path';
import { failure } from '../../../engine/errors.ts';
import { oneAtATime } from '../../../engine/one-at-a-time.ts';
import { freeBytes, readSmallFile } from '../../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../../files/real-path.ts';
import { makePrivate, removeTree } from '../../../files/state-files.ts';
import { withIo } from '../../../files/with-io.ts';
import type { HookRoom } from '../../../ports/hook-room.ts';
import type { Workspace, WorkspaceFacts } from '../../../ports/workspace.ts';
import { createGit, type GitEnvironment } from '../../git/git.ts';
import { removeLocks } from '../../git/locks.ts';
import { needPerson } from '../../git/person.ts';
import { workspaceFacts } from '../../git/repository.ts';
import { hooksOf } from '../commit/run.ts';
import { createLedger } from '../documents/ledger.ts';
import { findSetup, SetupQuestion } from '../documents/setup.ts';
import { createGitSnapshots } from '../snapshots/git-snapshots.ts';
import { createIgnoredNotes, noteIgnored } from '../snapshots/ignored-notes.ts';
import { type QueryTable, queriesAt, query, tableMethods, type Write, write, writesAt } from '../tables.ts';
import { findProject, ProjectInput } from '../texts/project.ts';
import type { TextLocation } from '../texts/read-text.ts';
import { checkReference } from '../texts/reference.ts';
import { TREE_QUERIES, type TreeContext } from '../tree-queries.ts';
import { TREE_WRITES } from '../tree-writes.ts';
import { checkOutCommit, cleanFolder } from './clean-checkout.ts';
import { personControls } from './controls.ts';
import { changedInRunTree, fingerprintRunTree } from './fingerprint.ts';
import { findOpened, OpenTreeInput, openRunTree, type Site } from './open-tree.ts';
import { lookupPublished, PublishInput, publish } from './publish.ts';
import { restoreTree } from './restore.ts';
import {
  ensureRoot,
  followRepository,
  needTreeFile,
  type RunTree,
  readTreeFile,
  runTree,
  tipOf,
  touchTree,
  treeDir,
} from './run-tree.ts';
import { SavePatchInput, savePatch } from './save-patch.ts';
import { type CloneSite, cloneSite } from './site.ts';
import { freshWorkerGit } from './worker-git.ts';

export interface TreeOptions {
  /** Folder inside the person's repository. */
  readonly person: string;
  /** Folder of this run's tree. Its parent contains the trees of all runs. The write `open_tree` creates it. */
  readonly dir: string;
  readonly run: string;
  readonly namespace: string;
  readonly environment?: GitEnvironment;
  /** Where commit hooks run. Without it they run with the person's environment. */
  readonly hookRoom?: HookRoom | undefined;
}

const RUN = /^[a-z0-9][a-z0-9-]*$/i;

/**
 * The run's own tree: a clone that reads the person's objects and never touches their files, index or branches. Before
 * `open_tree` only facts and setup can be queried. Our git works through directories beside the tree, so nothing a
 * worker configures in it is run.
 */
export async function openTree(options: TreeOptions): Promise<Workspace> {
  if (!RUN.test(options.run)) throw failure('path_refused', `${JSON.stringify(options.run)} is not a run`);
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const { top, commonDir } = await needPerson(git, await realFolder(options.person));
  const { namespace, hookRoom } = options;
  const person = { git, root: top, namespace, environment, hookRoom };
  const parent = resolve(dirname(options.dir)) as RealPath;
  await makePrivate(parent);
  const dir = child(await realFolder(parent), basename(options.dir));
  const site: Site = { person, run: options.run, dir };
  const at = treeDir(dir);
  await withIo('tree', () => followRepository(at, top, commonDir));
  const inTurn = oneAtATime();
  return {
    root: at.tree,
    facts: () => treeFacts(site),
    checkReference: async (path) => checkReference(await readingContext(site), path),
    ...tableMethods(site, QUERIES, () => Promise.resolve(WRITES)),
    fingerprint: () => withIo('fingerprint', async () => fingerprintRunTree(await needTree(site))),
    changedSince: (fingerprint) =>
      withIo('fingerprint', async () => changedInRunTree(await needTree(site), fingerprint)),
    noteIgnored: (run, since) =>
      withIo('ignored', async () => noteIgnored(await locationOf(site), run, since)),
    controls: () => withIo('controls', () => personControls(person)),
    snapshot: (name) => withIo('snapshot', () => inTurn(() => snapshotForCall(site, name))),
    restore: (name) => withIo('restore', async () => restoreTree(await needTree(site), name)),
    checkOut: (key, commit) =>
      withIo('checkout', async () => checkOutCommit(await locationOf(site), key, commit)),
    leaveCheckout: () => withIo('checkout', () => removeTree(cleanFolder(at))),
    freeBytes: () => withIo('free space', () => freeBytes(dirname(dir) as RealPath)),
  };
}

/** Takes the tree as a call finds it. Calls of one step start together, so their snapshots run one after the other. */
async function snapshotForCall(site: Site, name: string): Promise<string> {
  const tree = await needTree(site);
  await freshWorkerGit(tree);
  return createGitSnapshots(tree.kept).take(name);
}

/** The opened tree. Its folder is created again if a worker removed it. Throws `tree_missing`. */
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

/** Where files are read: the run's tree, or the person's folder before the tree exists. */
async function readingContext(site: Site): Promise<TextLocation> {
  const file = await readTreeFile(site.dir);
  return {
    root: file === null ? site.person.root : treeDir(site.dir).tree,
    namespace: site.person.namespace,
  };
}

async function locationOf(site: Site): Promise<CloneSite> {
  const tree = await needTree(site);
  const { git, root, namespace, environment, hookRoom } = site.person;
  const location: TreeContext = {
    git: tree.git,
    root: tree.at.tree,
    namespace,
    environment,
    hookRoom,
    openHooks: async () => (hookRoom ? null : hooksOf(git, await needPerson(git, root))),
    ledger: createLedger(child(site.dir, 'documents')),
    ignored: createIgnoredNotes(child(site.dir, 'ignored')),
    snapshots: () => Promise.resolve(createGitSnapshots(tree.kept)),
  };
  return cloneSite(location, tree);
}

const QUERIES: QueryTable<Site> = {
  ...queriesAt(TREE_QUERIES, locationOf),
  setup: query(SetupQuestion, (site: Site, input) => findSetup(site.person, input)),
  project: query(ProjectInput, async (site: Site, input) => ({
    ...(await findProject(await locationOf(site), input)),
    config: await findConfig(site),
  })),
};

/**
 * Compares without line ends, which a checkout may change. Before the first worker call, a run's tree contains what was
 * committed.
 */
async function findConfig(site: Site): Promise<'committed' | 'uncommitted'> {
  const read = async (root: RealPath) =>
    (await readSmallFile(child(root, 'baton.yaml')))?.replaceAll('\r\n', '\n') ?? null;
  const [now, base] = [await read(site.person.root), await read(treeDir(site.dir).tree)];
  return now === base ? 'committed' : 'uncommitted';
}

const WRITES: Readonly<Record<string, Write<Site>>> = {
  ...writesAt(TREE_WRITES, locationOf),
  open_tree: write(
    OpenTreeInput,
    (site: Site, _, input) => openRunTree(site, input),
    (site, _, input) => findOpened(site, input),
  ),
  publish: write(
    PublishInput,
    async (site: Site, _, input) => publish(await needTree(site), input),
    async (site, _, input) => lookupPublished(await needTree(site), input),
  ),
  save_patch: write(SavePatchInput, async (site: Site, effect, { since }, keep) =>
    savePatch(await locationOf(site), effect, since, keep),
  ),
};
