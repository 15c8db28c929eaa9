import type { RunId } from '../../contract/ids.ts';
import type { ChildRow, ShownTicket } from '../../contract/ticket-views.ts';
import type { OperationHost, TicketOperations } from '../../engine/operation-host.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { childrenOf, createTicket, findTicket, showTicket } from './tickets.ts';

/** Adopts, creates and releases children. All named tickets are checked before the first write. */
export async function manageChildren(
  host: OperationHost,
  name: string,
  { add = [], add_new = [], remove = [] }: Parameters<TicketOperations['manageChildren']>[1],
): Promise<readonly ChildRow[] | Rejection> {
  const parent = await showTicket(host, name);
  if (isRejection(parent)) return parent;
  const known = await allOf(add, (one) => adoptable(host, parent.id, one));
  if (isRejection(known)) return known;
  const gone = await namedChildren(host, parent.id, remove);
  if (isRejection(gone)) return gone;
  const made = await allOf(add_new, (input) => createTicket(host, { fields: input }));
  if (isRejection(made)) return made;
  const taken = [...known, ...made].map(({ id, title, workflow_state: state }) => ({ id, title, state }));
  const orders = [
    ...taken.map((args) => ({ command: 'adopt', args })),
    ...gone.map((id) => ({ command: 'let_go', args: { id } })),
  ];
  const done = await allOf(orders, (order) => host.command({ run: parent.id, ...order }));
  return isRejection(done) ? done : childrenOf(host, parent.id);
}

/** Runs one after the other. Stops at the first refusal. */
async function allOf<I, O>(
  items: readonly I[],
  each: (item: I) => Promise<O | Rejection>,
): Promise<O[] | Rejection> {
  const done: O[] = [];
  for (const item of items) {
    const result = await each(item);
    if (isRejection(result)) return result;
    done.push(result);
  }
  return done;
}

/** Checks that the ticket has no other parent and is not an ancestor of its new parent. */
async function adoptable(host: OperationHost, parent: RunId, name: string): Promise<ShownTicket | Rejection> {
  const child = await showTicket(host, name);
  if (isRejection(child)) return child;
  const { id, parent: has = null } = child;
  if (id === parent) return reject('bad_input', { field: 'child', id }, { msg: 'conduct.own_child' });
  if (has !== null && has !== parent)
    return reject('bad_input', { field: 'child', id, parent: has }, { msg: 'conduct.has_parent' });
  for (let above: RunId | null = parent; above !== null; ) {
    if (above === id) return reject('bad_input', { field: 'child', id, parent }, { msg: 'conduct.above' });
    const row: ShownTicket | Rejection = await showTicket(host, above);
    above = isRejection(row) ? null : (row.parent ?? null);
  }
  return child;
}

async function namedChildren(
  host: OperationHost,
  parent: RunId,
  names: readonly string[],
): Promise<readonly RunId[] | Rejection> {
  const children = await childrenOf(host, parent);
  if (isRejection(children)) return children;
  return allOf(names, async (name) => {
    const id = await findTicket(host, name);
    if (isRejection(id) || children.some((child) => child.id === id)) return id;
    return reject('bad_input', { field: 'child', id }, { msg: 'conduct.no_such_child' });
  });
}
