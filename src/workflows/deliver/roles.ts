import type { DeliverState } from '../../contract/deliver.ts';
import {
  AutoFixProposal,
  ChangeNotes,
  Critique,
  DeliverSpec,
  Evaluation,
  ImplementationPlan,
  PlanReview,
  Proposal,
  QaProposal,
} from '../../contract/deliver-work.ts';
import type { RoleTable, SlotDefinition } from '../../engine/workflow.ts';
import { conventionScanner } from '../kit/conventions.ts';
import { REQUEST_PREAMBLE } from '../kit/request-preamble.ts';
import { changedPaths } from './moves.ts';
import { checklistFaults } from './verdict.ts';

const slot = (name: string, max: number): SlotDefinition => ({ name, max });
const document = (name: string) => slot(name, 120_000);
const short = (name: string) => slot(name, 2_000);

/** The eight inputs of a first proposal, always all of them (WF-37), and an approved specification (WF-42). */
const planning = [
  slot('task', 20_000),
  short('repo_path'),
  short('lang'),
  slot('scope', 10_000),
  short('user_lang'),
  document('qa_discovery_notes'),
  document('critic_findings'),
  document('conventions'),
  document('approved_spec'),
];

const editing = [
  document('spec'),
  document('qa_feedback'),
  short('round'),
  slot('scope', 10_000),
  short('max_files'),
  short('user_lang'),
  document('plan'),
  document('review_combined'),
  document('review_code_quality'),
  document('review_test_stability'),
  short('failure'),
  document('report'),
];

const reviewing = [document('spec'), document('plan'), short('test_cmd'), short('user_lang')];

/** Three attempts at most: the first, one correction and one fresh start (WF-08). */
const caps = { correct: 1, fresh: 1, infra: 2 };
const reader = { caps, profile: { kind: 'read_only' }, deadline_minutes: 10 } as const;
/** Only these workers may change the tree (WF-81). Baton checks the scope afterwards. */
const writer = { caps, profile: { kind: 'writes', globs: ['**'] }, deadline_minutes: 30 } as const;

/** Every id of an approved specification must be among the new criteria (WF-42). */
const author = {
  ...reader,
  result: DeliverSpec,
  check: (doc: DeliverSpec, state: DeliverState) => {
    const ids = doc.completion_criteria.map(({ id }) => id);
    const dropped = (state.from_spec?.criteria ?? []).filter((id) => !ids.includes(id));
    return dropped.map(
      (id) => `The approved criterion ${id} is missing. Every approved id must be a criterion.`,
    );
  },
};

/** The workers of all modes. Data reaches them only through slots, and only the engine sets output paths (WF-80). */
export const deliverRoles = {
  architect: { ...reader, prompt: 'deliver/architect', slots: planning, result: Proposal },
  senior_dev: { ...reader, prompt: 'deliver/senior_dev', slots: planning, result: Proposal },
  qa_specialist: {
    ...reader,
    prompt: 'deliver/qa_specialist',
    slots: planning,
    result: QaProposal,
  },
  planner_single: { ...author, prompt: 'deliver/planner_single', slots: planning },
  cross_critique: {
    ...reader,
    prompt: 'deliver/cross_critique',
    slots: [
      short('persona'),
      slot('task', 20_000),
      document('proposal_one'),
      document('proposal_two'),
      short('user_lang'),
    ],
    result: Critique,
  },
  synthesis: {
    ...author,
    prompt: 'deliver/synthesis',
    slots: [
      slot('task', 20_000),
      slot('scope', 10_000),
      short('user_lang'),
      document('approved_spec'),
      document('proposal_architect'),
      document('proposal_senior_dev'),
      document('proposal_qa_specialist'),
      document('critique_architect'),
      document('critique_senior_dev'),
      document('critique_qa_specialist'),
      document('present_spec'),
      { name: 'requests', max: 20_000, preamble: REQUEST_PREAMBLE, each: true },
    ],
  },
  convention_scanner: conventionScanner,
  lead_developer: {
    ...reader,
    prompt: 'deliver/lead_developer',
    slots: editing.slice(0, 6),
    result: ImplementationPlan,
  },
  advisor_combined: { ...reader, prompt: 'deliver/advisor_combined', slots: reviewing, result: PlanReview },
  advisor_code_quality: {
    ...reader,
    prompt: 'deliver/advisor_code_quality',
    slots: reviewing,
    result: PlanReview,
  },
  advisor_test_stability: {
    ...reader,
    prompt: 'deliver/advisor_test_stability',
    slots: reviewing,
    result: PlanReview,
  },
  implementation: { ...writer, prompt: 'deliver/implementation', slots: editing, result: ChangeNotes },
  generator_single: { ...writer, prompt: 'deliver/generator_single', slots: editing, result: ChangeNotes },
  auto_fix_proposer: {
    ...reader,
    prompt: 'deliver/auto_fix_proposer',
    slots: [
      document('spec'),
      document('change_notes'),
      document('verify_report'),
      short('failing_files'),
      short('user_lang'),
    ],
    result: AutoFixProposal,
  },
  evaluator: {
    ...reader,
    prompt: 'deliver/evaluator',
    slots: [
      document('spec'),
      document('changed_paths'),
      short('commands'),
      short('round'),
      slot('scope', 10_000),
      short('user_lang'),
      short('layer1_note'),
      slot('check_findings', 20_000),
    ],
    result: Evaluation,
    check: (evaluation: Evaluation, state: DeliverState) =>
      checklistFaults(evaluation, {
        criteria: state.plan.spec?.criteria ?? [],
        paths: changedPaths(state.attempt),
      }),
    cites: ({ criteria }: Evaluation) => criteria.flatMap(({ evidence }) => evidence),
  },
} satisfies RoleTable<DeliverState>;
