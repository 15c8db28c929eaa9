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
import type { BuiltinWords } from './builtin-messages.ts';
import { cut, parseJson, type Told } from './builtin-text.ts';
import type { ScoreAttempt } from './score-schema.ts';

type Part = (told: Told, words: BuiltinWords) => ScoreAttempt;

/** The parts of `conduct`, by role: they repeat the ticket and what people said, and invent nothing. */
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

function draft(words: BuiltinWords, result: object): ScoreAttempt {
  return { line: words.conduct.drafting, result };
}

type Matter = keyof BuiltinWords['conduct']['decide'];

function titleOf({ slots }: Told): string {
  const ticket = parseJson(slots.ticket ?? '') as { title?: unknown } | null;
  return cut(typeof ticket?.title === 'string' ? ticket.title : '', 150);
}

/** The first entry of the ledger, if there is one: a rehearsal rests on something real or says that it does not. */
function groundsOf({ slots }: Told): string[] {
  const entries = parseJson(slots.knowledge ?? '');
  const first = Array.isArray(entries) ? (entries[0] as { id?: unknown } | undefined) : undefined;
  return typeof first?.id === 'string' ? [first.id] : [];
}

function brief(told: Told, words: BuiltinWords, matter: Matter, sure = true): WorkerBrief {
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

function asking(told: Told, words: BuiltinWords, matter: Matter) {
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

function clarify(told: Told, words: BuiltinWords): Clarification {
  const criteria = [words.conduct.criterion(titleOf(told))];
  return { ...asking(told, words, 'clarify'), criteria, labels: [], deliverable: false };
}

function design(told: Told, words: BuiltinWords): Design {
  return { ...asking(told, words, 'design'), tracks: ['technical'] };
}

function plan(told: Told, words: BuiltinWords): TicketPlan {
  return { ...asking(told, words, 'plan'), checklist: [words.conduct.step(titleOf(told))] };
}

function verify(told: Told, words: BuiltinWords): Runbook {
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
