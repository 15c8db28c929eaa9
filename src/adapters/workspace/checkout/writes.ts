import * as z from 'zod';
import { failure } from '../../../engine/errors.ts';
import { statOf } from '../../../files/real-files.ts';
import { child } from '../../../files/real-path.ts';
import type { BranchContext } from '../../git/branch.ts';
import { rawChanges, treeEntry, zeroList, zeroText } from '../../git/names.ts';
import { emptyTree, headOf, type Repository } from '../../git/repository.ts';
import type { CommitSite } from '../commit/commit.ts';
import type { CommitNotes } from '../commit/notes.ts';
import type { FingerprintContext } from '../snapshots/tree-fingerprint.ts';
import { type Write, write, writesAt } from '../tables.ts';
import type { TreeContext } from '../tree-queries.ts';
import { TREE_WRITES } from '../tree-writes.ts';
import { lookupWipe, WipeInput, wipeBase } from './output-base.ts';

/** The person's own folder as a work location. */
export type Checkout = CheckoutContext & FingerprintContext;

/** Name of the newest run's first snapshot. The first snapshot of each run is also stored as `<run>/start`. */
const START = 'start';

/** Input of the write `take_base`. `since` is the earlier base, or null before the first attempt. */
const TakeBaseInput = z.strictObject({ since: z.string().nullable(), paths: z.array(z.string()) });

/** Writes into the person's own folder. */
export const CHECKOUT_WRITES: Readonly<Record<string, Write<Checkout>>> = {
  ...writesAt(TREE_WRITES, (location: Checkout) => Promise.resolve(checkoutSite(location))),
  open_tree: {
    perform: async (location, effect) => {
      const snapshots = await location.snapshots();
      await snapshots.take(ownStart(effect));
      return opened(effect, await snapshots.retake(START, effect));
    },
    lookup: async (location, effect) => {
      const snapshots = await location.snapshots();
      if ((await snapshots.takenBy(START)) !== effect) return null;
      return opened(effect, await snapshots.take(START));
    },
  },
  // Taking an existing base again returns the same snapshot.
  take_base: write(TakeBaseInput, takeBase),
  wipe_base: write(WipeInput, wipeBase, lookupWipe),
};

/**
 * The tree right before an author works, so that only later changes count as the author's. It excludes what attempts of
 * the run changed since `since`: the next attempt adds to that.
 */
async function takeBase(location: Checkout, effect: string, input: z.infer<typeof TakeBaseInput>) {
  const snapshot = `${effect}/base`;
  const snapshots = await location.snapshots();
  if (input.since === null) await snapshots.take(snapshot);
  else await snapshots.takeExcept(snapshot, input.since, input.paths);
  return { snapshot };
}

function opened(effect: string, tree: string) {
  return { base: null, branch: null, snapshot: ownStart(effect), tree };
}

function ownStart(effect: string): string {
  return `${effect.split('/')[0]}/${START}`;
}

/** The person's own folder as a location to commit in. */
export interface CheckoutContext extends TreeContext {
  readonly notes: CommitNotes;
}

/** Commits on the person's current branch. Afterwards only the entries of the commit change in the person's index. */
export function checkoutSite(location: CheckoutContext): CommitSite {
  return {
    ...location,
    person: location,
    ref: 'HEAD',
    ownBranch: null,
    isWritten: location.ledger.isOwn,
    env: {},
    gitDir: ({ commonDir }) => commonDir,
    head: () => headOf(location.git, location.root),
    refuseBusy,
    follow: (made, again) => bringUpToDate(location, made, again),
  };
}

const BUSY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** Only the person finishes their own merge or rebase. A commit in between would become part of it. */
async function refuseBusy({ gitDir }: Repository): Promise<void> {
  for (const name of BUSY)
    if ((await statOf(child(gitDir, name))) !== null)
      throw failure('repository_busy', `${name} is there: finish or abort it first`);
  if ((await statOf(child(gitDir, 'index.lock'))) !== null)
    throw failure('index_locked', 'another git process is at work', { retry: 'transient' });
}

/**
 * Copies the entries of the commit into the person's index, for the paths the commit changed. With `careful`, an entry
 * that the person has changed meanwhile is left alone.
 */
async function bringUpToDate(
  location: BranchContext,
  made: { readonly commit: string; readonly parent: string | null },
  careful: boolean,
): Promise<void> {
  const { git, root } = location;
  const from = made.parent ?? (await emptyTree(git, root));
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, made.commit];
  const changes = rawChanges(await git.need(root, args, { binary: true }));
  const present = careful ? await indexEntries(location) : null;
  const lines = changes.flatMap(({ oldMode, mode, oldId, id, name }) => {
    const old = /^0+$/.test(oldMode) ? undefined : `${oldMode} ${oldId}`;
    return present === null || present.get(name) === old ? [`${mode} ${id}\t${name}`] : [];
  });
  if (lines.length === 0) return;
  const options = { input: zeroText(lines), binary: true };
  await git.need(root, ['update-index', '-z', '--replace', '--index-info'], options);
  await git.run(root, ['update-index', '-q', '--refresh']);
}

async function indexEntries(location: BranchContext): Promise<Map<string, string>> {
  const listed = await location.git.need(location.root, ['ls-files', '-s', '-z'], { binary: true });
  // Here the second field is the id.
  const entries = zeroList(listed).map(treeEntry);
  return new Map(entries.map(({ mode, type: id, name }) => [name, `${mode} ${id}`]));
}
