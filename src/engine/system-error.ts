import type { Failure } from '../contract/outcome.ts';

const FULL = { code: 'disk_full', retry: 'transient' } as const;
const READ_ONLY = { code: 'store_read_only', retry: 'permanent' } as const;

/** Error codes of the operating system that mean the same in every layer. */
const KINDS: Readonly<Record<string, Pick<Failure, 'code' | 'retry'>>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READ_ONLY,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
};

/** The error code of the operating system (`ENOENT`, ...), or null for any other error. */
export function errno(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/**
 * For `catch`: the value if the system refused the operation with one of these codes, or with any code if none is given.
 * Other errors are thrown again.
 */
export function orElse<T>(value: T, ...codes: readonly string[]): (error: unknown) => T {
  return (error) => {
    const code = errno(error);
    if (code === null || (codes.length > 0 && !codes.includes(code))) throw error;
    return value;
  };
}

/** The failure that a code of the operating system stands for: a full disk or a missing right to write. */
export function systemFailure(error: unknown): Pick<Failure, 'code' | 'retry'> | null {
  return KINDS[errno(error) ?? ''] ?? null;
}
