/** Said at the end of a line that was longer than allowed. */
export const CUT_MARK = ' [cut: the line was too long]';

const NEWLINE = 0x0a;

/** Makes lines out of chunks of bytes. Never holds more than `max` bytes of one line; the surplus is dropped. */
export interface LineCutter {
  push(chunk: Buffer): string[];
  /** The line the last newline did not end, or null when there is none. */
  rest(): string | null;
}

export function createLineCutter(max: number): LineCutter {
  let parts: Buffer[] = [];
  let size = 0;
  let cut = false;
  const add = (piece: Buffer) => {
    const room = max - size;
    cut ||= piece.length > room;
    // A copy: the reader fills the same buffer again.
    if (room > 0) parts.push(Buffer.from(piece.subarray(0, room)));
    size += Math.min(piece.length, room);
  };
  const take = () => {
    const line = Buffer.concat(parts).toString('utf8') + (cut ? CUT_MARK : '');
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
