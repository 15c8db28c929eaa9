import type { Failure } from '../contract/outcome.ts';

/** The world failed us. Thrown by adapters only; the runtime records it as an outcome or opens a trouble gate. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(`${failure.code}: ${failure.detail}`, options);
    this.failure = failure;
  }
}

/** Our own bug. Caught once in the outer loop; it halts that run with the stack and never ends the others. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Whatever a workflow's own code throws is our bug, not the world's. */
export function asBug<T>(run: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    throw new InvariantError(`${run}: ${String(error)}`, { cause: error });
  }
}
