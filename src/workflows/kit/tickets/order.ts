import { PRIORITIES } from '../../../contract/ticket.ts';
import type { LeanTicket, Waiting } from '../../../contract/ticket-views.ts';

/** Orders by meaning, not by text: high, medium, low (S10). */
export function rankOf({ priority }: Pick<LeanTicket, 'priority'>): number {
  return PRIORITIES.indexOf(priority);
}

export function byNumber(a: Pick<LeanTicket, 'id'>, b: Pick<LeanTicket, 'id'>): number {
  return numberOf(a) - numberOf(b);
}

function numberOf({ id }: Pick<LeanTicket, 'id'>): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

/** Compares instants as text, which sorts by time. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** By priority, then by longest waiting time, then by number (S10). */
export function byUrgency(a: Waiting, b: Waiting): number {
  return rankOf(a) - rankOf(b) || compare(a.since, b.since) || byNumber(a, b);
}
