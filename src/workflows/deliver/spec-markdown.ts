import type { DeliverSpec } from '../../contract/deliver-work.ts';
import type { Translate } from '../../engine/workflow.ts';
import { bullet, bullets, page, plain } from './markdown-parts.ts';
import { type DeliverMessageId, say } from './messages.ts';

/** The specification as people read it: translated headings, ids and enum values as they are. */
export function renderDeliverSpec(doc: DeliverSpec, t: Translate): string {
  const word = (id: DeliverMessageId) => t(say(id));
  const field = (id: DeliverMessageId, text: string) => bullet(`**${word(id)}**: ${text}`);
  const list = (texts: readonly string[]) => bullets(texts, '-');
  const criteria = doc.completion_criteria.map(({ id, name, given, when, outcome }) =>
    [
      `### ${id}: ${name}\n`,
      field('deliver.doc.given', given),
      field('deliver.doc.when', when),
      field('deliver.doc.outcome', outcome),
    ].join('\n'),
  );
  const risks = doc.risks.map(({ text, source, likelihood, impact, mitigation }, n) =>
    [
      `### ${n + 1}\n`,
      field('deliver.doc.risk', text),
      field('deliver.doc.source', source),
      field('deliver.doc.likelihood', likelihood),
      field('deliver.doc.impact', impact),
      field('deliver.doc.mitigation', mitigation),
    ].join('\n'),
  );
  return page([
    `# ${word('deliver.doc.spec')}`,
    `## ${word('deliver.doc.goal')}`,
    plain(doc.goal),
    `## ${word('deliver.doc.background')}`,
    list(doc.background),
    `## ${word('deliver.doc.scope_in')}`,
    list(doc.scope.in),
    `## ${word('deliver.doc.scope_out')}`,
    list(doc.scope.out),
    `## ${word('deliver.doc.approach')}`,
    list(doc.approach),
    `## ${word('deliver.doc.criteria')}`,
    ...criteria,
    `## ${word('deliver.doc.edge_cases')}`,
    list(doc.edge_cases),
    `## ${word('deliver.doc.testing')}`,
    list(doc.testing_strategy),
    `## ${word('deliver.doc.risks')}`,
    ...risks,
  ]);
}
