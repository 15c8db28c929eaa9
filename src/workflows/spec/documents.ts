import * as z from 'zod';
import { Note, SpecDoc } from '../../contract/spec.ts';
import type { DocumentTable, Translate } from '../../engine/workflow.ts';
import { renderConventions } from '../common/convention-document.ts';
import { say } from './messages.ts';
import { renderSpec } from './spec-markdown.ts';

/** The documents of a run: the specification from its artefact, the notes from their entries. */
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
  conventions: { file: 'conventions.md', render: renderConventions },
} as const satisfies DocumentTable;

/** Question and answer pairs in the order they were asked; an open one says so instead of an answer. */
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
