/** Appended to a line that was longer than allowed. */
export const CUT_SIGN = ' [cut: the line was too long]';

const NEWLINE = 0x0a;

/** Splits chunks of bytes into lines. It holds at most `max` bytes of one line and drops the surplus. */
export interface LineCutter {
  push(chunk: Buffer): string[];
  /** The text after the last newline, or null if there is none. */
  rest(): string | null;
}

export function createLineCutter(max: number): LineCutter {
  let parts: Buffer[] = [];
  let size = 0;
  let cut = false;
  const add = (piece: Buffer) => {
    const room = max - size;
    cut ||= piece.length > room;
    // Copied, because the reader reuses the buffer.
    if (room > 0) parts.push(Buffer.from(piece.subarray(0, room)));
    size += Math.min(piece.length, room);
  };
  const take = () => {
    const line = Buffer.concat(parts).toString('utf8') + (cut ? CUT_SIGN : '');
    parts = [];
    size = 0;
    cut = false;
    return line;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      add(chunk.subarray(from));
      return lines;
    },
    rest: () => (size > 0 ? take() : null),
  };
}
