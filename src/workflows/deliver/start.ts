import { BUILDING } from '../../contract/build-report.ts';
import { ChecksConfig } from '../../contract/config.ts';
import {
  DeliverInput,
  type DeliverState,
  type ModelConfig,
  type SetupStage,
} from '../../contract/deliver.ts';
import { styleOf } from '../../contract/deliver-invocation.ts';
import { CAPS } from '../../contract/deliver-report.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { detectLanguage } from '../../engine/language.ts';
import { validatePath } from '../../engine/paths.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import type { LiveRun, StartFacts } from '../../engine/workflow.ts';
import { measure } from '../kit/measured.ts';
import { storedText } from '../kit/stored-text.ts';
import { CHECKOUT, docsPathOf, START, subjectOf } from './locations.ts';
import { say } from './messages.ts';
import { parseModels, presetConfig } from './models.ts';
import { notice } from './moves.ts';
import { openStage } from './setup.ts';
import { firstRun } from './step-commands.ts';

/** First move of a run, in `setup` and without a subject, or a rejection before the run exists. */
export function start(raw: unknown, facts: StartFacts): Move<DeliverState> | Rejection {
  const parsed = DeliverInput.safeParse(raw);
  if (!parsed.success) return refuseInput(parsed.error, raw);
  const input = parsed.data;
  if (input.step !== null && input.step !== 'plan') return firstRun(input.step);
  const stranger = refuseTicket(input, facts.approved_spec);
  if (stranger) return stranger;
  const task = input.task ?? taskOf(facts.approved_spec, input.ticket);
  if (task === null)
    return reject('bad_input', { field: 'task', problem: 'missing' }, { msg: 'deliver.task_missing' });
  const glob = input.scope?.find((one) => /^!?\/|(?:^|[!/])\.\.(?:\/|$)|\\/.test(one));
  if (glob !== undefined) return reject('bad_input', { field: 'scope', glob }, { msg: 'deliver.scope_bad' });
  const models = modelsOf(input);
  if (isRejection(models)) return models;
  const docs_path = documentsOf(input, facts, task);
  if (isRejection(docs_path)) return docs_path;
  const mode = input.mode ?? (input.ticket === null ? null : 'single');
  const state = initial(input, facts, { task, mode, model_config: models, docs_path });
  const unbound = facts.unbound.map(({ role, name }) =>
    notice(say('deliver.notice.unbound', { role, name })),
  );
  return refuseConflict(state) ?? { state, records: [...presented(input), ...unbound] };
}

/** The first commit of the build notifies the ticket, so that the ticket can abandon the build. */
function presented({ ticket }: DeliverInput): MoveRecord[] {
  return ticket === null ? [] : [{ kind: 'message', to: ticket, name: BUILDING, data: null }];
}

/** Rejects a ticket unless it is the one whose accepted plan is built. */
function refuseTicket(
  { ticket, from_spec }: DeliverInput,
  approved: StartFacts['approved_spec'],
): Rejection | null {
  if (ticket === null || (approved?.run === ticket && approved.accepted)) return null;
  const args = { field: 'ticket', ticket, from_spec: from_spec ?? 'none' };
  return reject('bad_input', args, { msg: 'deliver.ticket_bad' });
}

/**
 * Without a task of its own, the run builds what was approved. The task text is in the language of that specification
 * (SP-67).
 */
function taskOf(approved: StartFacts['approved_spec'], ticket: string | null): string | null {
  if (!approved) return null;
  const { path, lang } = approved;
  return ticket === null
    ? storedText('deliver.task_from_spec', lang, { path })
    : storedText('deliver.task_from_ticket', lang, { ticket, path });
}

/** A ticket's build does not ask questions. If no models are named, it uses the default preset. */
function modelsOf({
  model_config: value,
  verifier_model,
  ticket,
}: DeliverInput): ModelConfig | null | Rejection {
  if (value === null) return ticket === null ? null : presetConfig('default', verifier_model ?? undefined);
  const models = parseModels(value, verifier_model ?? undefined);
  if (!('bad' in models)) return models;
  const args = { field: 'model_config', value, bad: models.bad };
  return reject('bad_input', args, { msg: 'deliver.model_config_bad' });
}

/** Where documents go: an approved spec's own folder, or the output base and the slug (WF-20). */
function documentsOf(input: DeliverInput, facts: StartFacts, task: string): string | Rejection {
  if (facts.approved_spec) return facts.approved_spec.docs_path;
  const { namespace } = facts.policy;
  const slug = toSlug(task, facts.short_id);
  if (input.output_dir === null) return docsPathOf(`docs/${namespace}`, slug);
  const checked = validatePath(input.output_dir, 'output_dir', { namespace });
  if (checked.ok) return docsPathOf(checked.path, slug);
  return reject('path_refused', { path: input.output_dir, source: '--output-dir' }, { msg: checked.rule });
}

