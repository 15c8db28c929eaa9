import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';
import { LANGUAGES } from './lang.ts';

export const CriterionIds = z.array(z.string().min(1).max(32)).max(100);
export const Slug = z
  .string()
  .max(50)
  .regex(/^[a-z0-9_]+(-[a-z0-9_]+)*$/);
/** Inside the repository, forward slashes, no drive, no leading slash, no `..` segment. */
export const FolderPath = z
  .string()
  .min(2)
  .max(300)
  .regex(/^(?!\/)(?![A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\0]+\/$/);

/** A specification that a person approved. It is found before the run that builds it exists (WF-20, WF-94). */
export const ApprovedSpec = z.strictObject({
  /** The run that recorded the approval. */
  run: z.string().min(1).max(40),
  slug: Slug,
  docs_path: FolderPath,
  /** The document under the name that people know. */
  path: z.string().min(1).max(400),
  /** The approved text, an artefact. */
  spec: ArtefactHash,
  criteria: CriterionIds,
  /** Acceptance of a ticket's plan. Absent if a person approved the text at its own gate. */
  accepted: z
    .strictObject({
      by: z.string().min(1).max(300),
      at: z.iso.datetime(),
      decision: z.string().max(100).nullable(),
    })
    .optional(),
  lang: z.enum(LANGUAGES),
  /** Head of that run's branch. Its documents are in the tree a child starts from. Null: no branch. */
  base: z.string().max(100).nullable().default(null),
  /** The documents by hash, for a tree that does not contain them (in place). */
  artefacts: z
    .strictObject({
      qa_notes: ArtefactHash.nullable(),
      critic_findings: ArtefactHash.nullable(),
      conventions: ArtefactHash.nullable(),
    })
    .prefault({ qa_notes: null, critic_findings: null, conventions: null }),
});
export type ApprovedSpec = z.infer<typeof ApprovedSpec>;
