import type {
  Clarification,
  Decomposition,
  Design,
  ReleaseDraft,
  Runbook,
  StalePatch,
  TicketPlan,
  WorkerBrief,
} from '../../contract/conduct-work.ts';
import type { Judgement } from '../../contract/ticket.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut } from './builtin-text.ts';
import type { ScriptAttempt } from './script-schema.ts';

type Part = (told: BuiltinCall, words: BuiltinWords) => ScriptAttempt;

/** The parts of `conduct`, by role. They repeat the ticket and people's statements, and do not invent anything. */
export const CONDUCT_PARTS: Readonly<Record<string, Part>> = {
  clarify: (told, words) => draft(words, clarify(told, words)),
  decompose: (told, words) =>
    draft(words, { ...asking(told, words, 'decompose'), children: [] } satisfies Decomposition),
  design: (told, words) => draft(words, design(told, words)),
  plan: (told, words) => draft(words, plan(told, words)),
  stale_patch: (told, words) =>
    draft(words, { ...asking(told, words, 'patch'), decision: null, rework: null } satisfies StalePatch),
  release: (told, words) => draft(words, { brief: brief(told, words, 'release') } satisfies ReleaseDraft),
  verify: (told, words) => draft(words, verify(told, words)),
  escalate_judge: (_, words) =>
    draft(words, { worth: false, signals: [], why: words.disclaimer } satisfies Judgement),
};

function draft(words: BuiltinWords, result: object): ScriptAttempt {
  return { line: words.conduct.drafting, result };
}

type Matter = keyof BuiltinWords['conduct']['decide'];

function titleOf({ slots }: BuiltinCall): string {
  const ticket = parseJson(slots.ticket ?? '') as { title?: unknown } | null;
  return cut(typeof ticket?.title === 'string' ? ticket.title : '', 150);
}

/** The first entry of the ledger, if there is one. A rehearsal cites a real entry or says that it has none. */
function groundsOf({ slots }: BuiltinCall): string[] {
  const entries = parseJson(slots.knowledge ?? '');
  const first = Array.isArray(entries) ? (entries[0] as { id?: unknown } | undefined) : undefined;
  return typeof first?.id === 'string' ? [first.id] : [];
}

function brief(told: BuiltinCall, words: BuiltinWords, matter: Matter, sure = true): WorkerBrief {
  const { feedback = '', remark = '' } = told.slots;
  const said = [feedback, remark]
    .filter((text) => text.trim() !== '')
    .map((text) => words.requested(cut(text, 500)));
  return {
    decide: words.conduct.decide[matter](titleOf(told)),
    recommend: { text: words.conduct.recommend, confidence: sure ? 'medium' : 'low' },
    why: [words.disclaimer],
    alternatives: [],
    context: said,
    items: [],
    research: [],
    load_bearing_gap: null,
  };
}

function asking(told: BuiltinCall, words: BuiltinWords, matter: Matter) {
  const grounds = groundsOf(told);
  const known = grounds.length > 0;
  return {
    questions: [],
    brief: brief(told, words, matter, known),
    grounds,
    gap: known ? null : words.conduct.gap,
    related: [],
    reasoning: words.disclaimer,
    decision: {
      title: words.conduct.decided[matter](titleOf(told)),
      body: `${words.conduct.decided[matter](titleOf(told))}. ${words.disclaimer}`,
      domains: ['engineering' as const],
    },
  };
}

function clarify(told: BuiltinCall, words: BuiltinWords): Clarification {
  const criteria = [words.conduct.criterion(titleOf(told))];
  return { ...asking(told, words, 'clarify'), criteria, labels: [], deliverable: false };
}

function design(told: BuiltinCall, words: BuiltinWords): Design {
  return { ...asking(told, words, 'design'), tracks: ['technical'] };
}

function plan(told: BuiltinCall, words: BuiltinWords): TicketPlan {
  return { ...asking(told, words, 'plan'), checklist: [words.conduct.step(titleOf(told))] };
}

function verify(told: BuiltinCall, words: BuiltinWords): Runbook {
  const criteria = parseJson(told.slots.criteria ?? '');
  const ids = Array.isArray(criteria) ? criteria.map((one: { id?: unknown }) => String(one.id)) : [];
  const steps = ids.map((criterion) => ({
    criterion,
    do: words.conduct.look,
    expect: words.conduct.expect,
    unverifiable: false,
  }));
  return { brief: brief(told, words, 'verify'), steps };
}
