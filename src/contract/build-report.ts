import * as z from 'zod';
import { CriterionIds } from './approved-spec.ts';
import { ArtefactHash } from './conventions.ts';
import { CHECKS } from './deliver-found.ts';
import { Counts, SHOWN } from './deliver-report.ts';
import { FilePath } from './file-path.ts';

/** A ticket by name: the key of its project and its number. Part of a branch's name, so nothing else is allowed in it. */
export const TicketId = z
  .string()
  .max(40)
  .regex(/^[A-Za-z][A-Za-z0-9]*-[1-9][0-9]*$/);

/** How a `deliver` run may end. */
export const RESULTS = [
  'passed',
  'altered',
  'accepted_as_is',
  'max_rounds',
  'abandoned',
  'withdrawn',
] as const;

/** The first message a build sends to its ticket: which run it is. */
export const BUILDING = 'building';

/** The message a build sends to its ticket; always its last word, whatever the end was. */
export const BUILT = 'built';

/** What a build left, as the engine saw it. Without a commit nothing was built, whatever `result` says. */
export const BuildReport = z.strictObject({
  result: z.enum(RESULTS),
  /** Null where no commit reached the person's repository. */
  branch: z.string().max(200).nullable(),
  commit: z.string().max(100).nullable(),
  /** The commit the change starts from. */
  base: z.string().max(100).nullable(),
  paths: z.array(FilePath),
  /** Of the last pass; empty where there was none. */
  checks: z.array(
    z.strictObject({
      name: z.enum(CHECKS),
      result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
      counts: Counts.nullable(),
    }),
  ),
  /** The evaluation the verdict rests on: each criterion with its places. */
  evidence: ArtefactHash.nullable(),
  criteria: z.array(z.strictObject({ id: CriterionIds.element, met: z.boolean() })),
  /** The change touches how it is checked. */
  altered: z.boolean(),
  /** One line for people, in the language of the run. */
  summary: z.string().max(SHOWN.characters),
});
export type BuildReport = z.infer<typeof BuildReport>;
