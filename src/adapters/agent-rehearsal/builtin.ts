import type { ScanResult } from '../../contract/conventions.ts';
import {
  ANALYST_SECTIONS,
  type Analysis,
  type AnalystRole,
  type CriticResult,
  NONE_DETECTED,
} from '../../contract/spec-analysis.ts';
import type { InterviewerResult, SpecDoc } from '../../contract/spec-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { CONDUCT_PARTS } from './builtin-conduct.ts';
import { DELIVER_PARTS, deliverSynthesis } from './builtin-deliver.ts';
import { type BuiltinWords, builtinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut, readNotes } from './builtin-text.ts';
import { write } from './builtin-write.ts';
import type { ScriptAttempt } from './script-schema.ts';

type Part = (told: BuiltinCall, words: BuiltinWords) => ScriptAttempt;

const PARTS: Readonly<Record<string, Part>> = {
  interviewer: (told, words) => ({ line: words.asking, result: ask(told, words) }),
  writer: (told, words) => ({ line: words.writing, result: write(told, words) }),
  ...analystParts(),
  synthesis: (told, words) =>
    deliverSynthesis(told, words) ?? { line: words.writing, result: synthesise(told, words) },
  critic: (told, words) => ({ line: words.reviewing, result: criticise(told, words) }),
  convention_scanner: (_, words) => ({ line: words.scanning, result: scan(words) }),
  ...DELIVER_PARTS,
  ...CONDUCT_PARTS,
};

/**
 * The attempt that is played without a script. It repeats the task and the answers, does not invent anything, and says
 * in every result that no model wrote it. Null for an unknown role. Equal calls give equal results.
 */
export function builtinAttempt(told: BuiltinCall): ScriptAttempt | null {
  const part = Object.hasOwn(PARTS, told.role) ? PARTS[told.role] : undefined;
  return part?.(told, builtinWords(told.lang)) ?? null;
}

function analystParts(): Readonly<Record<string, Part>> {
  const roles = Object.keys(ANALYST_SECTIONS) as AnalystRole[];
  return Object.fromEntries(
    roles.map((role): [string, Part] => [
      role,
      (told, words) => ({ line: words.analysing, result: analyse(role, told, words) }),
    ]),
  );
}

/** Three questions in the first round, none afterwards. */
function ask({ nth, slots }: BuiltinCall, words: BuiltinWords): InterviewerResult {
  if (nth > 1) return { questions: [] };
  const task = cut(slots.task?.replace(/\s+/g, ' '), 120);
  return {
    questions: words.questions.map(({ text, why }, index) => ({
      id: `q${index + 1}`,
      text: text(task),
      why: `${why}. ${words.disclaimer}`,
    })),
  };
}

function scan(words: BuiltinWords): ScanResult {
  return { db: 'N/A', api: 'N/A', files: [`${words.scanned} ${words.disclaimer}`], tests: 'N/A' };
}

/** One finding that repeats the task. If the role has a section for open answers, one finding for each of them. */
function analyse(role: AnalystRole, { slots }: BuiltinCall, words: BuiltinWords): Analysis {
  const task = cut(slots.task, 1000);
  const open = readNotes(slots.notes).filter((note) => note.answer === null || note.unconfirmed);
  const sections = Object.entries(ANALYST_SECTIONS[role]).map(([key, fields], index) => {
    const texts = key.startsWith('unconfirmed_')
      ? open.map((note) => `${note.id}: ${words.open(cut(note.question, 1000))}`)
      : index === 0
        ? [`${words.analysed(task)} ${words.disclaimer}`]
        : [];
    return [key, texts.length === 0 ? NONE_DETECTED : texts.map((text) => finding(text, fields, words))];
  });
  return { persona: role, has_findings: true, reason: null, sections: Object.fromEntries(sections) };
}

function finding(text: string, fields: readonly string[], words: BuiltinWords) {
  if (fields.length === 0) return text;
  const more = fields.map((field) => [field, field === 'severity' ? 'Minor' : words.detail]);
  return { text, ...Object.fromEntries(more) };
}

/** The writer's specification. A revision contains each finding as a decision that cites its id. */
function synthesise(told: BuiltinCall, words: BuiltinWords): SpecDoc {
  const doc = write(told, words);
  const resolved = readItems(told.slots.findings).map(
    ({ id, fix }) => `${words.resolved(cut(String(fix), 1000))} [${id}]`,
  );
  return { ...doc, background_decisions: [...doc.background_decisions, ...resolved] };
}

function readItems(slot: string | undefined): { id: string; fix: unknown }[] {
  const value = parseJson(slot ?? '') as { items?: unknown } | null;
  const items: unknown[] = Array.isArray(value?.items) ? value.items.slice(0, 50) : [];
  return items.filter(
    (item): item is { id: string; fix: unknown } => typeof (item as { id?: unknown } | null)?.id === 'string',
  );
}

/** One Major point in a first reading, none after the text cites it. So a demo shows exactly one revision. */
function criticise({ slots }: BuiltinCall, words: BuiltinWords): CriticResult {
  if (slots.spec?.includes('[M1]')) return { items: [] };
  const { title, issue, impact, fix } = words.objection;
  return {
    items: [{ id: 'M1', severity: 'Major', title, issue: `${issue} ${words.disclaimer}`, impact, fix }],
  };
}
