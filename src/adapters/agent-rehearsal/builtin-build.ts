import type * as z from 'zod';
import type {
  AutoFixProposal,
  ChangeNotes,
  ImplementationPlan,
  PlanReview,
} from '../../contract/deliver-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { readCriteria } from './builtin-criteria.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut } from './builtin-text.ts';
import { goalOf, rehearsalFile } from './rehearsal-file.ts';
import type { ScriptAttempt } from './script-schema.ts';

/** The plan for the one file the built-in script writes. */
export function planFile(told: BuiltinCall, words: BuiltinWords): z.infer<typeof ImplementationPlan> {
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
export function review(words: BuiltinWords): z.infer<typeof PlanReview> {
  const { location, issue, suggestion } = words.deliver;
  return { issues: [{ severity: 'minor', location, issue: `${issue} ${words.disclaimer}`, suggestion }] };
}

/** One small edit with its notes. A repair does not edit. It only repeats the failure it was given. */
export function build(told: BuiltinCall, words: BuiltinWords): ScriptAttempt {
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
export function proposeFix(words: BuiltinWords): AutoFixProposal {
  const rationale = `${words.deliver.noPatch} ${words.disclaimer}`;
  return { confidence: 'Unknown', diff: '', rationale, limitations: null };
}
