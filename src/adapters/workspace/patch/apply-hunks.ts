import type { Hunk } from './parse-patch.ts';

export type Applied =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly hunk: number };

interface Text {
  readonly lines: readonly string[];
  /** The last line has no line end. */
  readonly open: boolean;
}

/**
 * Applies the blocks of one file exactly. The old lines of a block must be at their position, or at the nearest other
 * position after the block before it. Applies all blocks or none. A file whose line ends are all CRLF keeps them. Pure.
 */
export function applyHunks(old: string, hunks: readonly Hunk[]): Applied {
  const ends = old.includes('\r\n') && !/(?<!\r)\n/.test(old) ? '\r\n' : '\n';
  const source = split(old, ends);
  const out: string[] = [];
  let taken = 0;
  let open = source.open;
  for (const [n, hunk] of hunks.entries()) {
    const before = side(hunk, '+', ends);
    const at = location(source, hunk, before, taken);
    if (at === null) return { ok: false, hunk: n + 1 };
    out.push(...source.lines.slice(taken, at), ...side(hunk, '-', ends));
    taken = at + before.length;
    if (taken === source.lines.length && reachesEnd(hunk, source)) open = hunk.newOpen;
  }
  out.push(...source.lines.slice(taken));
  return { ok: true, text: join(out, ends, open) };
}

function split(text: string, ends: string): Text {
  if (text === '') return { lines: [], open: false };
  const lines = text.split(ends);
  const open = lines.at(-1) !== '';
  return { lines: open ? lines : lines.slice(0, -1), open };
}

function join(lines: readonly string[], ends: string, open: boolean): string {
  return lines.length === 0 ? '' : lines.join(ends) + (open ? '' : ends);
}

/** The lines of one side of a block: all lines except those with the sign of the other side. */
function side(hunk: Hunk, without: '+' | '-', ends: string): string[] {
  const lines = hunk.lines.filter(({ sign }) => sign !== without).map(({ text }) => text);
  return ends === '\n' ? lines : lines.map((line) => line.replace(/\r$/, ''));
}

/** A block that touches the end of the old text decides whether the new text ends with a line end. */
function reachesEnd(hunk: Hunk, source: Text): boolean {
  return hunk.oldOpen || hunk.newOpen || hunk.lines.at(-1)?.sign !== ' ' || !source.open;
}

function location(source: Text, hunk: Hunk, before: readonly string[], from: number): number | null {
  const wanted = before.length === 0 ? hunk.start : hunk.start - 1;
  const last = source.lines.length - before.length;
  const fits = (at: number) =>
    at >= from &&
    at <= last &&
    before.every((line, n) => source.lines[at + n] === line) &&
    (!hunk.oldOpen || (at === last && source.open));
  if (before.length === 0) return fits(wanted) ? wanted : null;
  for (let off = 0; off <= Math.max(source.lines.length, wanted); off += 1) {
    if (fits(wanted - off)) return wanted - off;
    if (fits(wanted + off)) return wanted + off;
  }
  return null;
}
