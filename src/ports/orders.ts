import type { Instant, RunId } from '../contract/ids.ts';
import type { HandIn } from '../contract/order.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { Profile } from '../engine/workflow.ts';

/** One attempt of a worker, published for an outside worker to take. */
export interface WorkOrder {
  readonly run: RunId;
  readonly turn: number;
  readonly role: string;
  readonly attempt: number;
  readonly prompt: string;
  readonly cwd: string;
  readonly profile: Profile;
  /** JSON Schema of the wanted result. */
  readonly schema: unknown;
  readonly deadline: Instant;
}

/** The token is returned only once, here. Its owner is the worker of this order until the lease expires. */
export interface TakenOrder {
  readonly token: string;
  readonly until: Instant;
  readonly order: WorkOrder;
}

/**
 * Open and taken work orders. A token belongs to one run, turn, role and attempt. `no_such_order` refuses an unknown
 * token, or one whose order is handed in or withdrawn. `order_expired` refuses a token whose lease is over.
 */
export interface Orders {
  /** Orders without a holder, oldest first. */
  open(): Promise<readonly { readonly id: string; readonly order: WorkOrder }[]>;
  /** If several workers take the same order, exactly one gets it. The others get null. */
  take(id: string, worker: string): Promise<TakenOrder | null>;
  /** Extends the lease, never beyond the order's deadline. */
  keep(token: string): Promise<{ readonly ok: true; readonly until: Instant } | Rejection>;
  /** An accepted result is stored. A second one is refused. */
  handIn(token: string, given: HandIn): Promise<{ readonly ok: true } | Rejection>;
  /** The order is open again immediately. */
  giveBack(token: string): Promise<{ readonly ok: true } | Rejection>;
  /** Withdraws the orders of a run that no process drives. A result that was handed in stays. */
  withdraw(run: RunId): Promise<void>;
}
