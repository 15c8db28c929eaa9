import type { SpecState } from '../../../src/contract/spec.ts';
import type { SpecDoc } from '../../../src/contract/spec-work.ts';
import type { StartFacts } from '../../../src/engine/workflow.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  hashOf,
  type PureRun,
  passPure,
  settlePure,
  startFacts,
  startPure,
  workPure,
} from '../../support/pure-run.ts';

export const TASK = 'A tool that renames photos by date';
export const GIT = { branch: 'main', head: 'a'.repeat(40) };

/** A state with every field set to something that is not its empty value where quick mode allows it. */
export const fullState: SpecState = {
  version: 2,
  skill: 'spec',
  task: TASK,
  slug: 'a-tool-that-renames-photos-by-date',
  mode: 'quick',
  model_config: null,
  user_lang: 'ko',
  has_git: true,
  phase: 'spec_ready',
  qa_round: 2,
  branch: 'baton/spec-a-tool-that-renames-photos-by-date',
  docs_path: 'docs/baton/a-tool-that-renames-photos-by-date/',
  cli_flags: { reference: 'docs/guide.md', reference_hash: hashOf('guide') },
  conventions: { artefact: hashOf('guide') },
  critic: null,
  created_at: '2026-11-15T10:00:00.000Z',
  updated_at: '2026-11-15T10:10:00.000Z',
  namespace: 'baton',
  in_place: false,
  unattended: false,
  lang_explicit: true,
  base: 'a'.repeat(40),
  overwrite: false,
  setup: null,
  convention_stage: null,
  round: null,
  asked: 4,
  unconfirmed: ['q2'],
  rounds_closed: 2,
  reopened: false,
  spec: { hash: hashOf('spec'), criteria: 3, code_in: ['scope'] },
  analyses: null,
  notes_only: false,
  critic_gate: null,
  findings_shown: [],
  revising: null,
  not_addressed: [],
  passes: 2,
  requests: 1,
  requests_shown: ['Name the time zone.'],
  approved: null,
  halted: null,
  ended: null,
};

/** A whole specification; passages named in `markers` rest on unconfirmed answers. */
export function specDoc(markers: readonly string[] = [], changes: Partial<SpecDoc> = {}): SpecDoc {
  return {
    goal: 'Photos get names that sort by the time they were taken.',
    background_decisions: [
      'The date comes from the picture itself.',
      ...markers.map((id) => `Open [unconfirmed ${id}]`),
    ],
    scope: ['Renaming files of one folder'],
    out_of_scope: ['Changing the pictures'],
    edge_cases: ['Two photos of one second get a counter.'],
    acceptance_criteria: [
      {
        id: 'AC-1',
        name: 'A photo gets its date',
        given: 'a folder with one photo',
        when: 'the tool runs',
        outcome: 'the file is named by its date',
      },
    ],
    risks: [{ text: 'Wrong camera clock', likelihood: 'med', mitigation: 'Show the new names first.' }],
    ...changes,
  };
}

export function stateOf(run: PureRun): SpecState {
  return run.state as unknown as SpecState;
}

export function withState(run: PureRun, changes: Partial<SpecState>): PureRun {
  const state = { ...run.state, ...changes };
  return { ...run, state, step: run.def.next(state), states: [...run.states, state] };
}

export const FREE = { taken: [], siblings: [], branch: null };

/** Quick unless said: `mode: null` asks. */
export function begin(input: Record<string, unknown> = {}, facts: Partial<StartFacts> = {}): PureRun {
  return startPure(specWorkflow, { task: TASK, mode: 'quick', ...input }, startFacts(facts));
}

/** Setup done, at the look for conventions. */
export function atConventions(input: Record<string, unknown> = {}, facts: Partial<StartFacts> = {}): PureRun {
  const run = begin(input, facts);
  const branch = facts.git ? { name: 'baton/spec-x', base: GIT.head } : null;
  return settlePure(run, { kind: 'queried', found: { ...FREE, branch } });
}

/** Conventions skipped without a gate, the interviewer at work. */
export function atInterview(input: Record<string, unknown> = {}, facts: Partial<StartFacts> = {}): PureRun {
  return settlePure(atConventions(input, facts), {
    kind: 'queried',
    found: { source: 'candidates', candidates: [], warnings: [] },
  });
}

export function questions(n: number, prefix = 'Question'): { questions: { text: string; why: string }[] } {
  return {
    questions: Array.from({ length: n }, (_, i) => ({ text: `${prefix} ${i + 1}?`, why: `reason ${i + 1}` })),
  };
}

/** The writer at work after one round whose answers are given by question id. */
export function atWriter(answers: Record<string, string | null> = { q1: 'JPEG' }, n = 1): PureRun {
  const asked = workPure(atInterview(), questions(n));
  const answered = answerPure(asked, 'answer', { fields: answers });
  return passPure(workPure(answered, { questions: [] }));
}

export function atApproval(answers: Record<string, string | null> = { q1: 'JPEG' }, n = 1): PureRun {
  const run = atWriter(answers, n);
  return workPure(run, specDoc(stateOf(run).unconfirmed));
}
