import type { RunId } from '../contract/ids.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Api } from './api.ts';
import type { ChildRow, ShownTicket } from './ticket-api.ts';

/** Adopts, creates and releases children. All named tickets are checked before the first write. */
export async function manageChildren(
  api: Api,
  name: string,
  { add = [], add_new = [], remove = [] }: Parameters<Api['manageChildren']>[1],
): Promise<readonly ChildRow[] | Rejection> {
  const parent = await api.ticket(name);
  if (isRejection(parent)) return parent;
  const known = await allOf(add, (one) => adoptable(api, parent.id, one));
  if (isRejection(known)) return known;
  const gone = await namedChildren(api, parent.id, remove);
  if (isRejection(gone)) return gone;
  const made = await allOf(add_new, (input) => api.createTicket({ fields: input }));
  if (isRejection(made)) return made;
  const taken = [...known, ...made].map(({ id, title, workflow_state: state }) => ({ id, title, state }));
  const orders = [
    ...taken.map((args) => ({ command: 'adopt', args })),
    ...gone.map((id) => ({ command: 'let_go', args: { id } })),
  ];
  const done = await allOf(orders, (order) => api.command({ run: parent.id, ...order }));
  return isRejection(done) ? done : api.children(parent.id);
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
async function adoptable(api: Api, parent: RunId, name: string): Promise<ShownTicket | Rejection> {
  const child = await api.ticket(name);
  if (isRejection(child)) return child;
  const { id, parent: has = null } = child;
  if (id === parent) return reject('bad_input', { field: 'child', id }, { msg: 'conduct.own_child' });
  if (has !== null && has !== parent)
    return reject('bad_input', { field: 'child', id, parent: has }, { msg: 'conduct.has_parent' });
  for (let above: RunId | null = parent; above !== null; ) {
    if (above === id) return reject('bad_input', { field: 'child', id, parent }, { msg: 'conduct.above' });
    const row: ShownTicket | Rejection = await api.ticket(above);
    above = isRejection(row) ? null : (row.parent ?? null);
  }
  return child;
}

async function namedChildren(
  api: Api,
  parent: RunId,
  names: readonly string[],
): Promise<readonly RunId[] | Rejection> {
  const children = await api.children(parent);
  if (isRejection(children)) return children;
  return allOf(names, async (name) => {
    const id = await api.findTicket(name);
    if (isRejection(id) || children.some((child) => child.id === id)) return id;
    return reject('bad_input', { field: 'child', id }, { msg: 'conduct.no_such_child' });
  });
}
