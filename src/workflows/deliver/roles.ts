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
import { conventionScanner } from '../common/conventions.ts';
import { REQUEST_PREAMBLE } from '../common/request-preamble.ts';
import { changedPaths } from './moves.ts';
import { advisorPrompt } from './prompts/advisors.ts';
import { autoFixProposerPrompt } from './prompts/auto-fix-proposer.ts';
import { crossCritiquePrompt } from './prompts/cross-critique.ts';
import { evaluatorPrompt } from './prompts/evaluator.ts';
import { generatorSinglePrompt, implementationPrompt } from './prompts/implementation.ts';
import { leadDeveloperPrompt } from './prompts/lead-developer.ts';
import { plannerSinglePrompt } from './prompts/planner-single.ts';
import { proposalPrompt } from './prompts/proposals.ts';
import { synthesisPrompt } from './prompts/synthesis.ts';
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

/** Three tries in all: one correction, one fresh (WF-08). */
const caps = { correct: 1, fresh: 1, infra: 2 };
const reader = { caps, profile: { kind: 'read_only' }, deadline_minutes: 10 } as const;
/** Only these may change the tree (WF-81). Scope is judged afterwards, by us. */
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

/** The workers of all modes. Data reaches them only through slots; output paths are the engine's alone (WF-80). */
export const deliverRoles = {
  architect: { ...reader, template: proposalPrompt('architect'), slots: planning, result: Proposal },
  senior_dev: { ...reader, template: proposalPrompt('senior_dev'), slots: planning, result: Proposal },
  qa_specialist: {
    ...reader,
    template: proposalPrompt('qa_specialist'),
    slots: planning,
    result: QaProposal,
  },
  planner_single: { ...author, template: plannerSinglePrompt, slots: planning },
  cross_critique: {
    ...reader,
    template: crossCritiquePrompt,
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
    template: synthesisPrompt,
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
    template: leadDeveloperPrompt,
    slots: editing.slice(0, 6),
    result: ImplementationPlan,
  },
  advisor_combined: { ...reader, template: advisorPrompt('combined'), slots: reviewing, result: PlanReview },
  advisor_code_quality: {
    ...reader,
    template: advisorPrompt('code_quality'),
    slots: reviewing,
    result: PlanReview,
  },
  advisor_test_stability: {
    ...reader,
    template: advisorPrompt('test_stability'),
    slots: reviewing,
    result: PlanReview,
  },
  implementation: { ...writer, template: implementationPrompt, slots: editing, result: ChangeNotes },
  generator_single: { ...writer, template: generatorSinglePrompt, slots: editing, result: ChangeNotes },
  auto_fix_proposer: {
    ...reader,
    template: autoFixProposerPrompt,
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
    template: evaluatorPrompt,
    slots: [
      document('spec'),
      document('changed_paths'),
      short('commands'),
      short('round'),
      slot('scope', 10_000),
      short('user_lang'),
      short('layer1_note'),
    ],
    result: Evaluation,
    check: (evaluation: Evaluation, state: DeliverState) =>
      checklistFaults(evaluation, { criteria: state.spec?.criteria ?? [], paths: changedPaths(state) }),
    cites: ({ criteria }: Evaluation) => criteria.flatMap(({ evidence }) => evidence),
  },
} satisfies RoleTable<DeliverState>;
