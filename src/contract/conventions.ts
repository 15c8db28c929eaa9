import * as z from 'zod';
import { Msg } from './brief.ts';

/** Schema of a content address. Its type is `Hash` in ids.ts. */
export const ArtefactHash = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]);

/**
 * A run's knowledge of the project's conventions: null (not decided yet), `skipped`, or this run's own artefact
 * (SP-19). Any other value is corruption. The message names the value, and Baton never reads it as a path.
 */
export const Conventions = z.union(
  [z.null(), z.literal('skipped'), z.strictObject({ artefact: ArtefactHash }, { error: foreignValue })],
  { error: foreignValue },
);
export type Conventions = z.infer<typeof Conventions>;

function foreignValue({ input }: { readonly input: unknown }): string {
  return `conventions is ${JSON.stringify(input)}: neither unset, 'skipped' nor an artefact of this run`;
}

const Candidate = z.strictObject({
  path: z.string().min(1).max(300),
  lines: z.int().min(0),
  artefact: ArtefactHash,
});
export type Candidate = z.infer<typeof Candidate>;

/** Stage of the convention step. Null outside the step. */
export const ConventionStage = z.discriminatedUnion('at', [
  z.strictObject({ at: z.literal('query') }),
  z.strictObject({ at: z.literal('gate') }),
  z.strictObject({ at: z.literal('candidates'), candidates: z.array(Candidate).min(2).max(3) }),
  z.strictObject({ at: z.literal('scan') }),
]);
export type ConventionStage = z.infer<typeof ConventionStage>;

/** Result of the query `conventions`. `refused`: the reference no longer passes its check chain (SP-18). */
export const ConventionsFound = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('reference'), artefact: ArtefactHash }),
  z.strictObject({
    source: z.literal('refused'),
    msg: z.string(),
    args: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  z.strictObject({ source: z.literal('claude_md'), artefact: ArtefactHash, lines: z.int() }),
  z.strictObject({ source: z.literal('none') }),
  z.strictObject({
    source: z.literal('candidates'),
    candidates: z.array(Candidate).max(7),
    warnings: z.array(Msg),
  }),
]);
export type ConventionsFound = z.infer<typeof ConventionsFound>;

const Area = z.union([z.literal('N/A'), z.array(z.string().trim().min(1).max(1_000)).min(1).max(40)]);

/** Result of the convention scanner: four areas, each with findings or `N/A`. The file structure is never `N/A`. */
export const ScanResult = z.strictObject({
  db: Area,
  api: Area,
  files: z.array(z.string().trim().min(1).max(1_000)).min(1).max(40),
  tests: Area,
});
export type ScanResult = z.infer<typeof ScanResult>;
