import type { RunId } from '../contract/ids.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { parseTicketId, ticketKey } from '../engine/ticket-id.ts';
import type { Deps } from './deps.ts';

/** A ticket is a run of this workflow. */
const TICKETS = 'conduct';

/** Finds the ticket that a person names by number, key and number, or UUID (CON-02). */
export async function findTicket(deps: Deps, text: string): Promise<RunId | Rejection> {
  const named = parseTicketId(text, ticketKey(await deps.policy()));
  if (isRejection(named)) return named;
  const found = named.kind === 'uuid' ? await withUuid(deps, named.uuid) : await ticket(deps, named.id);
  return found ?? reject('no_such_run', { ticket: text.trim() }, { msg: 'engine.rejection.no_such_ticket' });
}

async function ticket(deps: Deps, id: RunId): Promise<RunId | null> {
  return (await deps.store.load(id))?.workflow === TICKETS ? id : null;
}

async function withUuid(deps: Deps, uuid: string): Promise<RunId | null> {
  const tickets = await deps.store.states(TICKETS);
  return tickets.find(({ state }) => state.uuid === uuid)?.id ?? null;
}
