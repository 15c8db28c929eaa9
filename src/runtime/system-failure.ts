import { AdapterError } from '../engine/errors.ts';

const CODES: Readonly<Record<string, string>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'store_read_only',
  EACCES: 'store_read_only',
  EPERM: 'store_read_only',
};

/**
 * Converts an error of the system to an AdapterError, also if the system refused a file operation of our own. Null for
 * any other error, which is a bug of ours.
 */
export function toAdapterError(error: unknown): AdapterError | null {
  if (error instanceof AdapterError) return error;
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  const code = CODES[String(error.code)] ?? 'io_failed';
  return new AdapterError({ code, retry: 'transient', detail: error.message }, { cause: error });
}
