import type * as z from 'zod';
import { type Critique, DeliverSpec, type Proposal, type QaProposal } from '../../contract/deliver-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { readCriteria } from './builtin-criteria.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut, readRequests } from './builtin-text.ts';

/** A proposal that repeats the task and says that no one thought about anything else. */
export function propose({ slots }: BuiltinCall, words: BuiltinWords): Proposal {
  const { approach, risk, recommendation } = words.deliver;
  const analysis = `${words.analysed(cut(slots.task, 3000))} ${words.disclaimer}`;
  return { analysis, approach, risks: [risk], recommendations: [recommendation] };
}

const LEAST_FAILURE_MODES = 5;

/** The same with the required number of failure modes. Each says that no one thought about it. */
export function proposeQa(told: BuiltinCall, words: BuiltinWords): z.infer<typeof QaProposal> {
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
export function critique({ slots }: BuiltinCall, words: BuiltinWords): z.infer<typeof Critique> {
  const recommendation = `${words.deliver.critique(cut(slots.persona, 100))} ${words.disclaimer}`;
  return { agreements: [], disputes: [], gaps: [], recommendation };
}

/**
 * A specification that repeats the task, every criterion of an approved one and, in a revision, the requests. Text that
 * a person has already read stays unchanged.
 */
export function plan({ slots }: BuiltinCall, words: BuiltinWords): DeliverSpec {
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
