import type { Gate } from '../../contract/gate.ts';
import { AWAITING_REASONS } from '../../contract/ticket.ts';
import type { NextTicket, Queue, Waiting } from '../../contract/ticket-views.ts';
import type { OperationHost } from '../../engine/operation-host.ts';
import type { Rejection } from '../../engine/rejection.ts';
import { byUrgency } from '../kit/tickets/order.ts';
import { awaitingOf } from './row.ts';
import { type ReadTicket, readTickets, refuseManual } from './tickets.ts';

const REASONS = [...AWAITING_REASONS, 'trouble'] as const;

/**
 * Tickets that wait for a person, and stale tickets in a separate list. Each ticket is listed once. Only reads
 * (CON-102).
 */
export async function readQueue(host: OperationHost): Promise<Queue | Rejection> {
  const refused = await refuseManual(host, 'queue');
  if (refused) return refused;
  const waiting = await waitingTickets(host, await readTickets(host));
  const groups = REASONS.map((reason) => ({
    reason,
    tickets: waiting.filter((one) => !one.stale && one.ticket.reason === reason).map(({ ticket }) => ticket),
  }));
  return {
    groups: groups.filter(({ tickets }) => tickets.length > 0),
    stale: waiting.filter(({ stale }) => stale).map(({ ticket }) => ticket),
  };
}

/**
 * The most urgent ticket of the queue. If the queue is empty, the most urgent captured ticket, with the question
 * whether it is worth doing. The query does not promote any ticket.
 */
export async function nextTicket(host: OperationHost): Promise<NextTicket | null | Rejection> {
  const refused = await refuseManual(host, 'next');
  if (refused) return refused;
  const tickets = await readTickets(host);
  const [first] = await waitingTickets(host, tickets);
  const captured = tickets.filter(({ state }) => state.phase === 'Captured' && !state.archived);
  const [fresh] = captured.map((one) => waitingOf(one, one.row.created_at)).sort(byUrgency);
  const ticket = first?.ticket ?? fresh;
  return ticket ? { ask: askOf(ticket), ticket } : null;
}

function askOf({ workflow_state, reason }: Waiting): NextTicket['ask'] {
  if (workflow_state === 'Captured') return 'triage';
  return reason === null ? 'patch' : 'answer';
}

interface InQueue {
  readonly ticket: Waiting;
  readonly stale: boolean;
}

async function waitingTickets(host: OperationHost, tickets: readonly ReadTicket[]): Promise<InQueue[]> {
  const gates = new Map((await host.gates()).map(({ gate }) => [gate.run, gate]));
  const live = tickets.filter(({ state, row }) => row.status !== 'ended' && !state.archived);
  const found = await Promise.all(
    live.map(async (one): Promise<InQueue[]> => {
      const { state, row } = one;
      const gate = gates.get(state.run);
      const stale = state.stale !== null && state.phase !== 'Parked';
      if (!gate && !stale) return [];
      const since = gate ? (row.waiting_since ?? row.updated_at) : await staleSince(host, one);
      const decide = gate ? await decideOf(host, gate, state.user_lang) : null;
      const reason = gate ? (awaitingOf(state)?.reason ?? 'trouble') : null;
      return [{ ticket: { ...waitingOf(one, since), reason, decide }, stale }];
    }),
  );
  return found.flat().sort((a, b) => byUrgency(a.ticket, b.ticket));
}

function waitingOf({ state }: ReadTicket, since: string): Waiting {
  const { run: id, title, phase: workflow_state, priority, brief } = state;
  return {
    id,
    title,
    workflow_state,
    priority,
    reason: null,
    decide: null,
    track: brief?.track ?? null,
    since,
  };
}

async function decideOf(host: OperationHost, { brief }: Gate, lang: string): Promise<string> {
  return (await host.translator(lang))(brief.decide);
}

/** The time at which the decision it depends on was superseded. */
async function staleSince({ records }: OperationHost, { row }: ReadTicket): Promise<string> {
  const told = await records(row.id, 'entry', 'stale');
  return told.at(-1)?.at ?? row.updated_at;
}
