import * as z from 'zod';
import { ApprovedSpec, CriterionIds, FolderPath, Slug } from './approved-spec.ts';
import { Msg } from './brief.ts';
import { RESULTS, TicketId } from './build-report.ts';
import { ChecksConfig } from './config.ts';
import { ArtefactHash, ConventionStage, Conventions } from './conventions.ts';
import { CHECKS, OutputBase, PROJECT_LANGS } from './deliver-found.ts';
import { BaselineRow, CAPS, Changes, Qa, Report, SHOWN } from './deliver-report.ts';
import { FilePath } from './file-path.ts';
import { Measured, MOST_MEASURED } from './measured.ts';

/** Phases in the order a run meets them; the legal edges stand in the workflow's phase table. */
export const DELIVER_PHASES = [
  'setup',
  'plan_ready',
  'planning',
  'plan_done',
  'generate_ready',
  'generating',
  'generate_done',
  'verify_ready',
  'verifying',
  'verify_done',
  'evaluate_ready',
  'evaluating',
  'evaluate_done',
  'completed',
] as const;
export type DeliverPhase = (typeof DELIVER_PHASES)[number];

export const MODES = ['single', 'standard', 'multi'] as const;
export type Mode = (typeof MODES)[number];
export const STEPS = ['plan', 'generate', 'verify', 'evaluate'] as const;
export type StepName = (typeof STEPS)[number];
export const PERSONAS = ['architect', 'senior_dev', 'qa_specialist'] as const;
export type Persona = (typeof PERSONAS)[number];
export const ADVISORS = ['advisor_combined', 'advisor_code_quality', 'advisor_test_stability'] as const;
export type Advisor = (typeof ADVISORS)[number];

const Lang = z.enum(['en', 'ko', 'ja', 'zh', 'es', 'de']);
const Tier = z.enum(['opus', 'sonnet', 'haiku']);
const Instant = z.iso.datetime();
const Name = z.string().min(1).max(300);
const Short = z.string().max(SHOWN.characters);
const CommandLine = z.string().trim().min(1).max(1_000);
const Globs = z.array(z.string().trim().min(1).max(300)).min(1).max(50);

const flags = {
  mode: z.enum(MODES).nullable(),
  model_config: z.string().max(200).nullable(),
  lint_cmd: CommandLine.nullable(),
  type_check_cmd: CommandLine.nullable(),
  verifier_model: Tier.nullable(),
  output_dir: z.string().max(300).nullable(),
  scope: Globs.nullable(),
  todo_blocking: z.boolean(),
};

/** What `baton deliver` hands in. An unknown field or value is refused before anything exists (WF-12). */
export const DeliverInput = z.strictObject({
  /** Null is the bare form; `plan` starts a run too; the other steps need a live run. */
  step: z.enum(STEPS).nullable().default(null),
  task: z.string().trim().min(1).max(20_000).nullable().default(null),
  mode: flags.mode.default(null),
  model_config: flags.model_config.default(null),
  lint_cmd: flags.lint_cmd.default(null),
  type_check_cmd: flags.type_check_cmd.default(null),
  verifier_model: flags.verifier_model.default(null),
  output_dir: flags.output_dir.default(null),
  scope: flags.scope.default(null),
  todo_blocking: flags.todo_blocking.default(false),
  /** An approved `spec` run or its docs_path, as named; the runtime finds it before `start` (WF-94). */
  from_spec: z.string().trim().min(1).max(300).nullable().default(null),
  /** The ticket this run builds: its accepted plan is `from_spec`, and its word counts where a person's would. */
  ticket: TicketId.nullable().default(null),
  /** Set only when the person named a language; otherwise it is read from the task. */
  lang: Lang.nullable().default(null),
});
export type DeliverInput = z.infer<typeof DeliverInput>;

/** Models of a run (WF-82): for the preset default only preset and verifier are stored. */
export const ModelConfig = z.discriminatedUnion('preset', [
  z.strictObject({ preset: z.literal('default'), verifier: Tier }),
  z.strictObject({
    preset: z.enum(['all-opus', 'balanced', 'economy', 'custom']),
    executor: Tier,
    advisor: Tier,
    evaluator: Tier,
    verifier: Tier,
  }),
]);
export type ModelConfig = z.infer<typeof ModelConfig>;

/** Layer results and their budgets, counted per round (WF-02, WF-51). */
const Verify = z.strictObject({
  layer1_result: z.enum(['PASS', 'FAIL']).nullable(),
  layer1_retries: z.int().min(0).max(CAPS.layer1),
  layer2_result: z.enum(['PASS', 'FAIL']).nullable(),
  layer2_retries: z.int().min(0).max(CAPS.layer2),
  todo_blocking: z.boolean().default(false),
  autofix_attempted: z.boolean().default(false),
});
export type Verify = z.infer<typeof Verify>;

