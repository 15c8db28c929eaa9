import type { PreparedOp, StoreText } from './workspace.ts';

/**
 * A target of writes outside the tree: a tracker, a deployment. Without `lookup`, a write that may have happened
 * before a crash leads to a question to the person. It is never repeated automatically.
 */
export interface Outside {
  perform(op: PreparedOp, keep: StoreText): Promise<unknown>;
  /** The result if the write happened, null if it did not. `unknown`: not known, so a person is asked. */
  lookup?(op: PreparedOp): Promise<unknown | null | 'unknown'>;
}