/** Fields that are decided before the run exists. */
type Settled = Pick<DeliverState, 'task' | 'mode' | 'model_config' | 'docs_path'>;

function initial(input: DeliverInput, facts: StartFacts, settled: Settled): DeliverState {
  const { policy, now, approved_spec: from_spec } = facts;
  const { scope, lint_cmd, type_check_cmd, ticket } = input;
  const slug = from_spec?.slug ?? toSlug(settled.task, facts.short_id);
  const has_git = facts.git !== null;
  const subject = subjectOf({ has_git, in_place: policy.in_place, slug, ticket });
  return {
    version: 1,
    run: facts.run,
    ...settled,
    slug,
    skill: 'deliver',
    run_style: styleOf(input.step),
    cli_flags: flagsOf(input),
    user_lang: input.lang ?? (input.task === null ? from_spec?.lang : null) ?? detectLanguage(settled.task),
    has_git,
    repo_name: facts.folder,
    // Workers run in the run's tree. Paths of this machine never enter a prompt.
    repo_path: '.',
    phase: 'setup',
    round: 1,
    max_rounds: CAPS.rounds,
    max_files: CAPS.files,
    scope,
    branch: null,
    lang: 'unknown',
    checks: {
      ...NO_PASS,
      install_cmd: null,
      build_cmd: null,
      test_cmd: null,
      lint_cmd,
      type_check_cmd,
      verify: { ...NO_RESULTS, todo_blocking: input.todo_blocking },
      autofix: null,
      settings: ChecksConfig.parse(policy.checks ?? {}),
    },
    conventions: null,
    created_at: now,
    updated_at: now,
    namespace: policy.namespace,
    in_place: policy.in_place,
    unattended: policy.unattended,
    lang_explicit: input.lang !== null,
    from_spec,
    ticket,
    base: null,
    start: START,
    ...NOTHING_YET,
    setup: firstStage(settled, facts, subject),
  };
}

const NO_RESULTS = {
  layer1_result: null,
  layer1_retries: 0,
  layer2_result: null,
  layer2_retries: 0,
  autofix_attempted: false,
} as const;

/** No check has run. */
const NO_PASS = {
  config: 'committed',
  sources: {},
  baseline: null,
  report: null,
  pass: 'attempt',
  pass_due: false,
  recheck: null,
  fingerprints: [],
  stalled: false,
  early: false,
  waiver: null,
  proposal: null,
} satisfies Partial<DeliverState['checks']>;

/** Initial values of the working fields. */
const NOTHING_YET = {
  plan: {
    prepare: null,
    handover: null,
    spec_file: 'spec.md',
    proposals: {},
    critiques: {},
    spec: null,
    revising: false,
    requests_shown: [],
    approval: null,
  },
  convention_stage: null,
  attempt: {
    plan: null,
    reviews: {},
    attempts: 0,
    repair: null,
    based: false,
    notes: null,
    refused: null,
    changes: null,
    feedback: null,
  },
  verdict: { qa: null, accepted: null, altered: false, completion_reason: null },
  documents: 'current',
  was_idle: false,
  finish: { chosen: null, error: null },
  wipe: null,
  halted: null,
  ended: null,
} satisfies Partial<DeliverState>;

/** The audit record of the options given at the start (WF-03). */
function flagsOf(input: DeliverInput): DeliverState['cli_flags'] {
  const { mode, model_config, lint_cmd, type_check_cmd, verifier_model, output_dir, scope, todo_blocking } =
    input;
  const { from_spec } = input;
  return {
    mode,
    model_config,
    lint_cmd,
    type_check_cmd,
    verifier_model,
    output_dir,
    scope,
    todo_blocking,
    from_spec,
  };
}

function firstStage(
  known: Pick<DeliverState, 'mode' | 'model_config'>,
  facts: StartFacts,
  subject: string,
): SetupStage {
  const live = facts.live.find((one) => one.subject === subject) ?? beside(facts, subject);
  const other = live
    ? { run: live.run, workflow: live.workflow, phase: live.phase, title: live.title }
    : null;
  const measured = measure(facts.measured);
  return { stage: openStage(other, known), other, bad_models: 0, bad_model: null, measured };
}

/** In the person's folder, a live run of another workflow would write between the files of this run (WF-25). */
function beside({ live, approved_spec }: StartFacts, subject: string): LiveRun | undefined {
  if (subject !== CHECKOUT) return undefined;
  return live.find(
    ({ run, workflow, phase }) =>
      workflow !== 'deliver' && phase !== 'completed' && run !== approved_spec?.run,
  );
}

/** An unattended start over another workflow's run is rejected, because a person cannot be asked (WF-25). */
function refuseConflict({ setup, unattended }: DeliverState): Rejection | null {
  if (setup?.stage !== 'session_conflict' || !unattended) return null;
  return reject('wrong_moment', { run: setup.other?.run ?? '' }, { msg: 'deliver.conflict_unattended' });
}
