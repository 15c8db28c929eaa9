import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';

/** Results of the queries and writes of a `deliver` run. */

/** The checks in the order they run (WF-47). */
export const CHECKS = ['build', 'test', 'lint', 'type_check'] as const;
export type CheckName = (typeof CHECKS)[number];

export const PROJECT_LANGS = ['java', 'python', 'typescript', 'csharp', 'go', 'rust', 'unknown'] as const;

const Command = z.object({ command: z.string().min(1).max(1_000), source: z.string().max(300) }).nullable();

/** Result of the query `project`: language, and the four commands with the source of each (WF-17 to WF-19). */
export const ProjectFound = z.object({
  lang: z.enum(PROJECT_LANGS),
  build: Command,
  test: Command,
  lint: Command,
  type_check: Command,
  install: Command.default(null),
  /** Whether the run started with the `baton.yaml` of the commit it works on. */
  config: z.enum(['committed', 'uncommitted']).default('committed'),
});
export type ProjectFound = z.infer<typeof ProjectFound>;

/** Writes `open_tree` and `take_base`: the tree exists, and the author's start state is stored under this name. */
export const SnapshotTaken = z.object({ snapshot: z.string().min(1).max(200) });

/**
 * Result of the query `handover`: documents in docs_path. `unreadable` lists documents that exist but cannot be read.
 */
export const HandoverFound = z.object({
  qa_notes: ArtefactHash.nullable(),
  critic_findings: ArtefactHash.nullable(),
  conventions: ArtefactHash.nullable(),
  spec: ArtefactHash.nullable(),
  unreadable: z.array(z.string().max(300)),
});
export type HandoverFound = z.infer<typeof HandoverFound>;

/** Number of added and removed lines. */
export const LineCount = z.strictObject({ added: z.int().min(0), removed: z.int().min(0) });
export type LineCount = z.infer<typeof LineCount>;

/**
 * Query `change_set`: differences from the start. The engine computes them and never trusts a worker's report (WF-46).
 */
export const ChangeSetFound = z.object({
  modified: z.array(z.string()),
  created: z.array(z.string()),
  deleted: z.array(z.string()),
  tree: z.string().min(1).max(200),
  content: z.string().min(1).max(200),
  /** The whole change as text for people. Null: it could not be created. */
  diff: ArtefactHash.nullable(),
  /** Lines added and removed, by path. Null: not counted. A binary file has no entry. */
  lines: z.record(z.string(), LineCount).nullable().default(null),
  outside: z.array(z.object({ path: z.string(), code: z.string() })),
  too_many: z.boolean(),
  alters_checks: z.array(z.string()),
  todo: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })).nullable(),
  /** Locations that look like a secret: the shape, or `$NAME` of the variable whose value is there. */
  secrets: z.array(z.object({ path: z.string(), line: z.int().nullable(), what: z.string() })).default([]),
  /** Control files of the tree's own git directory that a worker changed. They have no effect but are reported. */
  git: z.array(z.string()).default([]),
  /** Files that workers wrote to ignored paths. No commit contains them, but a check may depend on them. */
  ignored: z.array(z.string()).default([]),
  ignored_total: z.int().default(0),
  /** Commit hooks that would run with the person's credentials, and changed files that they could execute. */
  hooks: z.object({ names: z.array(z.string().max(60)), files: z.array(z.string()) }).optional(),
});
/** Result of the query `content`: the current content of the paths of a change set. */
export const ContentFound = z.object({ content: z.string().min(1) });
export type ChangeSetFound = z.infer<typeof ChangeSetFound>;

/** Result of the write `apply_patch`: all of it, or nothing with the reason. */
export const PatchApplied = z.union([
  z.object({ applied: z.literal(true), files: z.array(z.string()).optional() }),
  z.object({
    applied: z.literal(false),
    reason: z.enum(['empty_patch', 'path_violation', 'failed_hunk', 'refused_kind']),
    detail: z.string().optional(),
  }),
]);

/** Result of the write `commit`: the confirmed commit, and named documents that could not be staged. */
export const Committed = z.object({
  commit: z.string().max(100).nullish(),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })).optional(),
  hooks_skipped: z.array(z.string().max(60)).optional(),
});

/** Result of the write `save_patch`: the whole change set as an artefact. */
export const PatchSaved = z.object({ patch: ArtefactHash.nullish() });

/** Result of the query `output_base`: what a wipe would remove. `ignored`: git ignores it, so no history has a copy. */
export const OutputBase = z.strictObject({
  base: z.string().min(1).max(300),
  folders: z.array(z.strictObject({ name: z.string().max(300), files: z.int().min(0) })).max(50),
  memory: z.boolean(),
  ignored: z.boolean(),
});
