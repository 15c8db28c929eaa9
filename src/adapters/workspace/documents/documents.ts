import * as z from 'zod';
import type { BranchContext } from '../../git/branch.ts';
import { guardDocsPath, guardFileName } from './guard.ts';
import { findWritten, type WrittenDocuments, writeDocuments } from './in-files.ts';
import { type CommittedDocuments, commitDocuments, findCommitted } from './on-branch.ts';

const ObjectId = z.string().regex(/^[0-9a-f]{40,64}$/);

/** Input of the write `write_documents`. */
export const DocumentsInput = z.strictObject({
  docs_path: z.string(),
  /** The run's slug. With it the folder may be below another base than `docs/<namespace>`. */
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
 * Writes a run's documents to the run's branch only. Without a branch, or if the run works in place, it writes files.
 * The whole guard comes first, so a refusal does not change anything. Safe to repeat.
 */
export async function performDocuments(
  location: BranchContext,
  effect: string,
  input: DocumentsInput,
): Promise<Result> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  for (const { name } of input.files) guardFileName(name);
  if (input.branch === null || input.in_place)
    return await writeDocuments(location.root, effect, { ...input, docs });
  return await commitDocuments(location, effect, { ...input, docs, branch: input.branch });
}

/** The result of a completed write: the commit with this effect's trailer, or files with the same bytes. */
export async function lookupDocuments(
  location: BranchContext,
  effect: string,
  input: DocumentsInput,
): Promise<Result | null> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  for (const { name } of input.files) guardFileName(name);
  if (input.branch === null || input.in_place) return await findWritten(location.root, { ...input, docs });
  return await findCommitted(location, effect, { ...input, docs, branch: input.branch });
}
