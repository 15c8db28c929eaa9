import { AppendInput, lookupAppend, performAppend } from './append-file.ts';
import { lookupPatch, PatchInput, performPatch } from './apply-patch.ts';
import { parseInput, type TreePlace, type Write } from './tree-place.ts';

/** Writes that are the same in every tree. */
export const TREE_WRITES = {
  append_file: {
    perform: (place, effect, input) => performAppend(place, effect, parseInput(AppendInput, input)),
    lookup: (place, effect, input) => lookupAppend(place, effect, parseInput(AppendInput, input)),
  },
  apply_patch: {
    perform: (place, effect, input) => performPatch(place, effect, parseInput(PatchInput, input)),
    lookup: (place, effect, input) => lookupPatch(place, effect, parseInput(PatchInput, input)),
  },
} as const satisfies Readonly<Record<string, Write<TreePlace>>>;
