import type { DeliverState } from '../../../src/contract/deliver.ts';
import type { DeliverSpec, Evaluation } from '../../../src/contract/deliver-work.ts';
import type { WorkerCall } from '../../../src/contract/step.ts';

const criterion = (id: string) => ({
  id,
  name: `Criterion ${id}`,
  given: 'a project',
  when: 'the command runs with the flag',
  outcome: 'JSON is printed',
});

export function specDoc(
  ids: readonly string[] = ['AC-1', 'AC-2'],
  changes: Partial<DeliverSpec> = {},
): DeliverSpec {
  return {
    goal: 'The export can be read by programs.',
    background: ['The export prints text only.'],
    scope: { in: ['A flag for the export command'], out: ['Other formats'] },
    approach: ['One switch where the output is chosen.'],
    completion_criteria: ids.map(criterion),
    edge_cases: ['An empty export prints an empty list.'],
    testing_strategy: ['One test per criterion.'],
    risks: [
      {
        text: 'Consumers parse stdout',
        source: 'architecture',
        likelihood: 'low',
        impact: 'med',
        mitigation: 'Keep the default.',
      },
    ],
    ...changes,
  };
}

const proposal = (marker: string) => ({
  analysis: `analysis ${marker}`,
  approach: 'one switch',
  risks: ['a risk'],
  recommendations: ['a recommendation'],
});

const failureMode = (rank: number) => ({ rank, text: `mode ${rank}`, likelihood: 'low', impact: 'low' });

/** A whole passing checklist for the criteria and paths of a run; `changes` replaces parts of it. */
export function evaluation(state: DeliverState, changes: Partial<Evaluation> = {}): Evaluation {
  const ids = state.plan.spec?.criteria ?? [];
  const set = state.attempt.changes;
  const paths = set ? [...set.modified, ...set.created, ...set.deleted] : [];
  const good = { result: 'PASS', evidence: 'seen in src/export.ts' } as const;
  const refuted = (text: string) => ({ text, finding: 'refuted', evidence: 'handled in line 9' }) as const;
  return {
    criteria: ids.map((id) => ({
      id,
      met: 'YES',
      evidence: [{ file: 'src/export.ts', line: 7 }],
      note: 'there',
    })),
    files: paths.map((path) => ({ path, requirements: [ids[0] ?? 'AC-1'], note: '' })),
    tests: ids.map((id) => ({ criterion: id, test: `test of ${id}` })),
    risks: [],
    layer3: {
      completion: good,
      scope: good,
      bug_free: { ...good, hypotheses: [refuted('empty list'), refuted('broken pipe')] },
      consistency: good,
      minimal_changes: good,
    },
    verdict: 'PASS',
    summary: 'It does what was asked.',
    fix_instructions: [],
    ...changes,
  };
}

/** A checklist in which the first criterion is not met. */
export function failingL2(state: DeliverState): Evaluation {
  const whole = evaluation(state);
  const [first, ...rest] = whole.criteria;
  const unmet = {
    ...(first as Evaluation['criteria'][number]),
    met: 'NO' as const,
    evidence: [],
    note: 'no flag',
  };
  return {
    ...whole,
    criteria: [unmet, ...rest],
    layer3: null,
    verdict: 'FAIL_L2',
    fix_instructions: ['Add the flag.'],
  };
}

/** A checklist that holds, but not as a whole. */
export function failingL3(state: DeliverState): Evaluation {
  const whole = evaluation(state);
  const layer3 = whole.layer3 as NonNullable<Evaluation['layer3']>;
  const consistency = { result: 'FAIL', evidence: 'names differ from the rest' } as const;
  return {
    ...whole,
    layer3: { ...layer3, consistency },
    verdict: 'FAIL_L3',
    fix_instructions: ['Rename it.'],
  };
}

export const PATCH = [
  '--- a/src/export.ts',
  '+++ b/src/export.ts',
  '@@ -1,2 +1,2 @@',
  '-a',
  '+b',
  ' c',
  '',
].join('\n');
export const fix = (changes: Record<string, unknown> = {}) => ({
  confidence: 'High',
  diff: PATCH,
  rationale: 'The wrong column was read.',
  limitations: null,
  ...changes,
});

/** A valid result of each role, made for the state it works on. */
export function resultFor(state: DeliverState, call: Pick<WorkerCall, 'role'>): unknown {
  const results: Record<string, () => unknown> = {
    architect: () => proposal('of the architect'),
    senior_dev: () => proposal('of the senior developer'),
    qa_specialist: () => ({
      ...proposal('of the QA specialist'),
      failure_modes: [1, 2, 3, 4, 5].map(failureMode),
      boundaries: ['zero rows'],
      tests: ['an empty export'],
    }),
    cross_critique: () => ({ agreements: ['one switch'], disputes: [], gaps: [], recommendation: 'take it' }),
    planner_single: () => specDoc(),
    synthesis: () => specDoc(undefined, { goal: `Revision ${(state.plan.spec?.revision ?? 0) + 1}.` }),
    convention_scanner: () => ({ db: 'N/A', api: 'N/A', files: ['One noun per file.'], tests: 'N/A' }),
    lead_developer: () => ({
      steps: ['edit'],
      files: [{ path: 'src/export.ts', change: 'flag' }],
      integration: ['none'],
      risks: [],
    }),
    implementation: () => notes(state),
    generator_single: () => notes(state),
    auto_fix_proposer: () => fix(),
    evaluator: () => evaluation(state),
  };
  const review = () => ({ issues: [] });
  return (results[call.role] ?? review)();
}

function notes(state: DeliverState) {
  const summary = `Attempt ${state.attempt.attempts} of round ${state.round}.`;
  return { summary, changes: ['added the flag'], files: ['src/export.ts'], advice: [] };
}
