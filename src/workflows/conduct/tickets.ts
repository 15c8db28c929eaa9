import * as z from 'zod';
import type { RunStateRow } from '../../contract/change.ts';
import { ConductInput, ConductState } from '../../contract/conduct.ts';
import type { RunId } from '../../contract/ids.ts';
import { Label } from '../../contract/promised-write.ts';
import { TICKET_STATES } from '../../contract/ticket.ts';
import type { ChildRow, LeanTicket, ShownTicket, TicketRow } from '../../contract/ticket-views.ts';
import { renderBrief } from '../../engine/brief.ts';
import { cleanValue } from '../../engine/clean-text.ts';
import type { OperationHost, TicketOperations } from '../../engine/operation-host.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { findTicket as findIn } from '../kit/tickets/find-ticket.ts';
import { byNumber, compare, rankOf } from '../kit/tickets/order.ts';
import { awaitingOf, metaView, ticketRow } from './row.ts';

/** The fields of a new ticket that a person may set. `child` is reserved for the engine (CON-106). */
const NewTicket = ConductInput.omit({ child: true });

/** A ticket is a run of this workflow. */
const TICKETS = 'conduct';

export function findTicket(host: OperationHost, name: string): Promise<RunId | Rejection> {
  return findIn(host, TICKETS, name);
}

/** Creates a ticket in Captured with the next number and closes its drive. */
export async function createTicket(
  host: OperationHost,
  { fields, script = null }: Parameters<TicketOperations['createTicket']>[0],
): Promise<TicketRow | Rejection> {
  const clean = cleanValue(fields);
  const parsed = NewTicket.safeParse(clean);
  if (!parsed.success) return refuseInput(parsed.error, clean);
  const run = await host.create(TICKETS, parsed.data, script);
  return isRejection(run) ? run : wholeRow(host, run);
}

/** Loads one ticket, by any form of its name. */
export async function showTicket(
  host: OperationHost,
  name: string,
  { view = 'full', changed_paths }: NonNullable<Parameters<TicketOperations['ticket']>[1]> = {},
): Promise<ShownTicket | Rejection> {
  const run = await findTicket(host, name);
  if (isRejection(run)) return run;
  const row = await wholeRow(host, run, changed_paths);
  return isRejection(row) || view === 'full' ? row : metaView(row);
}

async function wholeRow(
  host: OperationHost,
  run: string,
  paths?: readonly string[],
): Promise<TicketRow | Rejection> {
  const loaded = await host.load(run);
  if (isRejection(loaded)) return loaded;
  const state = loaded.state as unknown as ConductState;
  // Rendered in English, as for the drive: the content shown is the content decided on.
  const content = state.brief ? renderBrief(state.brief.doc, await host.translator('en')) : '';
  const { created_at, updated_at } = loaded;
  return { ...ticketRow(state, content, paths), created_at, updated_at };
}

/** The brief that waits, with the field names of CON-63. */
export async function showBrief(
  host: OperationHost,
  name: string,
  lang?: string,
): Promise<Readonly<Record<string, unknown>> | null | Rejection> {
  const run = await findTicket(host, name);
  if (isRejection(run)) return run;
  const loaded = await host.load(run);
  if (isRejection(loaded)) return loaded;
  const { brief, pending, user_lang } = loaded.state as unknown as ConductState;
  if (!brief) return null;
  const { decision_ref } = brief;
  const t = await host.translator(lang ?? user_lang);
  const content = renderBrief(brief.doc, t, decision_ref ? { decisionRef: decision_ref } : {});
  // Always null: a resolved brief is in the records and no longer waits.
  const resolved = { resolved_command: null, resolved_detail: null, resolved_at: null };
  return { ...brief, task_id: run, status: 'active', content, pending_resolution: pending, ...resolved };
}

