import type { Failure } from '../../contract/outcome.ts';
import { AdapterError } from '../../engine/errors.ts';

/** Builds the error of a stable code. It is `permanent` unless a retry could help. */
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

/** The error for a write outside the run's own folder or branch. `rule` names the broken rule. Nothing is written. */
export function guardRefused(rule: string, target: string): AdapterError {
  return failure('guard_refused', `${target}: refused by rule ${rule}`);
}

/** The error code of the operating system (`ENOENT`, ...), or null for any other error. */
export function errno(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Runs a file operation. An error of the system becomes an AdapterError. Any other error passes unchanged. */
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
