import type { Instant, RunId } from '../contract/ids.ts';
import type { HandIn } from '../contract/order.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { Profile } from '../engine/workflow.ts';

/** One attempt of a worker, put out for whoever takes it. */
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

/** The token is told once, here; whoever has it is the worker of this order until the lease runs out. */
export interface TakenOrder {
  readonly token: string;
  readonly until: Instant;
  readonly order: WorkOrder;
}

/**
 * Work orders that are out. A token belongs to one run, turn, role and attempt; `no_such_order` refuses a token that
 * was never given out or whose order is handed in or withdrawn, `order_expired` one whose lease is over.
 */
export interface Orders {
  /** Those that nobody holds, oldest first. */
  open(): Promise<readonly { readonly id: string; readonly order: WorkOrder }[]>;
  /** Of several that take the same order exactly one gets it; the others get null. */
  take(id: string, worker: string): Promise<TakenOrder | null>;
  /** Makes the lease last longer, never beyond the order's deadline. */
  keep(token: string): Promise<{ readonly ok: true; readonly until: Instant } | Rejection>;
  /** Once it is taken, the result is kept: a second one is refused. */
  handIn(token: string, given: HandIn): Promise<{ readonly ok: true } | Rejection>;
  /** The order is open again at once. */
  giveBack(token: string): Promise<{ readonly ok: true } | Rejection>;
  /** Takes back what is out for a run that nobody drives. A result that was handed in stays. */
  withdraw(run: RunId): Promise<void>;
}
