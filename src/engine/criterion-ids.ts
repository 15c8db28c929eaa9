/** An id such as `AC-1` at the beginning of a heading, a list item or a table row. */
const ID =
  /^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d+[.)][ \t]+|\|[ \t]*)[*_`]*([A-Z][A-Z0-9]{0,9}-\d{1,5})\b/gm;
const FENCED = /^[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?^[ \t]*\1[^\n]*$/gm;

/** Ids of the acceptance criteria in a specification written by hand, in the order they stand, each once. */
export function criterionIds(markdown: string): string[] {
  const text = markdown.replaceAll('\r\n', '\n').replace(FENCED, '');
  return [...new Set([...text.matchAll(ID)].map(([, id]) => id ?? ''))];
}
