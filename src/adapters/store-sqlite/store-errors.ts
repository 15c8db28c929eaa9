import { statfsSync } from 'node:fs';
import type { Failure } from '../../contract/outcome.ts';
import { AdapterError, failure, InvariantError } from '../../engine/errors.ts';
import { systemFailure } from '../../engine/system-error.ts';

type Kind = Pick<Failure, 'code' | 'retry'>;

const FULL: Kind = { code: 'disk_full', retry: 'transient' };
const READ_ONLY: Kind = { code: 'store_read_only', retry: 'permanent' };
const BUSY: Kind = { code: 'store_busy', retry: 'transient' };
const CORRUPT: Kind = { code: 'store_corrupt', retry: 'permanent' };

/** Primary result codes of SQLite that the environment causes. All others mean wrong statements or data of ours. */
const BY_RESULT: Readonly<Record<number, Kind>> = {
  5: BUSY,
  6: BUSY,
  8: READ_ONLY,
  10: { code: 'store_io', retry: 'transient' },
  11: CORRUPT,
  13: FULL,
  14: { code: 'store_io', retry: 'permanent' },
  26: CORRUPT,
};

/**
 * With less free space than this, a failed write is reported as a full disk: growing the shared index fails as plain
 * I/O.
 */
const LITTLE_SPACE = 64 * 1024;

interface SqliteError extends Error {
  readonly errcode: number;
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/**
 * Converts an error of SQLite or the file system: caused by the environment (AdapterError) or by our bug
 * (InvariantError).
 */
export function toStoreError(error: unknown, dir: string): unknown {
  if (error instanceof AdapterError || error instanceof InvariantError || !(error instanceof Error))
    return error;
  if (isSqliteError(error)) return fromSqlite(error, dir);
  if ('syscall' in error && 'code' in error) {
    const { code, retry } = systemFailure(error) ?? { code: 'store_io', retry: 'permanent' };
    return failure(code, error.message, { retry, cause: error });
  }
  return error;
}

function fromSqlite(error: SqliteError, dir: string): Error {
  const kind = BY_RESULT[error.errcode & 0xff];
  const detail = `${error.message} (SQLite result ${error.errcode})`;
  if (!kind) return new InvariantError(`the store refused a statement: ${detail}`, { cause: error });
  const told = kind.code === 'store_io' && hasLittleSpace(dir) ? FULL : kind;
  const named = kind === CORRUPT ? `${dir}/baton.db: ${detail}` : detail;
  return failure(told.code, named, { retry: told.retry, cause: error });
}

function hasLittleSpace(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize < LITTLE_SPACE;
  } catch {
    // Only the wording of an error that is thrown anyway depends on it.
    return false;
  }
}
