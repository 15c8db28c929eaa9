import * as z from 'zod';
import { parseInput } from '../../../engine/outside-table.ts';
import { hashOf, sha256 } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { commit, lookupCommit } from '../commit/commit.ts';
import { CommitInput } from '../commit/plan.ts';
import { type CleanUpContext, CleanUpInput, cleanUp, lookupCleanUp } from '../documents/clean-up.ts';
import { DocumentsInput, lookupDocuments, performDocuments } from '../documents/documents.ts';
import { guardDocsPath, guardFileName, walkTo } from '../documents/guard.ts';
import { documentsExist } from '../documents/in-files.ts';
import { foundNoted, writeNoted } from '../documents/ledger.ts';
import type { FingerprintContext } from '../snapshots/tree-fingerprint.ts';
import type { Write } from '../tree-queries.ts';
import { TREE_WRITES } from '../tree-writes.ts';
import { type CheckoutContext, checkoutSite } from './commit-site.ts';
import { lookupWipe, WipeInput, wipeBase } from './output-base.ts';

/** The person's own folder as a work location. */
export type Checkout = CheckoutContext & FingerprintContext & CleanUpContext;

/** Name of the newest run's first snapshot. The first snapshot of each run is also stored as `<run>/start`. */
const START = 'start';

/** Input of the write `take_base`. `since` is the earlier base, or null before the first attempt. */
const TakeBaseInput = z.strictObject({ since: z.string().nullable(), paths: z.array(z.string()) });

/** Writes into the person's own folder. */
export const CHECKOUT_WRITES: Readonly<Record<string, Write<Checkout>>> = {
  ...TREE_WRITES,
  write_documents: {
    perform: async (location, effect, raw) => {
      const input = parseInput(DocumentsInput, raw);
      if (input.own_only) await refuseForeign(location, input);
      const write = () => performDocuments(location, effect, input);
      return await (isInFolder(input) ? writeNoted(location, input, write) : write());
    },
    lookup: async (location, effect, raw) => {
      const input = parseInput(DocumentsInput, raw);
      const found = await lookupDocuments(location, effect, input);
      return isInFolder(input) ? foundNoted(location, input, found) : found;
    },
  },
  open_tree: {
    perform: async (location, effect) => {
      const snapshots = await location.snapshots();
      await snapshots.take(ownStart(effect));
      return {
        base: null,
        branch: null,
        snapshot: ownStart(effect),
        tree: await snapshots.retake(START, effect),
      };
    },
    lookup: async (location, effect) => {
      const snapshots = await location.snapshots();
      if ((await snapshots.takenBy(START)) !== effect) return null;
      return { base: null, branch: null, snapshot: ownStart(effect), tree: await snapshots.take(START) };
    },
  },
  take_base: {
    perform: (location, effect, input) => takeBase(location, effect, parseInput(TakeBaseInput, input)),
    // Taking an existing base again returns the same snapshot.
    lookup: () => Promise.resolve(null),
  },
  commit: {
    perform: (location, effect, input) =>
      commit(checkoutSite(location), effect, parseInput(CommitInput, input)),
    lookup: (location, effect, input) =>
      lookupCommit(checkoutSite(location), effect, parseInput(CommitInput, input)),
  },
  clean_up: {
    perform: (location, _, input) => cleanUp(location, parseInput(CleanUpInput, input)),
    lookup: (location, _, input) => lookupCleanUp(location, parseInput(CleanUpInput, input)),
  },
  wipe_base: {
    perform: (location, _, input) => wipeBase(location, parseInput(WipeInput, input)),
    lookup: (location, _, input) => lookupWipe(location, parseInput(WipeInput, input)),
  },
};

/** True if the files are in the folder itself. Otherwise they are only on a branch. */
function isInFolder({ branch, in_place }: DocumentsInput): boolean {
  return branch === null || in_place === true;
}

/** A document that a person wrote or edited is not replaced without asking. */
async function refuseForeign(location: Checkout, input: DocumentsInput): Promise<void> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  const folder = await walkTo(location.root, docs, false);
  for (const { name, text } of folder === null ? [] : input.files) {
    const hash = await hashOf(child(folder as RealPath, guardFileName(name)));
    const foreign =
      hash !== null && hash !== sha256(text) && !(await location.ledger.isOwn(`${docs}/${name}`, hash));
    if (foreign) throw documentsExist(docs, name);
  }
}

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

function ownStart(effect: string): string {
  return `${effect.split('/')[0]}/${START}`;
}
