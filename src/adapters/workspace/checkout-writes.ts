import * as z from 'zod';
import { CleanUpInput, type CleanUpPlace, cleanUp, lookupCleanUp } from './clean-up.ts';
import { type CheckoutPlace, commitInPlace, lookupInPlace } from './commit-in-place.ts';
import { CommitInput } from './commit-plan.ts';
import { DocumentsInput, lookupDocuments, performDocuments } from './documents.ts';
import { documentsExist } from './documents-files.ts';
import { hashOf, sha256 } from './files.ts';
import { guardDocsPath, guardFileName, walkTo } from './guard.ts';
import { foundNoted, writeNoted } from './ledger.ts';
import { lookupWipe, WipeInput, wipeBase } from './output-base.ts';
import { child, type RealPath } from './real-path.ts';
import type { MarkPlace } from './tree-mark.ts';
import { parseInput, type Write } from './tree-place.ts';
import { TREE_WRITES } from './tree-writes.ts';

/** The person's own folder as a place of work. */
export type Checkout = CheckoutPlace & MarkPlace & CleanUpPlace;

/** Name of the newest run's first snapshot; each run's own is `<run>/start`. */
const START = 'start';

/** Input of the write `take_base`. `since`: the base so far, null before the first attempt. */
const TakeBaseInput = z.strictObject({ since: z.string().nullable(), paths: z.array(z.string()) });

/** Writes into the person's own folder. */
export const CHECKOUT_WRITES: Readonly<Record<string, Write<Checkout>>> = {
  ...TREE_WRITES,
  write_documents: {
    perform: async (place, effect, raw) => {
      const input = parseInput(DocumentsInput, raw);
      if (input.own_only) await refuseForeign(place, input);
      const write = () => performDocuments(place, effect, input);
      return await (isInFolder(input) ? writeNoted(place, input, write) : write());
    },
    lookup: async (place, effect, raw) => {
      const input = parseInput(DocumentsInput, raw);
      const found = await lookupDocuments(place, effect, input);
      return isInFolder(input) ? foundNoted(place, input, found) : found;
    },
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

/** Files of the folder itself; else they stand on a branch alone. */
function isInFolder({ branch, in_place }: DocumentsInput): boolean {
  return branch === null || in_place === true;
}

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
