import { watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createLineCutter, type LineCutter } from './line-cutter.ts';

const POLL_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/** How much of a worker's output is read: bytes of one line, bytes of all of it. */
interface TailLimits {
  readonly line: number;
  readonly total: number;
}

const TAIL_LIMITS: TailLimits = { line: 1024 * 1024, total: 64 * 1024 * 1024 };

/**
 * Lines of a file another process writes, as they come. Ends when `exited` has settled and the file is read; the last
 * line counts even without a newline. A line over the limit is cut and says so; after `limits.total` bytes nothing
 * more is yielded, and the end still comes only with the process.
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
      // Asked before reading: what was written before the end is then in the file.
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

/** Rings when the file may have grown or the process has ended. A timer stands in where watching does not work. */
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
