import type { SpecDoc } from '../../contract/spec-work.ts';

/** Unconfirmed questions that no passage marks (SP-32). */
export function unreferenced(doc: SpecDoc, unconfirmed: readonly string[]): string[] {
  const text = textOf(doc);
  return unconfirmed.filter((id) => !text.includes(`[unconfirmed ${id}]`));
}

/** Findings that no passage cites. A citation is the id in brackets, `[M1]` (SP-42). */
export function uncited(doc: SpecDoc, ids: readonly string[]): string[] {
  const text = textOf(doc);
  return ids.filter((id) => !text.includes(`[${id}]`));
}

/** Parts that hold a fenced code block (SP-33). They are shown to the person and are never a reason to reject. */
export function partsWithCode(doc: SpecDoc): string[] {
  const parts = passages(doc).flatMap(([part, passage]) => (FENCE.test(passage) ? [part] : []));
  return [...new Set(parts)];
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/m;

function textOf(doc: SpecDoc): string {
  return passages(doc)
    .map(([, passage]) => passage)
    .join('\n');
}

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
