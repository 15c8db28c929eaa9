import type * as z from 'zod';
import {
  type AutoFixProposal,
  type ChangeNotes,
  type Critique,
  DeliverSpec,
  type Evaluation,
  type ImplementationPlan,
  type PlanReview,
  type Proposal,
  type QaProposal,
} from '../../contract/deliver-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { readCriteria } from './builtin-criteria.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut, readRequests } from './builtin-text.ts';
import { goalOf, rehearsalFile } from './rehearsal-file.ts';
import type { ScriptAttempt } from './script-schema.ts';

/** A proposal that repeats the task and says that no one thought about anything else. */
function propose({ slots }: BuiltinCall, words: BuiltinWords): Proposal {
  const { approach, risk, recommendation } = words.deliver;
  const analysis = `${words.analysed(cut(slots.task, 3000))} ${words.disclaimer}`;
  return { analysis, approach, risks: [risk], recommendations: [recommendation] };
}

const LEAST_FAILURE_MODES = 5;

/** The same with the required number of failure modes. Each says that no one thought about it. */
function proposeQa(told: BuiltinCall, words: BuiltinWords): z.infer<typeof QaProposal> {
  const failure_modes = Array.from({ length: LEAST_FAILURE_MODES }, (_, n) => ({
    rank: n + 1,
    text: words.deliver.failureMode(n + 1),
    likelihood: 'low' as const,
    impact: 'low' as const,
  }));
  return {
    ...propose(told, words),
    failure_modes,
    boundaries: [words.detail],
    tests: [words.deliver.testing],
  };
}

/** Does not agree or disagree with any proposal, because the proposals only repeat the task. */
function critique({ slots }: BuiltinCall, words: BuiltinWords): z.infer<typeof Critique> {
  const recommendation = `${words.deliver.critique(cut(slots.persona, 100))} ${words.disclaimer}`;
  return { agreements: [], disputes: [], gaps: [], recommendation };
}

/**
 * A specification that repeats the task, every criterion of an approved one and, in a revision, the requests. Text that
 * a person has already read stays unchanged.
 */
function plan({ slots }: BuiltinCall, words: BuiltinWords): DeliverSpec {
  const present = DeliverSpec.safeParse(parseJson(slots.present_spec ?? ''));
  const doc = present.success ? present.data : firstPlan(slots, words);
  const requests = readRequests(slots).map((request) => words.requested(request));
  const criteria = [...readCriteria(slots.approved_spec), ...doc.completion_criteria];
  return {
    ...doc,
    background: joined(doc.background, [words.disclaimer, ...requests]),
    scope: { ...doc.scope, in: joined(doc.scope.in, requests) },
    completion_criteria: [...new Map(criteria.map((one) => [one.id, one])).values()].slice(0, 100),
  };
}

function firstPlan(slots: BuiltinCall['slots'], words: BuiltinWords): DeliverSpec {
  const task = cut(slots.task, 3000);
  const { approach, testing, source, criterion } = words.deliver;
  const approved = readCriteria(slots.approved_spec);
  const own = { id: 'AC-1', ...criterion, outcome: criterion.outcome(task) };
  const risk = { text: words.rehearsalRisk, mitigation: words.rehearsalMitigation };
  return {
    goal: `${words.goal(task)}\n\n${words.disclaimer}`,
    background: [words.disclaimer],
    scope: { in: [words.inScope(task)], out: [words.outOfScope] },
    approach: [approach],
    completion_criteria: approved.length > 0 ? approved : [own],
    edge_cases: [words.edgeCase],
    testing_strategy: [testing],
    risks: [{ ...risk, source, likelihood: 'high', impact: 'high' }],
  };
}

/** Both lists without duplicates. If there are too many entries, the newest ones stay. */
function joined(list: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...list, ...more])].slice(-60);
}

type Part = (told: BuiltinCall, words: BuiltinWords) => ScriptAttempt;

const proposal: Part = (told, words) => ({
  line: words.deliver.lines.proposing,
  result: propose(told, words),
});
const specification: Part = (told, words) => ({ line: words.writing, result: plan(told, words) });
const advice: Part = (_, words) => ({ line: words.reviewing, result: review(words) });

/** The parts of `deliver`, by role. `synthesis` is a role of both workflows, so it is handled separately below. */
export const DELIVER_PARTS: Readonly<Record<string, Part>> = {
  architect: proposal,
  senior_dev: proposal,
  qa_specialist: (told, words) => ({
    line: words.deliver.lines.proposing,
    result: proposeQa(told, words),
  }),
  planner_single: specification,
  cross_critique: (told, words) => ({
    line: words.deliver.lines.critiquing,
    result: critique(told, words),
  }),
  lead_developer: (told, words) => ({ line: words.deliver.lines.planning, result: planFile(told, words) }),
  advisor_combined: advice,
  advisor_code_quality: advice,
  advisor_test_stability: advice,
  generator_single: build,
  implementation: build,
  auto_fix_proposer: (_, words) => ({ line: words.deliver.lines.fixing, result: proposeFix(words) }),
  evaluator: (told, words) => ({ line: words.deliver.lines.evaluating, result: evaluate(told, words) }),
};

/** The synthesis of `deliver`, or null for the one of `spec`. Only the former gets proposals. */
export function deliverSynthesis(told: BuiltinCall, words: BuiltinWords): ScriptAttempt | null {
  return Object.hasOwn(told.slots, 'proposal_architect') ? specification(told, words) : null;
}

