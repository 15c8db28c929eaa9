import {
  ANALYST_SECTIONS,
  type Analysis,
  type AnalystRole,
  type CriticResult,
  NONE_DETECTED,
} from '../../contract/spec-analysis.ts';
import type { SpecDoc } from '../../contract/spec-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut, readNotes } from './builtin-text.ts';
import { write } from './builtin-write.ts';

/** One finding that repeats the task. If the role has a section for open answers, one finding for each of them. */
export function analyse(role: AnalystRole, { slots }: BuiltinCall, words: BuiltinWords): Analysis {
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
export function synthesise(told: BuiltinCall, words: BuiltinWords): SpecDoc {
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
export function criticise({ slots }: BuiltinCall, words: BuiltinWords): CriticResult {
  if (slots.spec?.includes('[M1]')) return { items: [] };
  const { title, issue, impact, fix } = words.objection;
  return {
    items: [{ id: 'M1', severity: 'Major', title, issue: `${issue} ${words.disclaimer}`, impact, fix }],
  };
}
