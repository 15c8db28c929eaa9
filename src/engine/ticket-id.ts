import type { RunId } from '../contract/ids.ts';
import type { Policy } from '../contract/run.ts';
import { type Rejection, reject } from './rejection.ts';

/** Maximum number of a ticket (CON-02). */
const HIGHEST = 2_147_483_647;
/** Default key of a project. */
const PLAIN_KEY = 'B';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KEYED = /^(?:([a-z][a-z0-9]*)-)?(\d+)$/i;

export type TicketName =
  | { readonly kind: 'id'; readonly id: RunId }
  | { readonly kind: 'uuid'; readonly uuid: string };

/** The prefix of the ids of new tickets. */
export function ticketKey({ ticket_key }: Pick<Policy, 'ticket_key'>): string {
  return ticket_key ?? PLAIN_KEY;
}

/** Parses `12`, `b-12` or a UUID (CON-02). It does not look anything up. */
export function parseTicketId(text: string, key: string): TicketName | Rejection {
  const typed = text.trim();
  if (UUID.test(typed)) return { kind: 'uuid', uuid: typed.toLowerCase() };
  const [, named, digits = ''] = KEYED.exec(typed) ?? [];
  const args = { ticket: typed, key, highest: HIGHEST };
  if (named !== undefined && named.toUpperCase() !== key.toUpperCase())
    return reject(
      'bad_ticket_id',
      { ...args, number: digits },
      { msg: 'engine.rejection.foreign_ticket_key' },
    );
  const number = Number(digits);
  if (digits === '' || number < 1 || number > HIGHEST) return reject('bad_ticket_id', args);
  return { kind: 'id', id: `${key}-${number}` };
}
