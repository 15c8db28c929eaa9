import * as z from 'zod';
import type { SpecState } from '../../contract/spec.ts';
import {
  ANALYST_SECTIONS,
  type Analysis,
  type AnalystRole,
  analysisSchema,
  type CriticItem,
  CriticResult,
  NONE_DETECTED,
  type SectionKey,
} from '../../contract/spec-analysis.ts';
import { Note, SpecDoc } from '../../contract/spec-work.ts';
import type { SlotRef } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { DocumentTable, Translate } from '../../engine/workflow.ts';
import { renderConventions } from '../kit/convention-document.ts';
import { say } from './messages.ts';
import { renderSpec } from './spec-markdown.ts';

/** An analysis as people read it. A text that is not an analysis is shown as it came. */
function renderAnalysis(source: unknown, t: Translate): string {
  const text = source as string;
  const analysis = readAnalysis(text);
  if (!analysis) return text;
  const sections = Object.entries(analysis.sections).map(([key, found]) => {
    const heading = `## ${t(say(`spec.section.${key as SectionKey}`))}`;
    if (found === NONE_DETECTED) return `${heading}\n\n${NONE_DETECTED}`;
    return `${heading}\n\n${found.map((one) => bullet(findingText(one))).join('\n')}`;
  });
  const title = `# ${t(say(`spec.analyst.${analysis.persona as AnalystRole}`))}`;
  const empty = analysis.reason && !analysis.has_findings ? [analysis.reason] : [];
  return `${[title, ...empty, ...sections].join('\n\n')}\n`;
}

function readAnalysis(text: string): Analysis | null {
  const value = parseJson(text);
  for (const [role, sections] of Object.entries(ANALYST_SECTIONS)) {
    const parsed = analysisSchema(role, sections).safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}

function findingText(finding: string | Readonly<Record<string, string>>): string {
  if (typeof finding === 'string') return finding;
  const { text = '', ...more } = finding;
  const extra = Object.entries(more).map(([key, value]) => `${key}: ${value}`);
  return `${text} (${extra.join('; ')})`;
}

const FIELDS = ['issue', 'impact', 'fix'] as const;

/**
 * The critic's findings as people read them. Ids and severity words stay English. A text that cannot be parsed stays as
 * it came.
 */
export function renderFindings(source: unknown, t: Translate): string {
  const text = source as string;
  const parsed = CriticResult.safeParse(parseJson(text));
  if (!parsed.success) return text;
  const { items } = parsed.data;
  const blocks = items.map((item) => renderItem(item, t));
  const none = items.length === 0 ? [t(say('spec.findings.none'))] : [];
  return `${[`# ${t(say('spec.findings.title'))}`, ...none, ...blocks].join('\n\n')}\n`;
}

function renderItem(item: CriticItem, t: Translate): string {
  const lines = FIELDS.map((field) => bullet(`**${t(say(`spec.findings.${field}`))}**: ${item[field]}`));
  return `## ${item.id} (${item.severity}): ${item.title.replace(/\s*\n\s*/g, ' ')}\n\n${lines.join('\n')}`;
}

/** Later lines are indented, so a text cannot begin an item or a heading. */
function bullet(text: string): string {
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

/** The documents a run leaves behind. The notes come from their entries, the others from artefacts. */
export const specDocuments = {
  spec: {
    file: 'spec.md',
    render: (source, t) => renderSpec(SpecDoc.parse(JSON.parse(source as string)), t),
  },
  qa_notes: {
    file: 'qa_notes.md',
    entries: 'note',
    render: (source, t) => renderNotes(z.array(Note).parse(source), t),
  },
  critic_findings: { file: 'critic_findings.md', render: renderFindings },
  conventions: { file: 'conventions.md', render: renderConventions },
} as const satisfies DocumentTable;

/** Analyses are read from the run's record and never written to the project, so they have no file. */
export const analysisDocuments: DocumentTable = Object.fromEntries(
  Object.keys(ANALYST_SECTIONS).map((role) => [role, { file: '', render: renderAnalysis }]),
);

type DocumentName = keyof typeof specDocuments;

/** Documents written after approval: the specification and the notes always, the others if they exist (SP-55). */
export function documentSources({ spec, critic, conventions }: SpecState): [DocumentName, SlotRef][] {
  if (!spec) throw new InvariantError('an approved run without a specification');
  const findings = critic?.last_findings_path ?? null;
  const found: [DocumentName, SlotRef | null][] = [
    ['spec', { artefact: spec.hash }],
    ['qa_notes', { records: 'note' }],
    ['critic_findings', findings ? { artefact: findings } : null],
    ['conventions', conventions === 'skipped' ? null : conventions],
  ];
  return found.flatMap(([name, source]) => (source ? [[name, source]] : []));
}

/** Question and answer pairs in the order they were asked. An open question shows a mark instead of an answer. */
function renderNotes(notes: readonly Note[], t: Translate): string {
  const open = `[${t(say('spec.doc.unconfirmed'))}]`;
  const pairs = notes.map(({ id, round, question, why, answer }) =>
    [
      `## ${t(say('spec.doc.note', { id, round }))}`,
      `**${t(say('spec.doc.question'))}**: ${question}`,
      `**${t(say('spec.doc.why'))}**: ${why}`,
      `**${t(say('spec.doc.answer'))}**: ${answer ?? open}`,
    ].join('\n\n'),
  );
  return `${[`# ${t(say('spec.doc.notes'))}`, ...pairs].join('\n\n')}\n`;
}
