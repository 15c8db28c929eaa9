import * as z from 'zod';
import { Msg } from './brief.ts';
import { ArtefactHash, ConventionStage, Conventions } from './conventions.ts';
import { LANGUAGES } from './lang.ts';
import { Measured, MOST_MEASURED } from './measured.ts';
import { Question, QuestionId } from './spec-work.ts';

/** Phases in the order of a run. The legal edges are in the workflow's phase table. */
export const SPEC_PHASES = [
  'setup',
  'convention_scan_active',
  'qa_active',
  'qa_complete',
  'gen_ready',
  'critic_active',
  're_synthesis_active',
  're_critic_active',
  'critic_complete',
  'critic_halted',
  'spec_ready',
  'completed',
] as const;
export type SpecPhase = (typeof SPEC_PHASES)[number];

const SpecLang = z.enum(LANGUAGES);
const Mode = z.enum(['quick', 'deep']);
const Instant = z.iso.datetime();
/** Inside the repository, forward slashes, no drive, no leading slash, no `..` segment (SP-17). */
const RelativePath = z
  .string()
  .min(1)
  .max(300)
  .regex(/^(?!\/)(?![A-Za-z]:)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\0]+$/);

/** Input of `baton spec`. An unknown field or value is refused before anything is created. */
export const SpecInput = z.strictObject({
  task: z.string().trim().min(1).max(20_000),
  mode: Mode.nullable().default(null),
  model_config: z.string().max(200).nullable().default(null),
  reference: z.string().max(300).nullable().default(null),
  /** Set only if the person named a language. Otherwise it is detected from the task. */
  lang: SpecLang.nullable().default(null),
});
export type SpecInput = z.infer<typeof SpecInput>;

/** Result of the query `setup`: documents already in docs_path, sibling folders, the branch to use and its base. */
export const SetupFound = z.strictObject({
  taken: z.array(z.string()),
  siblings: z.array(z.string()),
  branch: z.strictObject({ name: z.string().min(1), base: z.string().min(1).nullable() }).nullable(),
});
export type SetupFound = z.infer<typeof SetupFound>;

/** Result of the write `write_documents`. */
export const DocumentsWritten = z.object({
  files: z.array(z.string()).optional(),
  branch: z.string().nullish(),
  commit: z.string().nullish(),
});

export const FindingCounts = z.strictObject({
  critical: z.int().min(0),
  major: z.int().min(0),
  minor: z.int().min(0),
});
export type FindingCounts = z.infer<typeof FindingCounts>;

/** The critic of deep mode (SP-02). Only `applied: approved` lets generation continue. The reason is for display. */
const Critic = z.strictObject({
  applied: z.enum(['pending', 'revised', 'approved']),
  round: z.union([z.literal(0), z.literal(1)]),
  last_findings_path: ArtefactHash.nullable(),
  counts: FindingCounts.nullable(),
  modify_text: z.string().max(20_000).nullable(),
  failure_reason: z
    .enum([
      'dispatch_failed',
      'parse_failed_approved',
      'parse_failed_halted',
      're_synthesis_failed',
      'user_stopped',
    ])
    .nullable(),
});

export type Critic = z.infer<typeof Critic>;

const Tier = z.enum(['inherit', 'opus', 'sonnet', 'haiku']);

/** Models of a deep run (SP-58). `advisor` is the tier of every worker. Fixed when setup ends. */
const ModelConfig = z.strictObject({
  preset: z.enum(['default', 'all-opus', 'balanced', 'economy', 'custom']),
  executor: Tier,
  advisor: Tier,
});
export type ModelConfig = z.infer<typeof ModelConfig>;

/** How one analyst ended, besides its analysis. Existing text is stored for every status (SP-38). */
const AnalystReport = z.strictObject({
  role: z.string().min(1).max(60),
  status: z.enum(['ok', 'dispatch_failed', 'parse_failed']),
  has_findings: z.boolean(),
  artefact: ArtefactHash.nullable(),
});
export type AnalystReport = z.infer<typeof AnalystReport>;

const FindingId = z.string().regex(/^[CMm]\d{1,3}$/);

/** How many findings a gate lists, and the length of each title. The findings artefact has the complete text. */
export const FINDINGS_SHOWN = { count: 20, characters: 100 } as const;

/** A stored draft and what gates show about it. */
const Draft = z.strictObject({
  hash: ArtefactHash,
  criteria: z.int().min(1),
  /** Names of parts that contain a fenced code block (SP-33). */
  code_in: z.array(z.string()).max(7),
});
export type Draft = z.infer<typeof Draft>;

/** Working data of the phase `setup`. The run owns nothing until setup ends. */
export const SetupStage = z.strictObject({
  stage: z.enum([
    'session',
    'replacing',
    'routing',
    'mode',
    'model',
    'model_confirm',
    'looking',
    'collision',
  ]),
  /** The live run of the same subject. Phase and title are null if the store reported it, not the listing. */
  other: z
    .strictObject({ run: z.string().min(1), phase: z.string().nullable(), title: z.string().nullable() })
    .nullable(),
  routing: z.enum(['improve', 'implement', 'understand']).nullable(),
  taken: z.array(z.string()).max(8),
  /** A timestamp was chosen. After another collision, the next free name is used without asking. */
  stamped: z.boolean(),
  /** Models named by flag or typed at the gate. They apply if setup ends with a deep run. */
  models: ModelConfig.nullable(),
  /** Number of typed model forms that were unreadable. Three lead to `balanced`. */
  bad_models: z.int().min(0).max(3),
  bad_model: z.string().max(60).nullable(),
  /** Measurements of earlier runs. Absent in runs older than this field. */
  measured: z.array(Measured).max(MOST_MEASURED).optional(),
});
export type SetupStage = z.infer<typeof SetupStage>;

