import { parseInput } from '../../engine/outside-table.ts';
import { lookupPatch, PatchInput, performPatch } from './changes/apply-patch.ts';
import { AppendInput, lookupAppend, performAppend } from './texts/tree-files.ts';
import type { TreeContext, Write } from './tree-queries.ts';

/** Writes that are the same in every tree. */
export const TREE_WRITES = {
  append_file: {
    perform: (location, effect, input) => performAppend(location, effect, parseInput(AppendInput, input)),
    lookup: (location, effect, input) => lookupAppend(location, effect, parseInput(AppendInput, input)),
  },
  apply_patch: {
    perform: (location, effect, input) => performPatch(location, effect, parseInput(PatchInput, input)),
    lookup: (location, effect, input) => lookupPatch(location, effect, parseInput(PatchInput, input)),
  },
} as const satisfies Readonly<Record<string, Write<TreeContext>>>;
