import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';
import { CHECKS, LineCount } from './deliver-found.ts';
import { FilePath } from './file-path.ts';

/**
 * Parts of a `deliver` run's state about a pass, a change set and an evaluation. Bounded: complete texts are records.
 */

/** Limits of a run: repairs per round and layer, rounds, files of one change set. */
export const CAPS = { layer1: 3, layer2: 2, rounds: 3, files: 20 } as const;
/** A change with more files than this cannot be judged file by file. A person cannot waive this limit. */
export const FILES_JUDGED = 500;
/** How much of long lists gates and prompts show. The complete list is an artefact or a record. */
export const SHOWN = { items: 20, failures: 10, characters: 300, requests: 10, baseline: 200 } as const;

const Short = z.string().max(SHOWN.characters);

const Failing = z.strictObject({ file: FilePath.nullable(), line: z.int().nullable(), text: Short });

export const Counts = z.strictObject({ total: z.int(), passed: z.int(), failed: z.int(), skipped: z.int() });
const Problems = z.strictObject({ errors: z.int(), warnings: z.int() });

/**
 * The tests a check lost, compared with the untouched tree. `named`: by name, with the number of new ones.
 * `counted`: the tool does not name its tests. `unknown`: not known. `readable` says whether the untouched tree's
 * output was readable.
 */
const LostTests = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('named'),
    gone: z.array(Short).max(SHOWN.items),
    gone_total: z.int().min(0),
    skipped: z.array(Short).max(SHOWN.items),
    skipped_total: z.int().min(0),
    added: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal('counted'), fewer: z.int().min(0), skipped: z.int().min(0) }),
  z.strictObject({ kind: z.literal('unknown'), readable: z.boolean() }),
]);
export type LostTests = z.infer<typeof LostTests>;

/** One command of a pass. `judged` counts for layer 1. It ignores failures that the untouched tree had too. */
const CheckRow = z.strictObject({
  name: z.enum(CHECKS),
  command: z.string().max(1_000).nullable(),
  result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
  judged: z.enum(['pass', 'fail', 'none']),
  exit: z.int().nullable(),
  seconds: z.number().min(0),
  counts: Counts.nullable(),
  problems: Problems.nullable(),
  /** The first few new failures, then the number of new failures (`fresh`) and of earlier ones (`old`). */
  failures: z.array(Failing).max(SHOWN.failures),
  fresh: z.int().min(0),
  old: z.int().min(0),
  output: ArtefactHash.nullable(),
  /** Something the command lacked in the sandbox. Absent if nothing indicates it. */
  hint: z.strictObject({ code: z.enum(['network', 'docker', 'outside']), path: Short.nullable() }).optional(),
  /** The check failed with this at first, and passed when run again on the same tree. */
  flaky: Short.optional(),
  /** Absent if no test is missing. */
  lost: LostTests.optional(),
  /** A script or make target that the command calls was changed, so its meaning differs from the untouched tree. */
  redefined: z.strictObject({ before: Short, now: Short }).optional(),
});
export type CheckRow = z.infer<typeof CheckRow>;

const Outside = z.array(z.strictObject({ path: FilePath, code: z.string().max(60) })).max(SHOWN.items);

/** The layer-1 report (WF-49). It is FAIL exactly when it contains a failing item. */
export const Report = z.strictObject({
  result: z.enum(['PASS', 'FAIL']),
  checks: z.array(CheckRow).length(CHECKS.length),
  scan: z.strictObject({
    result: z.enum(['PASS', 'WARN', 'FAIL', 'SKIPPED']),
    hits: z.array(z.strictObject({ path: FilePath, line: z.int(), text: Short })).max(SHOWN.items),
    total: z.int().min(0),
  }),
  outside: Outside,
  files: z.int().min(0),
  too_many: z.boolean(),
  nothing_executed: z.boolean(),
  /** The first failing item in one line. Null if the result is PASS. */
  error: Short.nullable(),
  /** Result of the checks on a clean checkout of the commit to be made. `unknown`: they could not run there (`why`). */
  clean: z.strictObject({ result: z.enum(['PASS', 'FAIL', 'unknown']), why: Short }).optional(),
  /** The tree that was checked. */
  tree: z.string().max(200),
});
export type Report = z.infer<typeof Report>;

