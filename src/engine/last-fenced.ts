const FENCE = /^(`{3,})(json)?[^\S\n]*$/;

/**
 * The content of the last block fenced as JSON. Undefined if there is none. One pass over the lines: a regular
 * expression would search to the end of the text again from every unclosed fence.
 */
export function lastFenced(text: string): string | undefined {
  const lines = text.split('\n');
  const open = new Map<string, number>();
  let found: readonly [number, number] | undefined;
  for (const [at, line] of lines.entries()) {
    const [, fence = '', json] = FENCE.exec(line) ?? [];
    const from = open.get(fence);
    if (json !== undefined && from === undefined) open.set(fence, at);
    if (json !== undefined || from === undefined || at < from + 2) continue;
    found = [from + 1, at];
    forget(open, from);
  }
  return found && lines.slice(...found).join('\n');
}

/** Fences opened inside the block that just ended can no longer be closed. */
function forget(open: Map<string, number>, from: number): void {
  for (const [fence, start] of open) if (start >= from) open.delete(fence);
}
