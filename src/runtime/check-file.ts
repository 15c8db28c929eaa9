import { open, rm, stat } from 'node:fs/promises';
import { failure } from '../engine/errors.ts';
import { errno, systemFailure } from '../engine/system-error.ts';

/** The start and the end of a file, and how many bytes were left out between them. */
export interface FileEnds {
  readonly head: string;
  readonly tail: string;
  /** 0: `head` contains the whole file. */
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
    // Removes the replacement characters of a character that was cut in two.
    const left_out = size - limits.head - limits.tail;
    return { head: head.replace(/\ufffd{1,3}$/, ''), tail: tail.replace(/^\ufffd{1,3}/, ''), left_out };
  });
}

/** Current size of a file in bytes. 0 if it does not exist. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}

export function removeFolder(folder: string): Promise<void> {
  return withIo(() => rm(folder, { recursive: true, force: true }));
}

/** Converts a system error such as a full disk or a lost folder to an AdapterError, because it is not a bug of ours. */
export async function withIo<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const code = errno(cause);
    if (code === null) throw cause;
    const isFull = systemFailure(cause)?.code === 'disk_full';
    throw failure(isFull ? 'disk_full' : 'io_failed', `output of a check: ${code}`, {
      retry: 'transient',
      cause,
    });
  }
}
