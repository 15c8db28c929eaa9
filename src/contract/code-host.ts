import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const branch = z.string().min(1).max(250);
const pr_number = z.int().positive();

/** Input of the write `open_pull_request`. `base` null: the branch that the settings or the remote name. */
export const OpenPullRequest = z.strictObject({
  ticket: z.string().min(1),
  branch,
  base: branch.nullable(),
  title: z.string().min(1),
  body: z.string(),
  /** Earlier open pull requests of the same ticket, from other branches. This write closes them. */
  replaces: z.array(pr_number).default([]),
});
export type OpenPullRequest = z.infer<typeof OpenPullRequest>;

/** A pull request whose branch was pushed and confirmed at the remote (CON-84). */
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

/** `command` null: no command is configured, so merged counts as deployed. A deploy found by a query has no output. */
export const Deployed = z.strictObject({
  deployed: z.literal(true),
  command: z.string().nullable(),
  output: ArtefactHash.nullable(),
});
export type Deployed = z.infer<typeof Deployed>;

/** Input of the query `host.release`. */
export const ReleaseQuery = z.strictObject({
  branch,
  head_sha: sha,
  pr_number,
  base: branch,
});
export type ReleaseQuery = z.infer<typeof ReleaseQuery>;

const CheckState = z.enum(['passed', 'failed', 'pending', 'none']);

/**
 * The state of a pull request's checks at the host. If they are not readable, `why` says so and `state` means nothing
 * (CON-87).
 */
export const HostChecks = z.strictObject({
  readable: z.boolean(),
  why: z.string().nullable(),
  state: CheckState,
  list: z.array(z.strictObject({ name: z.string(), state: CheckState })),
});
export type HostChecks = z.infer<typeof HostChecks>;

/** State of a pull request at the host before it is merged. */
export const ReleaseFacts = z.strictObject({
  /** Every open pull request of the ticket. */
  pulls: z.array(z.strictObject({ pr_number, head_sha: sha, base: branch })),
  /** Head of the branch at the remote now. Null: the branch is gone. */
  head_sha: sha.nullable(),
  checks: HostChecks,
  approved: z.boolean(),
  approved_by: z.array(z.string()),
  author_is_bot: z.boolean(),
  /** Baton opened the pull request. */
  by_us: z.boolean(),
  /** Null: the commits to compare are missing. */
  mergeable: z.boolean().nullable(),
  /** Paths that the pull request changes against its base, and the number of further paths. */
  paths: z.array(z.string()),
  paths_left_out: z.int().min(0),
});
export type ReleaseFacts = z.infer<typeof ReleaseFacts>;

/** Input of the query `host.observe`. */
export const ObserveQuery = z.strictObject({ ticket: z.string().min(1).optional(), sha, base: branch });
export type ObserveQuery = z.infer<typeof ObserveQuery>;

/** Result of the observe command. `ok` is null if no command is configured. `output` is the end of its output. */
export const Observed = z.strictObject({
  configured: z.boolean(),
  ok: z.boolean().nullable(),
  exit: z.int().nullable(),
  output: z.string(),
  output_hash: ArtefactHash.nullable(),
});
export type Observed = z.infer<typeof Observed>;
