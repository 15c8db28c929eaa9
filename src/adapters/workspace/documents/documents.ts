import * as z from 'zod';
import type { LexicalPath } from '../../../engine/paths.ts';
import { hashOf, sha256 } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import type { CommitSite } from '../commit/commit.ts';
import { guardDocsPath, guardFileName, walkTo } from './guard.ts';
import { documentsExist, findWritten, type WrittenDocuments, writeDocuments } from './in-files.ts';
import { foundNoted, writeNoted } from './ledger.ts';
import { commitDocuments, findCommitted } from './on-branch.ts';

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

/**
 * Writes a run's documents as files if they belong into the tree: in a run's own tree, in place, or without a branch.
 * Otherwise it commits them to the run's branch only. The whole guard comes first, so a refusal does not change
 * anything. Safe to repeat.
 */
export async function performDocuments(site: CommitSite, effect: string, input: DocumentsInput) {
  const docs = guardDocuments(site, input);
  if (input.own_only && site.ownBranch === null) await refuseForeign(site, docs, input);
  const branch = branchOf(site, input);
  if (branch !== null) return await commitDocuments(site, effect, { ...input, docs, branch });
  const write = () => writeDocuments(site.root, effect, { ...input, docs });
  return inTree(site, await writeNoted(site, input, write));
}

/** The result of a completed write: the commit with this effect's trailer, or files with the same bytes. */
export async function lookupDocuments(site: CommitSite, effect: string, input: DocumentsInput) {
  const docs = guardDocuments(site, input);
  const branch = branchOf(site, input);
  if (branch !== null) return await findCommitted(site, effect, { ...input, docs, branch });
  const found = await foundNoted(site, input, await findWritten(site.root, { ...input, docs }));
  return found && inTree(site, found);
}

function guardDocuments({ namespace }: CommitSite, { docs_path, slug, files }: DocumentsInput): LexicalPath {
  for (const { name } of files) guardFileName(name);
  return guardDocsPath(docs_path, namespace, slug);
}

/** The branch the documents are committed to. Null if they are files of the tree. */
function branchOf({ ownBranch }: CommitSite, { branch, in_place }: DocumentsInput): string | null {
  return ownBranch !== null || in_place ? null : branch;
}

function inTree({ ownBranch }: CommitSite, written: WrittenDocuments) {
  return ownBranch === null ? written : { branch: ownBranch, ...written };
}

/** A document that a person wrote or edited is not replaced without asking. */
async function refuseForeign(site: CommitSite, docs: LexicalPath, input: DocumentsInput): Promise<void> {
  const folder = await walkTo(site.root, docs, false);
  for (const { name, text } of folder === null ? [] : input.files) {
    const hash = await hashOf(child(folder as RealPath, name));
    if (hash === null || hash === sha256(text)) continue;
    if (!(await site.ledger.isOwn(`${docs}/${name}`, hash))) throw documentsExist(docs, name);
  }
}
