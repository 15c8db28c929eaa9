/** An id such as `AC-1` at the start of a heading, a list item or a table row. */
const ID =
  /^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d+[.)][ \t]+|\|[ \t]*)[*_`]*([A-Z][A-Z0-9]{0,9}-\d{1,5})\b/gm;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/** Unique ids of the acceptance criteria in a hand-written specification, in the order of the text. */
export function criterionIds(markdown: string): string[] {
  const text = outsideFences(markdown.replaceAll('\r\n', '\n').split('\n')).join('\n');
  return [...new Set([...text.matchAll(ID)].map(([, id]) => id ?? ''))];
}

/** Removes fenced blocks. An unclosed fence removes nothing. */
function outsideFences(lines: readonly string[]): string[] {
  const fences = lines.map((line) => FENCE.exec(line)?.[1] ?? '');
  let closed = -1;
  return lines.filter((_, at) => {
    const fence = fences[at] ?? '';
    if (at > closed && fence !== '') {
      let end = at + 1;
      while (end < lines.length && !fences[end]?.startsWith(fence)) end += 1;
      if (end < lines.length) closed = end;
    }
    return at > closed;
  });
}
