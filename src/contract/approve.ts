import * as z from 'zod';
import { CriterionIds, FolderPath, Slug } from './approved-spec.ts';
import { Msg } from './brief.ts';
import { ArtefactHash } from './conventions.ts';
import { LANGUAGES } from './lang.ts';

const Lang = z.enum(LANGUAGES);

/** Input of `baton approve`. */
export const ApproveInput = z.strictObject({
  /** The specification, a file in this folder. */
  path: z.string().trim().min(1).max(300),
  lang: Lang.nullable().default(null),
});

/** Result of the query `spec_file`: the text as an artefact, and the criterion ids found in it. */
export const SpecFileFound = z.object({ hash: ArtefactHash, criteria: z.array(z.string()) });

/** State of an approval of a specification that no Baton run wrote. */
export const ApproveState = z.strictObject({
  phase: z.enum(['reading', 'asking', 'completed']),
  user_lang: Lang,
  path: z.string().min(1).max(300),
  slug: Slug,
  docs_path: FolderPath,
  spec: ArtefactHash.nullable(),
  criteria: CriterionIds,
  /** Valid for exactly this text. */
  approved: z.strictObject({ spec: ArtefactHash, by: z.string().max(300), at: z.iso.datetime() }).nullable(),
  halted: z.strictObject({ why: Msg }).nullable(),
  ended: z.strictObject({ result: z.enum(['approved', 'stopped', 'abandoned']) }).nullable(),
});
export type ApproveState = z.infer<typeof ApproveState>;
