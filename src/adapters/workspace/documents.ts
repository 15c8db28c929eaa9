import * as z from 'zod';
import type { BranchPlace } from './branch.ts';
import { findWritten, type WrittenDocuments, writeDocuments } from './documents-files.ts';
import { type CommittedDocuments, commitDocuments, findCommitted } from './documents-git.ts';
import { guardDocsPath, guardFileName } from './guard.ts';

const ObjectId = z.string().regex(/^[0-9a-f]{40,64}$/);

/** Input of the write `write_documents`. */
export const DocumentsInput = z.strictObject({
  docs_path: z.string(),
  /** The run's slug; with it the folder may lie below another base than `docs/<namespace>`. */
  slug: z.string().optional(),
  branch: z.string().nullable(),
  base: ObjectId.nullable(),
  in_place: z.boolean(),
  files: z.array(z.strictObject({ name: z.string(), text: z.string() })).min(1),
  message: z.string(),
  /** Replace only documents that are still exactly what a run wrote. */
  own_only: z.boolean().optional(),
  overwrite: z.boolean(),
  author: z.string().optional(),
});
export type DocumentsInput = z.infer<typeof DocumentsInput>;

type Result = WrittenDocuments | CommittedDocuments;

/**
 * Writes a run's documents: on the run's branch only, or as files where there is no branch or the run works in place.
 * The whole guard comes first, so a refusal leaves everything as it was. Safe to repeat.
 */
export async function performDocuments(
  place: BranchPlace,
  effect: string,
  input: DocumentsInput,
): Promise<Result> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  for (const { name } of input.files) guardFileName(name);
  if (input.branch === null || input.in_place)
    return await writeDocuments(place.root, effect, { ...input, docs });
  return await commitDocuments(place, effect, { ...input, docs, branch: input.branch });
}

/** The result of a write that did happen: the commit with this effect's trailer, or files with the same bytes. */
export async function lookupDocuments(
  place: BranchPlace,
  effect: string,
  input: DocumentsInput,
): Promise<Result | null> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  for (const { name } of input.files) guardFileName(name);
  if (input.branch === null || input.in_place) return await findWritten(place.root, { ...input, docs });
  return await findCommitted(place, effect, { ...input, docs, branch: input.branch });
}
