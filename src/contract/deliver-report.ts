import * as z from 'zod';
import { ArtefactHash } from './conventions.ts';
import { CHECKS, LineCount } from './deliver-found.ts';
import { FilePath } from './file-path.ts';

/** What a `deliver` run keeps of a pass, a change set and an evaluation: bounded, whole texts are records. */

/** The caps of a run: repairs per round and layer, rounds, files of one change set. */
export const CAPS = { layer1: 3, layer2: 2, rounds: 3, files: 20 } as const;
/** More changed files than this cannot be judged file by file; no person can wave that through. */
export const FILES_JUDGED = 500;
/** What gates and prompts list of long things; the whole is an artefact or a record. */
export const SHOWN = { items: 20, failures: 10, characters: 300, requests: 10, baseline: 200 } as const;

const Short = z.string().max(SHOWN.characters);

const Failing = z.strictObject({ file: FilePath.nullable(), line: z.int().nullable(), text: Short });

export const Counts = z.strictObject({ total: z.int(), passed: z.int(), failed: z.int(), skipped: z.int() });
const Problems = z.strictObject({ errors: z.int(), warnings: z.int() });

/** One command of a pass. `judged` is what counts for layer 1: failures the untouched tree had too do not. */
const CheckRow = z.strictObject({
  name: z.enum(CHECKS),
  command: z.string().max(1_000).nullable(),
  result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
  judged: z.enum(['pass', 'fail', 'none']),
  exit: z.int().nullable(),
  seconds: z.number().min(0),
  counts: Counts.nullable(),
  problems: Problems.nullable(),
  /** New failures, the first few; then how many are new and how many were there before. */
  failures: z.array(Failing).max(SHOWN.failures),
  fresh: z.int().min(0),
  old: z.int().min(0),
  output: ArtefactHash.nullable(),
});
export type CheckRow = z.infer<typeof CheckRow>;

const Outside = z.array(z.strictObject({ path: FilePath, code: z.string().max(60) })).max(SHOWN.items);

/** The layer-1 report (WF-49): FAIL exactly when a failing item is in it. */
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
  /** The first failing item in one line; null when the result is PASS. */
  error: Short.nullable(),
  /** The tree these results are about. */
  tree: z.string().max(200),
});
export type Report = z.infer<typeof Report>;

/** What is kept of one command on the untouched tree, to tell its failures from new ones. */
export const BaselineRow = z.strictObject({
  name: z.enum(CHECKS),
  result: z.enum(['pass', 'fail', 'skipped', 'unavailable']),
  timed_out: z.boolean(),
  counts: Counts.nullable(),
  problems: Problems.nullable(),
  keys: z.array(z.string().max(SHOWN.characters)).max(SHOWN.baseline),
  complete: z.boolean(),
  fingerprint: ArtefactHash.nullable(),
});
export type BaselineRow = z.infer<typeof BaselineRow>;

const Paths = z.array(FilePath).max(FILES_JUDGED);

/** The change set of the newest attempt, computed by the engine. `cut`: there are more than can be judged. */
export const Changes = z.strictObject({
  modified: Paths,
  created: Paths,
  deleted: Paths,
  cut: z.boolean(),
  tree: z.string().max(200),
  content: z.string().max(200),
  diff: ArtefactHash.nullable(),
  /** Over the whole change; absent where nobody counts lines. */
  lines: LineCount.optional(),
  /** By path, as far as a person reads them. */
  lines_of: z.record(FilePath, LineCount).optional(),
  outside: Outside,
  too_many: z.boolean(),
  alters_checks: z.array(FilePath).max(SHOWN.items),
  /** Control files of the git directory of its tree that a worker of the run changed; absent while none did. */
  git: z.array(FilePath).max(SHOWN.items).optional(),
  /** What workers of the run wrote where git does not look; absent while there is nothing. */
  ignored: z.array(FilePath).max(SHOWN.items).optional(),
  ignored_total: z.int().optional(),
  todo: z
    .array(z.strictObject({ path: FilePath, line: z.int(), text: Short }))
    .max(SHOWN.items)
    .nullable(),
  todo_total: z.int().min(0),
});
export type Changes = z.infer<typeof Changes>;

const OpenItem = z.strictObject({ id: z.string().max(60), text: Short });
export type OpenItem = z.infer<typeof OpenItem>;

/** The newest evaluation. `NONE`: no valid one came; it counts as a failure without a layer. */
export const Qa = z.strictObject({
  evaluation: ArtefactHash.nullable(),
  verdict: z.enum(['PASS', 'FAIL_L2', 'FAIL_L3', 'NONE']),
  failing: z.array(OpenItem).max(SHOWN.items),
  more: z.int().min(0),
  instructions: z.array(Short).max(SHOWN.failures),
  /** Criteria met with evidence, of all. */
  met: z.int().min(0).max(100),
});
export type Qa = z.infer<typeof Qa>;
