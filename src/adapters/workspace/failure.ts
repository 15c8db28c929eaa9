import type { Failure } from '../../contract/outcome.ts';
import { AdapterError } from '../../engine/errors.ts';

/** Builds the error of a stable code; `permanent` unless asking again could help. */
export function failure(
  code: string,
  detail: string,
  more: Partial<Failure> & ErrorOptions = {},
): AdapterError {
  const { cause, retry = 'permanent', paths } = more;
  return new AdapterError(
    { code, retry, detail, ...(paths && { paths }) },
    cause === undefined ? {} : { cause },
  );
}

/** A write that would leave the run's own folder or branch; `rule` names what was broken. Nothing is written. */
export function guardRefused(rule: string, target: string): AdapterError {
  return failure('guard_refused', `${target}: refused by rule ${rule}`);
}

/** The system's own error code (`ENOENT`, ...), or null for an error that is not the system's. */
export function errno(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Runs a file operation; an error of the system becomes an AdapterError, everything else passes unchanged. */
export async function withIo<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const code = errno(error);
    if (code === null) throw error;
    if (FULL.has(code)) throw failure('disk_full', `${what}: ${code}`, { retry: 'transient', cause: error });
    throw failure('io_failed', `${what}: ${code}`, { cause: error });
  }
}