/** The one auto-fix of a run (WF-53). `accepted`: a person said apply, the patch operation is not confirmed yet. */
const Autofix = z.strictObject({
  /** Artefact of the proposal; null until the proposer has delivered. */
  last_patch_path: ArtefactHash.nullable(),
  applied: z.enum(['proposed', 'accepted', 'applied', 'verified', 'stopped', 'rejected']),
  reason: z
    .enum([
      'empty_patch',
      'path_violation',
      'failed_hunk',
      'refused_kind',
      'rejected_by_user',
      'stopped_by_user',
    ])
    .nullable(),
  triggered_at: Instant,
});
export type Autofix = z.infer<typeof Autofix>;

/** Working part of the phase `setup`; the run owns nothing while it exists. */
export const SetupStage = z.strictObject({
  stage: z.enum(['session', 'session_conflict', 'replacing', 'mode', 'model', 'looking']),
  /** The live run of the same subject; the store tells only its id, the listing also the rest. */
  other: z
    .strictObject({
      run: z.string().min(1),
      workflow: z.string().nullable(),
      phase: z.string().nullable(),
      title: z.string().nullable(),
    })
    .nullable(),
  /** Typed model forms that could not be read, and what was wrong with the last one. Three lead to balanced. */
  bad_models: z.int().min(0).max(3),
  bad_model: z.string().max(60).nullable(),
  /** What earlier runs took; nothing in runs from before it was kept. */
  measured: z.array(Measured).max(MOST_MEASURED).optional(),
});
export type SetupStage = z.infer<typeof SetupStage>;

const Hashes = z.partialRecord(z.enum(PERSONAS), ArtefactHash);
const Person = z.strictObject({ by: Name, at: Instant, digest: z.string().max(100) });

