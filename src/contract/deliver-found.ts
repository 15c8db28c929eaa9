import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';

/** What looks and writes of a `deliver` run bring back from the world. */

/** The checks in the order they run (WF-47). */
export const CHECKS = ['build', 'test', 'lint', 'type_check'] as const;
export type CheckName = (typeof CHECKS)[number];

export const PROJECT_LANGS = ['java', 'python', 'typescript', 'csharp', 'go', 'rust', 'unknown'] as const;

/** Look `setup`: the branch to use and its start; documents that stand in docs_path already. */
export const SetupFound = z.object({
  branch: z.object({ name: z.string().min(1), base: z.string().min(1).nullable() }).nullable(),
});

const Command = z.object({ command: z.string().min(1).max(1_000), source: z.string().max(300) }).nullable();

/** Look `project`: language and the four commands with the place each was found (WF-17 to WF-19). */
export const ProjectFound = z.object({
  lang: z.enum(PROJECT_LANGS),
  build: Command,
  test: Command,
  lint: Command,
  type_check: Command,
  install: Command.default(null),
  /** Whether the `baton.yaml` the run was started with is the one of the commit it works on. */
  config: z.enum(['committed', 'uncommitted']).default('committed'),
});
export type ProjectFound = z.infer<typeof ProjectFound>;

/** Writes `open_tree` and `take_base`: the tree is there, and the state an author starts from is kept under this name. */
export const SnapshotTaken = z.object({ snapshot: z.string().min(1).max(200) });

/** Look `handover`: documents that lie in docs_path; `unreadable` are names that exist and could not be read. */
export const HandoverFound = z.object({
  qa_notes: ArtefactHash.nullable(),
  critic_findings: ArtefactHash.nullable(),
  conventions: ArtefactHash.nullable(),
  spec: ArtefactHash.nullable(),
  unreadable: z.array(z.string().max(300)),
});
export type HandoverFound = z.infer<typeof HandoverFound>;

/** Lines that came and lines that went. */
export const LineCount = z.strictObject({ added: z.int().min(0), removed: z.int().min(0) });
export type LineCount = z.infer<typeof LineCount>;

/** Look `change_set`: what differs from the start, computed by us and never told by a worker (WF-46). */
export const ChangeSetFound = z.object({
  modified: z.array(z.string()),
  created: z.array(z.string()),
  deleted: z.array(z.string()),
  tree: z.string().min(1).max(200),
  content: z.string().min(1).max(200),
  /** The whole change as text for people; null where none can be made. */
  diff: ArtefactHash.nullable(),
  /** Lines that came and went, by path; null where nobody counts them. A file that is no text has no entry. */
  lines: z.record(z.string(), LineCount).nullable().default(null),
  outside: z.array(z.object({ path: z.string(), code: z.string() })),
  too_many: z.boolean(),
  alters_checks: z.array(z.string()),
  todo: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })).nullable(),
  /** Control files of the tree's own git directory that a worker changed. They have no effect; they are told. */
  git: z.array(z.string()).default([]),
  /** What workers wrote where git does not look: no commit has it, and a check may rest on it. */
  ignored: z.array(z.string()).default([]),
  ignored_total: z.int().default(0),
});
/** Look `content`: what the paths of a change set hold now. */
export const ContentFound = z.object({ content: z.string().min(1) });
export type ChangeSetFound = z.infer<typeof ChangeSetFound>;

/** Write `apply_patch`: all of it, or nothing and why. */
export const PatchApplied = z.union([
  z.object({ applied: z.literal(true), files: z.array(z.string()).optional() }),
  z.object({
    applied: z.literal(false),
    reason: z.enum(['empty_patch', 'path_violation', 'failed_hunk', 'refused_kind']),
    detail: z.string().optional(),
  }),
  z.object({ assumed: z.literal(true) }),
]);

/** Write `commit`: the confirmed commit, and named documents that could not be staged. */
export const Committed = z.object({
  commit: z.string().max(100).nullish(),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })).optional(),
});

/** Write `save_patch`: the whole change set as an artefact. */
export const PatchSaved = z.object({ patch: ArtefactHash.nullish() });

/** Look `output_base`: what a wipe would remove. `ignored`: git ignores it, so no history has a copy. */
export const OutputBase = z.strictObject({
  base: z.string().min(1).max(300),
  folders: z.array(z.strictObject({ name: z.string().max(300), files: z.int().min(0) })).max(50),
  memory: z.boolean(),
  ignored: z.boolean(),
});
