import { build, planFile, proposeFix, review } from './builtin-build.ts';
import { evaluate } from './builtin-evaluate.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { critique, plan, propose, proposeQa } from './builtin-plan.ts';
import type { BuiltinCall } from './builtin-text.ts';
import type { ScriptAttempt } from './script-schema.ts';

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
