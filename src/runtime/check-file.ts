import { open, rm, stat } from 'node:fs/promises';
import { AdapterError } from '../engine/errors.ts';

/** The two ends of a file, and how many bytes lie between them. */
export interface FileEnds {
  readonly head: string;
  readonly tail: string;
  /** 0: head and tail are the whole file. */
  readonly left_out: number;
}

/** Reads a file of any size with bounded memory: at most `head` bytes from its start and `tail` from its end. */
export function readEnds(
  file: string,
  limits: { readonly head: number; readonly tail: number },
): Promise<FileEnds> {
  return withIo(async () => {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const whole = size <= limits.head + limits.tail;
    const part = async (from: number, length: number) => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    if (whole) return { head: (await part(0, size)).toString('utf8'), tail: '', left_out: 0 };
    const head = (await part(0, limits.head)).toString('utf8');
    const tail = (await part(size - limits.tail, limits.tail)).toString('utf8');
    // A character cut in two at the seam is no character of the output.
    const left_out = size - limits.head - limits.tail;
    return { head: head.replace(/\ufffd{1,3}$/, ''), tail: tail.replace(/^\ufffd{1,3}/, ''), left_out };
  });
}

/** Bytes of a file now; 0 when it is not there. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}

export function removeFolder(folder: string): Promise<void> {
  return withIo(() => rm(folder, { recursive: true, force: true }));
}

/** A full disk or a lost folder is the world's failure, not our bug. */
export async function withIo<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
    if (code === undefined) throw cause;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    const detail = `output of a check: ${code}`;
    throw new AdapterError({ code: full ? 'disk_full' : 'io_failed', retry: 'transient', detail }, { cause });
  }
}
