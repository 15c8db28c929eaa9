import { lookupPatch, PatchInput, performPatch } from './changes/apply-patch.ts';
import { type CommitSite, commit, lookupCommit } from './commit/commit.ts';
import { CommitInput } from './commit/plan.ts';
import { CleanUpInput, cleanUp, lookupCleanUp } from './documents/clean-up.ts';
import { DocumentsInput, lookupDocuments, performDocuments } from './documents/documents.ts';
import { type Write, write } from './tables.ts';
import { AppendInput, lookupAppend, performAppend } from './texts/tree-files.ts';

/** Writes of every tree. */
export const TREE_WRITES: Readonly<Record<string, Write<CommitSite>>> = {
  append_file: write(AppendInput, performAppend, lookupAppend),
  apply_patch: write(PatchInput, performPatch, lookupPatch),
  write_documents: write(DocumentsInput, performDocuments, lookupDocuments),
  commit: write(CommitInput, commit, lookupCommit),
  clean_up: write(CleanUpInput, cleanUp, lookupCleanUp),
};
