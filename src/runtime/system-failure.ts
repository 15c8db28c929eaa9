import { AdapterError, failure } from '../engine/errors.ts';
import { systemFailure } from '../engine/system-error.ts';

/**
 * Converts an error of the system to an AdapterError, also if the system refused a file operation of our own. Null for
 * any other error, which is a bug of ours.
 */
export function toAdapterError(error: unknown): AdapterError | null {
  if (error instanceof AdapterError) return error;
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  const { code } = systemFailure(error) ?? { code: 'io_failed' };
  return failure(code, error.message, { retry: 'transient', cause: error });
}