/** How many change requests a gate lists, and the length of each. `request` records have the complete texts. */
export const REQUESTS_SHOWN = { count: 20, characters: 200 } as const;

const fields = {
  version: z.literal(2),
  skill: z.literal('spec'),
  task: z.string().min(1).max(20_000),
  slug: z
    .string()
    .max(50)
    .regex(/^[a-z0-9_]+(-[a-z0-9_]+)*$/),
  /** Null only in `setup`. */
  mode: Mode.nullable(),
  /** Deep mode only. */
  model_config: ModelConfig.nullable(),
  user_lang: SpecLang,
  has_git: z.boolean(),
  phase: z.enum(SPEC_PHASES),
  /** Null until the first round starts. Never decreases. */
  qa_round: z.int().min(1).max(3).nullable(),
  branch: z.string().max(200).nullable(),
  docs_path: RelativePath.regex(/^docs\/[^/]+\/[^/]+\/$/),
  cli_flags: z.strictObject({ reference: RelativePath.nullable(), reference_hash: ArtefactHash.nullable() }),
  conventions: Conventions,
  critic: Critic.nullable(),
  created_at: Instant,
  updated_at: Instant,

  namespace: z.string().min(1).max(50),
  in_place: z.boolean(),
  unattended: z.boolean(),
  /** The person named the language. Later text does not switch it. */
  lang_explicit: z.boolean(),
  /** Commit the branch starts from. */
  base: z.string().max(100).nullable(),
  /** A person agreed to replace documents that exist in docs_path. */
  overwrite: z.boolean(),
  setup: SetupStage.nullable(),
  convention_stage: ConventionStage.nullable(),
  /** Questions of the open round. Null while the interviewer works or if no round is open. */
  round: z.strictObject({ questions: z.array(Question).min(1).max(5) }).nullable(),
  asked: z.int().min(0).max(11),
  unconfirmed: z.array(QuestionId).max(11),
  rounds_closed: z.int().min(0).max(3),
  /** A person requested more questions after a halt. If a round then has none, it asks the fixed question. */
  reopened: z.boolean(),
  spec: Draft.nullable(),
  /** Reports of this pass in the order of the analyst table. Null until the analysts are done. */
  analyses: z.array(AnalystReport).max(32).nullable(),
  /** All analysts failed, and a person let the pass continue without them (SP-40). */
  notes_only: z.boolean(),
  /** The critic's open gate in the current phase. Null while the critic works or is not due. */
  critic_gate: z.enum(['findings', 'unreadable']).nullable(),
  /** The newest findings as gates list them: in the critic's order, cut. */
  findings_shown: z
    .array(z.strictObject({ id: FindingId, title: z.string().max(FINDINGS_SHOWN.characters) }))
    .max(FINDINGS_SHOWN.count),
  /** A revision that lacks citations, stored during its only retry (SP-42). */
  revising: z.strictObject({ draft: Draft, missing: z.array(FindingId).min(1).max(200) }).nullable(),
  /** Findings that the revision of this pass does not address. */
  not_addressed: z.array(FindingId).max(200),
  /** Number of passes started: the first draft, plus one per change requested at the approval gate or by reopening. */
  passes: z.int().min(0),
  requests: z.int().min(0),
  /** The newest requests, cut. A gate can list them (SP-65), and the state does not grow with history. */
  requests_shown: z.array(z.string().max(REQUESTS_SHOWN.characters)).max(REQUESTS_SHOWN.count),
  /** The approval by a person. While it is set and the phase is `spec_ready`, the documents are being written. */
  approved: z.strictObject({ spec: ArtefactHash, by: z.string().max(300), at: Instant }).nullable(),
  /** Only one of the named commands moves the run. */
  halted: z.strictObject({ why: Msg }).nullable(),
  ended: z
    .strictObject({
      result: z.enum(['approved', 'stopped', 'abandoned', 'withdrawn']),
      why: Msg.nullable(),
      successor: z.string().nullable(),
    })
    .nullable(),
};

/** State of a `spec` run. Strict and bounded: notes, requests and decisions are records, never stored here. */
export const SpecState = z.strictObject(fields).superRefine((state, ctx) => {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  if (state.mode === null && state.phase !== 'setup') refuse('mode', 'mode is set when setup ends');
  if (state.mode !== 'deep' && state.model_config)
    refuse('model_config', 'only deep mode has a model_config');
  if (state.mode !== 'deep' && state.critic) refuse('critic', 'only deep mode has a critic');
  if (state.mode === 'deep' && !state.model_config && state.phase !== 'setup')
    refuse('model_config', 'a deep run has its models when setup ends');
  if ((state.setup !== null) !== (state.phase === 'setup')) refuse('setup', 'setup exists in its phase only');
});
export type SpecState = z.infer<typeof SpecState>;
