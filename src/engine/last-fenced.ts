const FENCE = /^(`{3,})(json)?[^\S\n]*$/;

/**
 * What stands in the last block fenced as JSON; undefined without one. One pass over the lines: an expression over the
 * whole text would look to its end again from every fence that nothing closes.
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

/** What was opened inside the block that has just ended closes nothing any more. */
function forget(open: Map<string, number>, from: number): void {
  for (const [fence, start] of open) if (start >= from) open.delete(fence);
}
