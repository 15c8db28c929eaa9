import * as z from 'zod';
import { CriterionIds } from './approved-spec.ts';
import { Msg } from './brief.ts';
import { ArtefactHash } from './conventions.ts';
import { CHECKS } from './deliver-found.ts';
import { Counts, SHOWN } from './deliver-report.ts';
import { FilePath } from './file-path.ts';

/**
 * The id of a ticket: the key of its project and its number. It becomes part of a branch name, so the form is strict.
 */
export const TicketId = z
  .string()
  .max(40)
  .regex(/^[A-Za-z][A-Za-z0-9]*-[1-9][0-9]*$/);

/** How a `deliver` run can end. */
export const RESULTS = [
  'passed',
  'altered',
  'accepted_as_is',
  'max_rounds',
  'abandoned',
  'withdrawn',
] as const;

/** The first message a build sends to its ticket: the id of its run. */
export const BUILDING = 'building';

/** The last message a build sends to its ticket, for every result. */
export const BUILT = 'built';

/** The result of a build, as the engine saw it. Without a commit nothing was built, whatever `result` says. */
export const BuildReport = z.strictObject({
  result: z.enum(RESULTS),
  /** Null if no commit reached the person's repository. */
  branch: z.string().max(200).nullable(),
  commit: z.string().max(100).nullable(),
  /** The commit the change starts from. */
  base: z.string().max(100).nullable(),
  paths: z.array(FilePath),
  /** Results of the last pass. Empty without a pass. */
  checks: z.array(
    z.strictObject({
      name: z.enum(CHECKS),
      result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
      counts: Counts.nullable(),
    }),
  ),
  /** The evaluation behind the verdict: each criterion with its locations. */
  evidence: ArtefactHash.nullable(),
  criteria: z.array(z.strictObject({ id: CriterionIds.element, met: z.boolean() })),
  /** The change modifies how it is checked. */
  altered: z.boolean(),
  /** The warnings its commit gate would have shown, as messages that every workflow has. */
  warnings: z.array(Msg).max(SHOWN.items).optional(),
  /** One line for people, in the language of the run. */
  summary: z.string().max(SHOWN.characters),
});
export type BuildReport = z.infer<typeof BuildReport>;
