import * as z from 'zod';
import { PROVEN } from './answer.ts';
import { ApprovedSpec, CriterionIds, FolderPath, Slug } from './approved-spec.ts';
import { Msg } from './brief.ts';
import { RESULTS, TicketId } from './build-report.ts';
import { ChecksConfig } from './config.ts';
import { ArtefactHash, ConventionStage, Conventions } from './conventions.ts';
import { CHECKS, OutputBase, PROJECT_LANGS } from './deliver-found.ts';
import { BaselineRow, CAPS, Changes, Incidents, Qa, Report, SHOWN } from './deliver-report.ts';
import { FilePath } from './file-path.ts';
import { LANGUAGES } from './lang.ts';
import { Measured, MOST_MEASURED } from './measured.ts';

/** Phases in the order of a run. The legal edges are in the workflow's phase table. */
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

const Lang = z.enum(LANGUAGES);
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

/** Input of `baton deliver`. An unknown field or value is refused before anything is created (WF-12). */
export const DeliverInput = z.strictObject({
  /** Null is the bare form. `plan` also starts a run. The other steps need a live run. */
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
  /** An approved `spec` run or its docs_path, as typed. The runtime finds it before `start` (WF-94). */
  from_spec: z.string().trim().min(1).max(300).nullable().default(null),
  /** The ticket this run builds. Its accepted plan is `from_spec`. The ticket may decide where a person would. */
  ticket: TicketId.nullable().default(null),
  /** Set only if the person named a language. Otherwise it is detected from the task. */
  lang: Lang.nullable().default(null),
});
export type DeliverInput = z.infer<typeof DeliverInput>;

/** Models of a run (WF-82). For the preset `default`, only preset and verifier are stored. */
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