/** The plan for the one file the built-in script writes. */
function planFile(told: BuiltinCall, words: BuiltinWords): z.infer<typeof ImplementationPlan> {
  const path = rehearsalFile(told);
  const { step, built, integration } = words.deliver;
  return {
    steps: [`${step(path)} ${words.disclaimer}`],
    files: [{ path, change: built(path) }],
    integration: [integration],
    risks: [],
  };
}

/** One minor point, that no one has read the plan, so that there is advice to decline. */
function review(words: BuiltinWords): z.infer<typeof PlanReview> {
  const { location, issue, suggestion } = words.deliver;
  return { issues: [{ severity: 'minor', location, issue: `${issue} ${words.disclaimer}`, suggestion }] };
}

/** One small edit with its notes. A repair does not edit. It only repeats the failure it was given. */
function build(told: BuiltinCall, words: BuiltinWords): ScriptAttempt {
  const { lines, built, served, repaired } = words.deliver;
  const failure = (told.slots.failure ?? '').trim();
  if (failure !== '') {
    const changes = [repaired(cut(failure, 2000))];
    return { line: lines.repairing, result: notes(told, words, { changes, files: [] }) };
  }
  const path = rehearsalFile(told);
  const ids = readCriteria(told.slots.spec).map(({ id }) => id);
  const changes = [built(path), ...(ids.length > 0 ? [cut(served(ids.join(', ')), 4000)] : [])];
  return {
    line: lines.building(path),
    edits: [{ path, content: fileText(told, words) }],
    result: notes(told, words, { changes, files: [path] }),
  };
}

function notes(
  { slots }: BuiltinCall,
  words: BuiltinWords,
  more: Pick<ChangeNotes, 'changes' | 'files'>,
): ChangeNotes {
  const reviews = Object.entries(slots).filter(([name]) => name.startsWith('review_'));
  const advice = reviews
    .flatMap(([, text]) => suggestionsIn(text))
    .map((text) => ({ advice: text, decision: 'declined' as const, reason: words.deliver.declined }));
  return { summary: `${more.changes[0]} ${words.disclaimer}`, ...more, advice: advice.slice(0, 100) };
}

function suggestionsIn(review: string): string[] {
  const issues = (parseJson(review) as { issues?: unknown } | null)?.issues;
  if (!Array.isArray(issues)) return [];
  return issues.map((issue: { suggestion?: unknown } | null) => cut(String(issue?.suggestion ?? ''), 4000));
}

/** The text of the file. Its first line says that no model wrote it. */
function fileText(told: BuiltinCall, words: BuiltinWords): string {
  const criteria = readCriteria(told.slots.spec).map(({ id, name }) => `- ${id}: ${name}`);
  const list = criteria.length === 0 ? [] : [`## ${words.deliver.criteria}`, criteria.join('\n')];
  return `${[`# ${words.disclaimer}`, cut(goalOf(told), 20_000), ...list].join('\n\n')}\n`;
}

/** Proposes no patch, because a patch without any thought would only do harm. */
function proposeFix(words: BuiltinWords): AutoFixProposal {
  const rationale = `${words.deliver.noPatch} ${words.disclaimer}`;
  return { confidence: 'Unknown', diff: '', rationale, limitations: null };
}

/**
 * Fills the whole checklist from the slots alone. Every criterion is met in the first line of the file that the
 * built-in script wrote, or else of the first changed path. If nothing was changed, no criterion is met.
 */
function evaluate(told: BuiltinCall, words: BuiltinWords): Evaluation {
  const { deliver, disclaimer } = words;
  const found = readCriteria(told.slots.spec).map(({ id }) => id);
  const ids = found.length > 0 ? found : ['AC-1'];
  const paths = (told.slots.changed_paths ?? '').split('\n').filter((path) => path.trim() !== '');
  const own = rehearsalFile(told);
  const file = paths.includes(own) ? own : paths[0];
  return {
    criteria: ids.map((id) => ({ id, ...metAt(file, words) })),
    files: paths.map((path) => ({ path, requirements: ids, note: deliver.notJudged })),
    tests: ids.map((criterion) => ({ criterion, test: null })),
    risks: [],
    layer3: file === undefined ? null : unread(words),
    verdict: file === undefined ? 'FAIL_L2' : 'PASS',
    summary: `${file === undefined ? deliver.failed : deliver.passed} ${disclaimer}`,
    fix_instructions: file === undefined ? [deliver.changeSomething] : [],
  };
}

function metAt(
  file: string | undefined,
  { deliver }: BuiltinWords,
): Omit<Evaluation['criteria'][number], 'id'> {
  if (file === undefined) return { met: 'NO', evidence: [], note: deliver.nothingSeen };
  return { met: 'YES', evidence: [{ file, line: 1 }], note: deliver.seen };
}

function unread({ deliver }: BuiltinWords): NonNullable<Evaluation['layer3']> {
  const passed = { result: 'PASS', evidence: deliver.notJudged } as const;
  const hypotheses = [1, 2].map((n) => ({
    text: deliver.hypothesis(n),
    finding: 'refuted' as const,
    evidence: deliver.notJudged,
  }));
  return {
    completion: passed,
    scope: passed,
    bug_free: { ...passed, hypotheses },
    consistency: passed,
    minimal_changes: passed,
  };
}