const fields = {
  version: z.literal(3),
  /** The run's own id, for commands people are told; null in runs from before it was kept. */
  run: z.string().min(1).max(50).nullable(),
  task: z.string().min(1).max(20_000),
  slug: Slug,
  skill: z.literal('deliver'),
  /** Null only in `setup`. */
  mode: z.enum(MODES).nullable(),
  run_style: z.enum(['auto', 'phase', 'step']),
  /** Null only in `setup`. */
  model_config: ModelConfig.nullable(),
  /** The audit record of what was asked for: no place or command of a run is read from it after setup (WF-03). */
  cli_flags: z.strictObject({ ...flags, from_spec: z.string().max(300).nullable() }),
  user_lang: Lang,
  has_git: z.boolean(),
  repo_name: z.string().max(300),
  repo_path: z.string().min(1).max(1_000),
  phase: z.enum(DELIVER_PHASES),
  round: z.int().min(1).max(CAPS.rounds),
  max_rounds: z.literal(CAPS.rounds),
  max_files: z.literal(CAPS.files),
  /** Null is no limit (WF-83). */
  scope: Globs.nullable(),
  branch: z.string().max(200).nullable(),
  /** Programming language of the project (WF-17). */
  lang: z.enum(PROJECT_LANGS),
  build_cmd: CommandLine.nullable(),
  test_cmd: CommandLine.nullable(),
  lint_cmd: CommandLine.nullable(),
  type_check_cmd: CommandLine.nullable(),
  verify: Verify,
  autofix: Autofix.nullable(),
  docs_path: FolderPath,
  conventions: Conventions,
  completion_reason: z.enum(['qa_pass', 'accepted_as_is', 'max_rounds']).nullable(),
  created_at: Instant,
  updated_at: Instant,

  namespace: z.string().min(1).max(50),
  in_place: z.boolean(),
  unattended: z.boolean(),
  /** The person named the language: no later text switches it. */
  lang_explicit: z.boolean(),
  from_spec: ApprovedSpec.nullable(),
  /** The ticket this run is the build of; its end is told there. */
  ticket: TicketId.nullable(),
  /** Commit the tree starts from. */
  base: z.string().max(100).nullable(),
  /** Name of the snapshot a change set is computed against. */
  start: z.string().min(1).max(200),
  /** Frozen at the start. */
  checks: ChecksConfig,
  /** Whether they came from the commit the run works on, or from a file nobody has committed. */
  config: z.enum(['committed', 'uncommitted']),
  /** Where each command was found. */
  sources: z.partialRecord(z.enum(CHECKS), z.string().max(300)),
  setup: SetupStage.nullable(),
  /** What `plan_ready` still has to do before the convention step. */
  prepare: z.enum(['open_tree', 'project', 'install', 'baseline', 'handover']).nullable(),
  /** Installs what the checks need in a tree of the run's own. */
  install_cmd: CommandLine.nullable(),
  convention_stage: ConventionStage.nullable(),
  baseline: z.array(BaselineRow).max(CHECKS.length).nullable(),
  handover: z
    .strictObject({
      qa_notes: ArtefactHash.nullable(),
      critic_findings: ArtefactHash.nullable(),
      conventions: ArtefactHash.nullable(),
    })
    .nullable(),
  /** The run's own specification never takes the name of one that is there already (WF-84). */
  spec_file: z.enum(['spec.md', 'deliver_spec.md']),
  proposals: Hashes,
  critiques: Hashes,
  spec: z
    .strictObject({
      hash: ArtefactHash,
      revision: z.int().min(1),
      criteria: CriterionIds,
      edge_cases: z.int(),
    })
    .nullable(),
  /** A change was asked for at the spec gate and is being worked in. */
  revising: z.boolean(),
  requests_shown: z.array(Short).max(SHOWN.requests),
  /** Which specification a person let through. Valid only for exactly this hash (WF-43). */
  approval: Person.extend({ hash: ArtefactHash }).nullable(),
  plan: ArtefactHash.nullable(),
  reviews: z.partialRecord(z.enum(ADVISORS), ArtefactHash),
  /** Implementation attempts of this round: one, and one per repair. */
  attempts: z
    .int()
    .min(0)
    .max(1 + CAPS.layer1 + CAPS.layer2),
  /** The newest repair; counted when it became due. `done`: its attempt has delivered. */
  repair: z
    .strictObject({
      layer: z.union([z.literal(1), z.literal(2)]),
      attempt: z.int().min(1).max(CAPS.layer1),
      error: Short,
      done: z.boolean(),
    })
    .nullable(),
  /** In the person's own folder: the base of the newest attempt or patch was taken. */
  based: z.boolean(),
  /** Notes of the newest attempt; null while an attempt has not delivered. */
  notes: ArtefactHash.nullable(),
  /** What the worker of the newest attempt asked for and did not get; absent when there was nothing. */
  refused: z.array(Short).max(SHOWN.items).optional(),
  changes: Changes.nullable(),
  report: Report.nullable(),
  /** What the newest pass is for: the newest attempt, an applied patch, or a person's command. */
  pass: z.enum(['attempt', 'patch', 'command']),
  /** A fresh change set, then a pass, is due at `verify_done`. */
  pass_due: z.boolean(),
  /** What failed in the last two passes after a layer-1 repair; equal ones mean that repairs do not help. */
  fingerprints: z.array(z.string().max(600)).max(2),
  stalled: z.boolean(),
  /** A person asked to evaluate a failing pass: the verify gate opens before its time (WF-85). */
  early: z.boolean(),
  waiver: Person.extend({ error: Short }).nullable(),
  proposal: z
    .strictObject({
      confidence: z.enum(['High', 'Medium', 'Low', 'Unknown']),
      targets: z.array(FilePath).max(SHOWN.items),
      hunks: z.int().min(1),
      rationale: Short,
      limitations: Short.nullable(),
    })
    .nullable(),
  qa: Qa.nullable(),
  /** The evaluation a new round starts from. */
  feedback: ArtefactHash.nullable(),
  accepted: Person.nullable(),
  /** Documents of the present phase still have to be written. */
  docs_due: z.boolean(),
  /** The halt of the present phase has been taken or was passed over. */
  rested: z.boolean(),
  /** What a person chose at the end and how far it got. */
  finish: z
    .strictObject({
      choice: z.enum(['code_only', 'commit_all', 'no_commit']),
      commit: z.string().max(100).nullable(),
      stage: z.enum(['compare', 'commit', 'publish', 'clean_up', 'save_patch']),
    })
    .nullable(),
  /** The change was altered after its evaluation: it is not passed any more. */
  altered: z.boolean(),
  /** Files that hooks of the person changed in a commit, which was taken back; absent while none did. */
  rewritten: z.array(FilePath).max(SHOWN.items).optional(),
  /** Why the last try to finish came to nothing. */
  finish_error: Short.nullable(),
  /** A person asked to wipe the whole output base (WF-74); in a folder of the person's own only. */
  wipe: z
    .discriminatedUnion('at', [
      z.strictObject({ at: z.literal('look') }),
      z.strictObject({ at: z.literal('gate'), ...OutputBase.shape }),
      z.strictObject({ at: z.literal('write'), base: z.string().max(300) }),
    ])
    .nullable(),
  /** Only a command moves the run. `style`: asked for by the run style; `failed`: resume does the step again. */
  halted: z.strictObject({ kind: z.enum(['style', 'failed', 'stopped']), why: Msg }).nullable(),
  ended: z
    .strictObject({
      result: z.enum(RESULTS),
      why: Msg.nullable(),
      successor: z.string().nullable(),
    })
    .nullable(),
};

/** State of a `deliver` run. Strict and bounded: requests, reports and decisions are records, never a list here. */
export const DeliverState = z.strictObject(fields).superRefine((state, ctx) => {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  const { phase, autofix, verify } = state;
  if ((state.setup !== null) !== (phase === 'setup')) refuse('setup', 'setup exists in its phase only');
  if (phase !== 'setup' && state.mode === null) refuse('mode', 'mode is set when setup ends');
  if (phase !== 'setup' && state.model_config === null)
    refuse('model_config', 'models are set when setup ends');
  if (verify.autofix_attempted !== (autofix !== null && autofix.applied !== 'proposed'))
    refuse('autofix', 'the right is used exactly when the record is past proposed');
  if ((state.completion_reason !== null) !== (phase === 'completed'))
    refuse('completion_reason', 'a reason exists exactly in completed');
});
export type DeliverState = z.infer<typeof DeliverState>;
