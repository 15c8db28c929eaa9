/** A line that a change adds, with its position in the changed file. */
export interface AddedLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Every line that a unified diff adds. Headers count only outside a hunk, because a file may contain such lines. */
export function addedLines(diff: string): AddedLine[] {
  const added: AddedLine[] = [];
  const at = { path: '', line: 0, before: 0, after: 0 };
  for (const text of diff.split('\n')) {
    if (at.before <= 0 && at.after <= 0) {
      Object.assign(at, header(text));
      continue;
    }
    const sign = text[0];
    if (sign === '+') added.push({ path: at.path, line: at.line, text: text.slice(1) });
    Object.assign(at, passed(at, sign));
  }
  return added;
}

/** A file or hunk header. Other lines between hunks are ignored. */
function header(text: string) {
  const hunk = HUNK.exec(text);
  if (hunk) return { before: Number(hunk[1] ?? 1), line: Number(hunk[2]), after: Number(hunk[3] ?? 1) };
  return text.startsWith('+++ ') ? { path: text.slice(4).replace(/^"?b\/|"?\t?$/g, '') } : {};
}

/** The rest of the hunk after a line with this sign. A backslash marks a remark of git. */
function passed({ line, before, after }: { line: number; before: number; after: number }, sign?: string) {
  if (sign === '\\') return {};
  if (sign === '-') return { before: before - 1 };
  if (sign === '+') return { line: line + 1, after: after - 1 };
  return { line: line + 1, before: before - 1, after: after - 1 };
}