/** Stored result of one command on the untouched tree, to separate its failures from new ones. */
export const BaselineRow = z.strictObject({
  name: z.enum(CHECKS),
  result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
  timed_out: z.boolean(),
  counts: Counts.nullable(),
  problems: Problems.nullable(),
  keys: z.array(z.string().max(SHOWN.characters)).max(SHOWN.baseline),
  complete: z.boolean(),
  fingerprint: ArtefactHash.nullable(),
  /** Every test by name, and the command with the scripts it calls. Absent in runs older than these fields. */
  names: ArtefactHash.optional(),
  ran: z.string().max(600).optional(),
});
export type BaselineRow = z.infer<typeof BaselineRow>;

const Paths = z.array(FilePath).max(FILES_JUDGED);

/** Worker behaviour that a person should know before a commit: how often, and the first names. */
const Tally = z.strictObject({ n: z.int().min(1), names: z.array(Short).max(SHOWN.failures) });

export const Incidents = z.strictObject({
  /** Commands that only a person may run. */
  refused: Tally.optional(),
  /** Requests of a worker that were denied. */
  denied: Tally.optional(),
  /** Files written by a read-only worker. */
  wrote: Tally.optional(),
  /** Programs still running after their worker or check had ended. */
  left: Tally.optional(),
});
export type Incidents = z.infer<typeof Incidents>;

/** The change set of the newest attempt, computed by the engine. `cut`: it has more files than can be judged. */
export const Changes = z.strictObject({
  modified: Paths,
  created: Paths,
  deleted: Paths,
  cut: z.boolean(),
  tree: z.string().max(200),
  content: z.string().max(200),
  diff: ArtefactHash.nullable(),
  /** Totals for the whole change. Absent if lines are not counted. */
  lines: LineCount.optional(),
  /** By path, for the paths shown to a person. */
  lines_of: z.record(FilePath, LineCount).optional(),
  outside: Outside,
  too_many: z.boolean(),
  alters_checks: z.array(FilePath).max(SHOWN.items),
  /** Control files of the tree's git directory that a worker of the run changed. Absent if there are none. */
  git: z.array(FilePath).max(SHOWN.items).optional(),
  /** Files that workers of the run wrote to ignored paths. Absent if there are none. */
  ignored: z.array(FilePath).max(SHOWN.items).optional(),
  ignored_total: z.int().optional(),
  /**
   * Commit hooks that run without a sandbox, and changed files that they could execute. Absent if there are no such
   * hooks.
   */
  hooks: z
    .strictObject({
      names: z.array(z.string().max(60)).max(SHOWN.items),
      files: z.array(FilePath).max(SHOWN.items),
      total: z.int().min(0),
    })
    .optional(),
  todo: z
    .array(z.strictObject({ path: FilePath, line: z.int(), text: Short }))
    .max(SHOWN.items)
    .nullable(),
  todo_total: z.int().min(0),
  /** The first few locations that look like a secret. Absent if there are none. */
  secrets: z
    .array(z.strictObject({ path: Short, line: z.int().nullable(), what: z.string().max(100) }))
    .max(SHOWN.failures)
    .optional(),
  secrets_total: z.int().optional(),
});
export type Changes = z.infer<typeof Changes>;

const OpenItem = z.strictObject({ id: z.string().max(60), text: Short });
export type OpenItem = z.infer<typeof OpenItem>;

/** The newest evaluation. `NONE`: no valid evaluation was returned. It counts as a failure without a layer. */
export const Qa = z.strictObject({
  evaluation: ArtefactHash.nullable(),
  verdict: z.enum(['PASS', 'FAIL_L2', 'FAIL_L3', 'NONE']),
  failing: z.array(OpenItem).max(SHOWN.items),
  more: z.int().min(0),
  instructions: z.array(Short).max(SHOWN.failures),
  /** Number of criteria met with evidence, out of all. */
  met: z.int().min(0).max(100),
});
export type Qa = z.infer<typeof Qa>;
