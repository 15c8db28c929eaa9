import { watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createLineCutter, type LineCutter } from './line-cutter.ts';

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