/** The one auto-fix of a run (WF-53). `accepted`: a person chose to apply it, and the patch is not confirmed yet. */
const Autofix = z.strictObject({
  /** Artefact of the proposal. Null until the proposer has returned it. */
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

/** Working data of the phase `setup`. The run owns nothing until setup ends. */
export const SetupStage = z.strictObject({
  stage: z.enum(['session', 'session_conflict', 'replacing', 'mode', 'model', 'looking']),
  /** The live run of the same subject. The store returns only its id. The listing adds the rest. */
  other: z
    .strictObject({
      run: z.string().min(1),
      workflow: z.string().nullable(),
      phase: z.string().nullable(),
      title: z.string().nullable(),
    })
    .nullable(),
  /** Number of typed model forms that were unreadable. Three lead to `balanced`. */
  bad_models: z.int().min(0).max(3),
  bad_model: z.string().max(60).nullable(),
  /** Measurements of earlier runs. Absent in runs older than this field. */
  measured: z.array(Measured).max(MOST_MEASURED).optional(),
});
export type SetupStage = z.infer<typeof SetupStage>;

const Hashes = z.partialRecord(z.enum(PERSONAS), ArtefactHash);
const Person = z.strictObject({ by: Name, at: Instant, digest: z.string().max(100), ...PROVEN });

/** The specification, from the preparation of the tree to its approval. */
const Plan = z.strictObject({
  /** The part of `plan_ready` that is still due before the convention step. */
  prepare: z.enum(['open_tree', 'project', 'install', 'baseline', 'handover']).nullable(),
  handover: z
    .strictObject({
      qa_notes: ArtefactHash.nullable(),
      critic_findings: ArtefactHash.nullable(),
      conventions: ArtefactHash.nullable(),
    })
    .nullable(),
  /** The name of the run's own specification. It never overwrites an existing specification (WF-84). */
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
  /** A person requested a change at the spec gate, and it is in progress. */
  revising: z.boolean(),
  requests_shown: z.array(Short).max(SHOWN.requests),
  /** The specification that a person approved. Valid only for exactly this hash (WF-43). */
  approval: Person.extend({ hash: ArtefactHash }).nullable(),
});

/** The attempt in progress and the change it made. */
const Attempt = z.strictObject({
  /** Implementation attempts of this round: the first, plus one per repair. */
  attempts: z
    .int()
    .min(0)
    .max(1 + CAPS.layer1 + CAPS.layer2),
  plan: ArtefactHash.nullable(),
  reviews: z.partialRecord(z.enum(ADVISORS), ArtefactHash),
  /** The newest repair, counted when it became due. `done`: its attempt returned a result. */
  repair: z
    .strictObject({
      layer: z.union([z.literal(1), z.literal(2)]),
      attempt: z.int().min(1).max(CAPS.layer1),
      error: Short,
      done: z.boolean(),
    })
    .nullable(),
  /** In the person's own folder: the base of the newest attempt or patch was stored. */
  based: z.boolean(),
  /** Notes of the newest attempt. Null until the attempt returns them. */
  notes: ArtefactHash.nullable(),
  /** Denied requests of the newest attempt's worker. */
  refused: z.array(Short).max(SHOWN.items).nullable(),
  changes: Changes.nullable(),
  /** The evaluation that a new round starts from. */
  feedback: ArtefactHash.nullable(),
});

/** Commands, the newest pass of them, and what follows from a failure. */
const Checks = z.strictObject({
  /** Whether they come from the commit the run works on or from an uncommitted file. */
  config: z.enum(['committed', 'uncommitted']),
  /** Frozen at the start of the run. */
  settings: ChecksConfig,
  /** The source of each command. */
  sources: z.partialRecord(z.enum(CHECKS), z.string().max(300)),
  build_cmd: CommandLine.nullable(),
  test_cmd: CommandLine.nullable(),
  lint_cmd: CommandLine.nullable(),
  type_check_cmd: CommandLine.nullable(),
  /** Installs what the checks need in the run's own tree. */
  install_cmd: CommandLine.nullable(),
  baseline: z.array(BaselineRow).max(CHECKS.length).nullable(),
  /** Subject of the newest pass: the newest attempt, an applied patch, or a person's command. */
  pass: z.enum(['attempt', 'patch', 'command']),
  /** At `verify_done`, a new change set and then a pass are due. */
  pass_due: z.boolean(),
  /**
   * The part of the current pass that follows after all its checks. `again`: the failing checks once more. `clean`: all
   * checks on a clean checkout of the commit to be made. Null during the first run of the checks.
   */
  recheck: z
    .strictObject({ stage: z.enum(['again', 'clean']), checks: z.array(z.enum(CHECKS)).max(CHECKS.length) })
    .nullable(),
  report: Report.nullable(),
  verify: Verify,
  /** The failures of the last two passes after a layer-1 repair. Equal values mean that repairs do not help. */
  fingerprints: z.array(z.string().max(600)).max(2),
  stalled: z.boolean(),
  /** A person asked to evaluate a failing pass, so the verify gate opens early (WF-85). */
  early: z.boolean(),
  waiver: Person.extend({ error: Short }).nullable(),
  autofix: Autofix.nullable(),
  proposal: z
    .strictObject({
      confidence: z.enum(['High', 'Medium', 'Low', 'Unknown']),
      targets: z.array(FilePath).max(SHOWN.items),
      hunks: z.int().min(1),
      rationale: Short,
      limitations: Short.nullable(),
    })
    .nullable(),
});

/** The evaluation and how the run was closed. */
const Verdict = z.strictObject({
  qa: Qa.nullable(),
  accepted: Person.nullable(),
  /** The change was modified after its evaluation, so it no longer counts as passed. */
  altered: z.boolean(),
  completion_reason: z.enum(['qa_pass', 'accepted_as_is', 'max_rounds']).nullable(),
});

/** What happens with the change at the end. */
const Finish = z.strictObject({
  /** The person's choice at the end, and its progress. */
  chosen: z
    .strictObject({
      choice: z.enum(['code_only', 'commit_all', 'no_commit']),
      commit: z.string().max(100).nullable(),
      stage: z.enum(['compare', 'commit', 'publish', 'clean_up', 'save_patch']),
      /** A person chose it at the commit gate. Absent: a rule chose it. */
      asked: z.literal(true).optional(),
    })
    .nullable(),
  /** Why the last attempt to finish failed. */
  error: Short.nullable(),
  /** Files that the person's hooks changed in a commit. Baton undid that commit. Absent if there are none. */
  rewritten: z.array(FilePath).max(SHOWN.items).optional(),
  /** Commit hooks that did not run, because no person was asked and there was no sandbox. Absent if there are none. */
  hooks_skipped: z.array(z.string().max(60)).max(SHOWN.items).optional(),
});

const fields = {
  version: z.literal(1),
  /** The run's own id, for commands shown to people. Null in runs older than this field. */
  run: z.string().min(1).max(50).nullable(),
  task: z.string().min(1).max(20_000),
  slug: Slug,
  skill: z.literal('deliver'),
  /** Null only in `setup`. */
  mode: z.enum(MODES).nullable(),
  run_style: z.enum(['auto', 'phase', 'step']),
  /** Null only in `setup`. */
  model_config: ModelConfig.nullable(),
  /** The audit record of the request. After setup, no path or command of the run is read from it (WF-03). */
  cli_flags: z.strictObject({ ...flags, from_spec: z.string().max(300).nullable() }),
  user_lang: Lang,
  has_git: z.boolean(),
  repo_name: z.string().max(300),
  repo_path: z.string().min(1).max(1_000),
  phase: z.enum(DELIVER_PHASES),
  round: z.int().min(1).max(CAPS.rounds),
  max_rounds: z.literal(CAPS.rounds),
  max_files: z.literal(CAPS.files),
  /** Null: no limit (WF-83). */
  scope: Globs.nullable(),
  branch: z.string().max(200).nullable(),
  /** Programming language of the project (WF-17). */
  lang: z.enum(PROJECT_LANGS),
  docs_path: FolderPath,
  conventions: Conventions,
  created_at: Instant,
  updated_at: Instant,
  namespace: z.string().min(1).max(50),
  in_place: z.boolean(),
  unattended: z.boolean(),
  /** The person named the language. Later text does not switch it. */
  lang_explicit: z.boolean(),
  from_spec: ApprovedSpec.nullable(),
  /** The ticket this run builds. The run reports its end to that ticket. */
  ticket: TicketId.nullable(),
  /** Commit the tree starts from. */
  base: z.string().max(100).nullable(),
  /** Name of the snapshot a change set is computed against. */
  start: z.string().min(1).max(200),
  setup: SetupStage.nullable(),
  convention_stage: ConventionStage.nullable(),
  /** Over the whole run. Absent if there are none. */
  incidents: Incidents.optional(),
  /** Whether the written documents hold the present results. `due`: the next step writes them. */
  documents: z.enum(['current', 'outdated', 'due']),
  /** The halt of the current phase was taken or skipped. */
  was_idle: z.boolean(),
  /** Changes in the person's repository while workers or checks ran without a sandbox. Absent if there are none. */
  controls_changed: z.array(Short).max(SHOWN.items).optional(),
  /** A person asked to wipe the whole output base (WF-74). Only in the person's own folder. */
  wipe: z
    .discriminatedUnion('at', [
      z.strictObject({ at: z.literal('query') }),
      z.strictObject({ at: z.literal('gate'), ...OutputBase.shape }),
      z.strictObject({ at: z.literal('write'), base: z.string().max(300) }),
    ])
    .nullable(),
  /** Only a command moves the run. `style`: the run style requires the halt. `failed`: resume repeats the step. */
  halted: z.strictObject({ kind: z.enum(['style', 'failed', 'stopped']), why: Msg }).nullable(),
  ended: z
    .strictObject({
      result: z.enum(RESULTS),
      why: Msg.nullable(),
      successor: z.string().nullable(),
    })
    .nullable(),
  plan: Plan,
  attempt: Attempt,
  checks: Checks,
  verdict: Verdict,
  finish: Finish,
};

/** State of a `deliver` run. Strict and bounded: requests, reports and decisions are records, never lists here. */
export const DeliverState = z.strictObject(fields).superRefine((state, ctx) => {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  const { phase, verdict } = state;
  const { autofix, verify } = state.checks;
  if ((state.setup !== null) !== (phase === 'setup')) refuse('setup', 'setup exists in its phase only');
  if (phase !== 'setup' && state.mode === null) refuse('mode', 'mode is set when setup ends');
  if (phase !== 'setup' && state.model_config === null)
    refuse('model_config', 'models are set when setup ends');
  if (verify.autofix_attempted !== (autofix !== null && autofix.applied !== 'proposed'))
    refuse('autofix', 'the right is used exactly when the record is past proposed');
  if ((verdict.completion_reason !== null) !== (phase === 'completed'))
    refuse('completion_reason', 'a reason exists exactly in completed');
});
export interface DeliverState extends z.infer<typeof DeliverState> {}

/** Fields of a state that change together. Fields of a group that are not named stay as they are. */
export type DeliverChanges = Partial<Omit<DeliverState, DeliverGroup>> & {
  readonly [G in DeliverGroup]?: Partial<DeliverState[G]>;
};

export const DELIVER_GROUPS = ['plan', 'attempt', 'checks', 'verdict', 'finish'] as const;
type DeliverGroup = (typeof DELIVER_GROUPS)[number];