/** A query for tickets. All given filters must match. */
export const TicketQuery = z.strictObject({
  awaiting_human_input: z.boolean().optional(),
  stale: z.boolean().optional(),
  workflow_state: z.enum(TICKET_STATES).optional(),
  label: Label.optional(),
  parent: ConductState.shape.run.optional(),
  /** Archived tickets are hidden by default. */
  archived: z.boolean().default(false),
  sort_by: z.enum(['number', 'priority', 'waiting', 'updated']).default('number'),
  limit: z.int().min(1).max(500).default(50),
});
type TicketQuery = z.infer<typeof TicketQuery>;

/** Filters that only apply where tickets are conducted (CON-61). */
const LIFECYCLE = ['awaiting_human_input', 'stale', 'workflow_state'] as const;

export async function listTickets(
  host: OperationHost,
  input: unknown,
): Promise<readonly LeanTicket[] | Rejection> {
  const clean = cleanValue(input ?? {});
  const parsed = TicketQuery.safeParse(clean);
  if (!parsed.success) return refuseInput(parsed.error, clean);
  const query = parsed.data;
  const used = LIFECYCLE.filter((name) => query[name] !== undefined);
  const refused = used.length > 0 ? await refuseManual(host, used.join(', ')) : null;
  if (refused) return refused;
  const found = (await readTickets(host)).filter((one) => fits(one, query)).map(leanOf);
  return found.sort(ORDERS[query.sort_by]).slice(0, query.limit);
}

/** Refuses in a manual project: it has tickets, but they are not conducted (CON-10). */
export async function refuseManual(host: OperationHost, what: string): Promise<Rejection | null> {
  if ((await host.projectMode()) === 'opinionated') return null;
  return reject('wrong_moment', { what }, { msg: 'conduct.manual_project' });
}

export interface ReadTicket {
  readonly state: ConductState;
  readonly row: RunStateRow;
}

/** Every readable ticket, by number. */
export async function readTickets(host: OperationHost): Promise<ReadTicket[]> {
  const rows = await host.states(TICKETS);
  return rows.flatMap((row) => {
    const parsed = ConductState.safeParse(row.state);
    return parsed.success ? [{ state: parsed.data, row }] : [];
  });
}

function fits({ state, row }: ReadTicket, query: TicketQuery): boolean {
  const { awaiting_human_input: awaiting, stale, workflow_state, label, parent, archived } = query;
  const waits = row.status !== 'ended' && awaitingOf(state) !== null;
  return [
    awaiting === undefined || waits === awaiting,
    stale === undefined || (state.stale !== null) === stale,
    workflow_state === undefined || state.phase === workflow_state,
    label === undefined || state.labels.includes(label),
    parent === undefined || state.parent === parent,
    state.archived === archived,
  ].every(Boolean);
}

function leanOf({ state, row }: ReadTicket): LeanTicket {
  const awaiting = awaitingOf(state);
  return {
    id: state.run,
    title: state.title,
    workflow_state: state.phase,
    workflow_activity: state.activity,
    priority: state.priority,
    labels: state.labels,
    archived: state.archived,
    parent: state.parent,
    awaiting_human_input: awaiting !== null,
    awaiting_human_reason: awaiting?.reason ?? null,
    stale: state.stale !== null,
    waiting_since: row.waiting_since,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

const NEVER = '9999';
type Order = (a: LeanTicket, b: LeanTicket) => number;
const byWait: Order = (a, b) => compare(a.waiting_since ?? NEVER, b.waiting_since ?? NEVER) || byNumber(a, b);

const ORDERS: Readonly<Record<TicketQuery['sort_by'], Order>> = {
  number: byNumber,
  priority: (a, b) => rankOf(a) - rankOf(b) || byWait(a, b),
  waiting: byWait,
  updated: (a, b) => compare(b.updated_at, a.updated_at) || byNumber(a, b),
};

export async function childrenOf(
  host: OperationHost,
  name: string,
): Promise<readonly ChildRow[] | Rejection> {
  const run = await findTicket(host, name);
  if (isRejection(run)) return run;
  const loaded = await host.load(run);
  if (isRejection(loaded)) return loaded;
  const { children } = loaded.state as unknown as ConductState;
  return children.map(({ id, key, title, state, archived }) => ({
    id,
    key,
    title,
    workflow_state: state,
    archived,
  }));
}
