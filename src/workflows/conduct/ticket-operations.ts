import type { OperationHost, TicketOperations } from '../../engine/operation-host.ts';
import { manageChildren } from './subtasks.ts';
import { nextTicket, readQueue } from './ticket-queue.ts';
import { readStats } from './ticket-stats.ts';
import { childrenOf, createTicket, findTicket, listTickets, showBrief, showTicket } from './tickets.ts';

/** Tickets for a surface. */
export function ticketOperations(host: OperationHost): TicketOperations {
  return {
    findTicket: (name) => findTicket(host, name),
    createTicket: (input) => createTicket(host, input),
    ticket: (name, look) => showTicket(host, name, look),
    brief: (name, lang) => showBrief(host, name, lang),
    tickets: (query) => listTickets(host, query),
    queue: () => readQueue(host),
    nextTicket: () => nextTicket(host),
    children: (name) => childrenOf(host, name),
    manageChildren: (name, change) => manageChildren(host, name, change),
    stats: () => readStats(host),
  };
}
