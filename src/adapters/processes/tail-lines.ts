import { watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const POLL_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/** Limits on reading a worker's output, in bytes: of one line, and in total. */
interface TailLimits {
  readonly line: number;
  readonly total: number;
}

const TAIL_LIMITS: TailLimits = { line: 1024 * 1024, total: 64 * 1024 * 1024 };

/**
 * Yields the lines of a file while another process writes it. Ends when `exited` has settled and the file is read to
 * its end. The last line counts even without a newline. A line over the limit is cut and says so. After `limits.total`
 * bytes it yields nothing more, but still ends only with the process.
 */
export async function* tailLines(
  file: string,
  exited: Promise<unknown>,
  limits: TailLimits = TAIL_LIMITS,
): AsyncGenerator<string, void, undefined> {
  const handle = await open(file, 'r');
  const bell = hangBell(file, exited);
  try {
    const reader = { handle, cutter: createLineCutter(limits.line), left: limits.total };
    for (;;) {
      // Checked before reading, so that everything written before the exit is in the file.
      const over = bell.isOver();
      yield* readToEnd(reader);
      if (over) break;
      await bell.next();
    }
    const rest = reader.cutter.rest();
    if (rest !== null && reader.left > 0) yield rest;
  } finally {
    bell.remove();
    await handle.close();
  }
}

async function* readToEnd(reader: { handle: FileHandle; cutter: LineCutter; left: number }) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  while (reader.left > 0) {
    const { bytesRead } = await reader.handle.read(buffer, 0, Math.min(CHUNK_BYTES, reader.left));
    if (bytesRead === 0) return;
    reader.left -= bytesRead;
    yield* reader.cutter.push(buffer.subarray(0, bytesRead));
  }
}

/**
 * Rings when the file may have grown or the process has ended. A timer replaces file watching where that does not work.
 */
function hangBell(file: string, exited: Promise<unknown>) {
  let over = false;
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  const end = () => {
    over = true;
    ring();
  };
  exited.then(end, end);
  const timer = setInterval(ring, POLL_MS);
  const removeWatch = tryWatch(file, ring);
  return {
    isOver: () => over,
    async next() {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (rung) resolve();
      });
      rung = false;
    },
    remove() {
      clearInterval(timer);
      removeWatch();
    },
  };
}

function tryWatch(file: string, ring: () => void): () => void {
  try {
    const watcher = watch(file, { persistent: false }, ring);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

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
