import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const branch = z.string().min(1).max(250);
const pr_number = z.int().positive();

/** Input of the write `open_pull_request`. `base` null: the branch the settings or the remote name. */
export const OpenPullRequest = z.strictObject({
  ticket: z.string().min(1),
  branch,
  base: branch.nullable(),
  title: z.string().min(1),
  body: z.string(),
  /** Earlier pull requests of the same ticket, of other branches, that are closed by it. */
  replaces: z.array(pr_number).default([]),
});
export type OpenPullRequest = z.infer<typeof OpenPullRequest>;

/** A pull request that was pushed and seen at the remote (CON-84). */
export const BuildPr = z.strictObject({
  branch,
  head_sha: sha,
  pr_number,
  pr_url: z.string(),
  base: branch,
  opened_at: z.string(),
  author_is_bot: z.boolean(),
});
export type BuildPr = z.infer<typeof BuildPr>;

/** Input of the write `merge`: exactly this commit into that branch. */
export const Merge = z.strictObject({
  pr_number,
  branch,
  head_sha: sha,
  base: branch,
  message: z.string().min(1),
});
export type Merge = z.infer<typeof Merge>;

export const Merged = z.strictObject({ merged_sha: sha, base: branch });
export type Merged = z.infer<typeof Merged>;

/** Input of the write `deploy`. */
export const Deploy = z.strictObject({ ticket: z.string().min(1), sha, base: branch });
export type Deploy = z.infer<typeof Deploy>;

/** `command` null: nothing is configured, so merged is deployed. A deploy that was looked up has no output. */
export const Deployed = z.strictObject({
  deployed: z.literal(true),
  command: z.string().nullable(),
  output: ArtefactHash.nullable(),
});
export type Deployed = z.infer<typeof Deployed>;

/** Input of the look `host.release`. */
export const ReleaseLook = z.strictObject({
  branch,
  head_sha: sha,
  pr_number,
  base: branch,
});
export type ReleaseLook = z.infer<typeof ReleaseLook>;

const CheckState = z.enum(['passed', 'failed', 'pending', 'none']);

/** What the host says of a pull request's checks. Not readable: `why` says so and `state` is no statement (CON-87). */
export const HostChecks = z.strictObject({
  readable: z.boolean(),
  why: z.string().nullable(),
  state: CheckState,
  list: z.array(z.strictObject({ name: z.string(), state: CheckState })),
});
export type HostChecks = z.infer<typeof HostChecks>;

/** Where a pull request stands at the host before it is merged. */
export const ReleaseFacts = z.strictObject({
  /** Every open pull request of the ticket. */
  pulls: z.array(z.strictObject({ pr_number, head_sha: sha, base: branch })),
  /** Of the branch at the remote now; null when it is gone. */
  head_sha: sha.nullable(),
  checks: HostChecks,
  approved: z.boolean(),
  approved_by: z.array(z.string()),
  author_is_bot: z.boolean(),
  /** Baton opened it. */
  by_us: z.boolean(),
  /** Null: the commits to compare are not there. */
  mergeable: z.boolean().nullable(),
  /** Paths the pull request changes against its base, and how many more there are. */
  paths: z.array(z.string()),
  paths_left_out: z.int().min(0),
});
export type ReleaseFacts = z.infer<typeof ReleaseFacts>;

/** Input of the look `host.observe`. */
export const ObserveLook = z.strictObject({ ticket: z.string().min(1).optional(), sha, base: branch });
export type ObserveLook = z.infer<typeof ObserveLook>;

/** What the observe command saw; `ok` is null where none is configured. `output` is its end. */
export const Observed = z.strictObject({
  configured: z.boolean(),
  ok: z.boolean().nullable(),
  exit: z.int().nullable(),
  output: z.string(),
  output_hash: ArtefactHash.nullable(),
});
export type Observed = z.infer<typeof Observed>;
