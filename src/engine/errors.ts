import type { Failure } from '../contract/outcome.ts';

/** A failure outside Baton. Only adapters throw it. The runtime records it as an outcome or opens a trouble gate. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(`${failure.code}: ${failure.detail}`, options);
    this.failure = failure;
  }
}

/** Builds the error of a stable code. It is `permanent` unless a retry could help. */
export function failure(
  code: string,
  detail: string,
  more: Partial<Pick<Failure, 'retry' | 'paths'>> & ErrorOptions = {},
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

/** A bug of Baton. Caught once in the outer loop. It halts that run with the stack and never ends other runs. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Any error thrown by a workflow's own code is a bug of Baton, not an outside failure. */
export function asBug<T>(run: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    throw new InvariantError(`${run}: ${String(error)}`, { cause: error });
  }
}
