import * as z from 'zod';
import type { FingerprintContext } from '../snapshots/tree-fingerprint.ts';
import { type Write, write, writesAt } from '../tables.ts';
import { TREE_WRITES } from '../tree-writes.ts';
import { type CheckoutContext, checkoutSite } from './commit-site.ts';
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
