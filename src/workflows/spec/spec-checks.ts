import type { SpecDoc } from '../../contract/spec.ts';

/** Unconfirmed questions no passage is marked with (SP-32). */
export function unreferenced(doc: SpecDoc, unconfirmed: readonly string[]): string[] {
  const text = passages(doc)
    .map(([, passage]) => passage)
    .join('\n');
  return unconfirmed.filter((id) => !text.includes(`[unconfirmed ${id}]`));
}

/** Parts that hold a fenced code block (SP-33): shown to the person, never a reason to refuse. */
export function partsWithCode(doc: SpecDoc): string[] {
  const parts = passages(doc).flatMap(([part, passage]) => (FENCE.test(passage) ? [part] : []));
  return [...new Set(parts)];
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/m;

function passages(doc: SpecDoc): (readonly [keyof SpecDoc, string])[] {
  return [
    ['goal', doc.goal],
    ...LISTS.flatMap((part) => doc[part].map((text) => [part, text] as const)),
    ...doc.acceptance_criteria.flatMap(({ name, given, when, outcome }) =>
      [name, given, when, outcome].map((text) => ['acceptance_criteria', text] as const),
    ),
    ...doc.risks.flatMap(({ text, mitigation }) =>
      [text, mitigation].map((passage) => ['risks', passage] as const),
    ),
  ];
}

/** The parts that are plain lists, in the order they are read. */
export const LISTS = ['background_decisions', 'scope', 'out_of_scope', 'edge_cases'] as const;
