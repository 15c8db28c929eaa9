import type { RunId } from '../../../contract/ids.ts';
import type { OperationHost } from '../../../engine/operation-host.ts';
import { isRejection, type Rejection, reject } from '../../../engine/rejection.ts';
import { parseTicketId } from '../../../engine/ticket-id.ts';

/** Finds the ticket of a workflow that a person names by number, key and number, or UUID (CON-02). */
export async function findTicket(
  host: Pick<OperationHost, 'key' | 'workflowOf' | 'states'>,
  workflow: string,
  text: string,
): Promise<RunId | Rejection> {
  const named = parseTicketId(text, await host.key());
  if (isRejection(named)) return named;
  const found = named.kind === 'uuid' ? await withUuid(host, workflow, named.uuid) : await known(named.id);
  return found ?? reject('no_such_run', { ticket: text.trim() }, { msg: 'engine.rejection.no_such_ticket' });

  async function known(id: RunId): Promise<RunId | null> {
    return (await host.workflowOf(id)) === workflow ? id : null;
  }
}

async function withUuid(
  { states }: Pick<OperationHost, 'states'>,
  workflow: string,
  uuid: string,
): Promise<RunId | null> {
  const tickets = await states(workflow);
  return tickets.find(({ state }) => state.uuid === uuid)?.id ?? null;
}
