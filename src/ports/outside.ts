import type { Keep, PreparedOp } from './workspace.ts';

/**
 * A place outside the tree that is written to: a tracker, a deployment. Without `lookup` a write that may have
 * happened before a crash is asked about, never repeated by itself.
 */
export interface Outside {
  perform(op: PreparedOp, keep: Keep): Promise<unknown>;
  /** The result of a write that did happen, null when it did not, `unknown` when nobody can tell: then it is asked. */
  lookup?(op: PreparedOp): Promise<unknown | null | 'unknown'>;
}
