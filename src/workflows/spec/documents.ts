import * as z from 'zod';
import type { SpecState } from '../../contract/spec.ts';
import { ANALYST_SECTIONS } from '../../contract/spec-analysis.ts';
import { Note, SpecDoc } from '../../contract/spec-work.ts';
import type { SlotRef } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { DocumentTable, Translate } from '../../engine/workflow.ts';
import { renderConventions } from '../kit/convention-document.ts';
import { renderAnalysis, renderFindings } from './analysis-document.ts';
import { say } from './messages.ts';
import { renderSpec } from './spec-markdown.ts';

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
