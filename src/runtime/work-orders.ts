import { HandIn } from '../contract/order.ts';
import { cleanText } from '../engine/clean-text.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { TakenOrder, WorkOrder } from '../ports/orders.ts';
import type { Deps } from './deps.ts';
import type { OrderFilter } from './views.ts';

const LONGEST_NAME = 100;

/** Takes the oldest order that fits and whose run still waits for it. Null if there is none. */
export async function takeOrder(
  deps: Deps,
  worker: string,
  options: OrderFilter,
): Promise<TakenOrder | null> {
  const orders = await deps.orders();
  const name = cleanText(worker).slice(0, LONGEST_NAME);
  for (const { id, order } of await orders.open()) {
    if (!fits(order, options) || !(await isWanted(deps, order))) continue;
    const taken = await orders.take(id, name);
    if (taken) return taken;
  }
  return null;
}

function fits(order: WorkOrder, { run = order.run, role = order.role }: OrderFilter): boolean {
  return order.run === run && order.role === role;
}

/** False if the run was stopped or has continued without a drive, which could not withdraw its orders. */
async function isWanted({ store }: Deps, { run, turn }: WorkOrder): Promise<boolean> {
  const row = await store.load(run);
  return row?.status === 'working' && row.turn === turn;
}

/** Checks only the shape here. The value is checked like every worker's result when the attempt is read. */
export async function handIn(deps: Deps, token: string, given: unknown): Promise<{ ok: true } | Rejection> {
  const parsed = HandIn.safeParse(given);
  return parsed.success ? (await deps.orders()).handIn(token, parsed.data) : refuseInput(parsed.error, given);
}
