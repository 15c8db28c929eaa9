import * as z from 'zod';
import { ConductInput, ConductState } from '../contract/conduct.ts';
import { Label } from '../contract/promised-write.ts';
import { PRIORITIES, TICKET_STATES } from '../contract/ticket.ts';
import { renderBrief } from '../engine/brief.ts';
import { cleanValue } from '../engine/clean-text.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { RunStateRow } from '../ports/store.ts';
import { awaitingOf, metaView, ticketRow } from '../workflows/conduct/row.ts';
import type { Deps } from './deps.ts';
import { findTicket } from './find-ticket.ts';
import type { Service } from './live.ts';
import { loadRun } from './load.ts';
import { readMode } from './settings.ts';
import { startRun } from './start-run.ts';
import type { ChildRow, LeanTicket, ShownTicket, TicketReads, TicketRow } from './ticket-api.ts';
import { createTranslator } from './translate.ts';

/** The fields of a new ticket that a person may set. `child` is reserved for the engine (CON-106). */
const NewTicket = ConductInput.omit({ child: true });

/** Creates a ticket in Captured with the next number and closes its drive. */
export async function createTicket(
  service: Service,
  input: unknown,
  by: string,
  script: string | null = null,
): Promise<TicketRow | Rejection> {
  const clean = cleanValue(input);
  const parsed = NewTicket.safeParse(clean);
  if (!parsed.success) return refuseInput(parsed.error, clean);
  const drive = await startRun(service, 'conduct', parsed.data, {
    agent: null,
    script,
    in_place: false,
    unattended: false,
    opened_by: by,
    attended: false,
  });
  if (isRejection(drive)) return drive;
  await drive.close();
  return wholeRow(service.deps, drive.run);
}

/** Loads one ticket, by any form of its name. */
export async function showTicket(
  deps: Deps,
  name: string,
  { view = 'full', changed_paths }: NonNullable<Parameters<TicketReads['ticket']>[1]> = {},
): Promise<ShownTicket | Rejection> {
  const run = await findTicket(deps, name);
  if (isRejection(run)) return run;
  const row = await wholeRow(deps, run, changed_paths);
  return isRejection(row) || view === 'full' ? row : metaView(row);
}

async function wholeRow(deps: Deps, run: string, paths?: readonly string[]): Promise<TicketRow | Rejection> {
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded)) return loaded;
  const { at } = loaded;
  const state = at.run.state as unknown as ConductState;
  // Rendered in English, as for the drive: the content shown is the content decided on.
  const content = state.brief ? renderBrief(state.brief.doc, createTranslator(deps.texts, 'en')) : '';
  const { created_at, updated_at } = at.run;
  return { ...ticketRow(state, content, paths), created_at, updated_at };
}

/** The brief that waits, with the field names of CON-63. */
export async function showBrief(
  deps: Deps,
  name: string,
  lang?: string,
): Promise<Readonly<Record<string, unknown>> | null | Rejection> {
  const run = await findTicket(deps, name);
  if (isRejection(run)) return run;
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded)) return loaded;
  const { brief, pending, user_lang } = loaded.at.run.state as unknown as ConductState;
  if (!brief) return null;
  const { decision_ref } = brief;
  const t = createTranslator(deps.texts, lang ?? user_lang);
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

export async function listTickets(deps: Deps, input: unknown): Promise<readonly LeanTicket[] | Rejection> {
  const clean = cleanValue(input ?? {});
  const parsed = TicketQuery.safeParse(clean);
  if (!parsed.success) return refuseInput(parsed.error, clean);
  const query = parsed.data;
  const used = LIFECYCLE.filter((name) => query[name] !== undefined);
  const refused = used.length > 0 ? await refuseManual(deps, used.join(', ')) : null;
  if (refused) return refused;
  const found = (await readTickets(deps)).filter((one) => fits(one, query)).map(leanOf);
  return found.sort(ORDERS[query.sort_by]).slice(0, query.limit);
}

/** Refuses in a manual project: it has tickets, but they are not conducted (CON-10). */
export async function refuseManual(deps: Deps, what: string): Promise<Rejection | null> {
  if ((await readMode(deps)) === 'opinionated') return null;
  return reject('wrong_moment', { what }, { msg: 'conduct.manual_project' });
}

export interface ReadTicket {
  readonly state: ConductState;
  readonly row: RunStateRow;
}

/** Every readable ticket, by number. */
export async function readTickets(deps: Deps): Promise<ReadTicket[]> {
  const rows = await deps.store.states('conduct');
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

/** Orders by meaning, not by text: high, medium, low (S10). */
export function rankOf({ priority }: Pick<LeanTicket, 'priority'>): number {
  return PRIORITIES.indexOf(priority);
}

export function numberOf({ id }: Pick<LeanTicket, 'id'>): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

const NEVER = '9999';
type Order = (a: LeanTicket, b: LeanTicket) => number;
const byNumber: Order = (a, b) => numberOf(a) - numberOf(b);
const byWait: Order = (a, b) => compare(a.waiting_since ?? NEVER, b.waiting_since ?? NEVER) || byNumber(a, b);

const ORDERS: Readonly<Record<TicketQuery['sort_by'], Order>> = {
  number: byNumber,
  priority: (a, b) => rankOf(a) - rankOf(b) || byWait(a, b),
  waiting: byWait,
  updated: (a, b) => compare(b.updated_at, a.updated_at) || byNumber(a, b),
};

/** Compares instants as text, which sorts by time. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export async function childrenOf(deps: Deps, name: string): Promise<readonly ChildRow[] | Rejection> {
  const run = await findTicket(deps, name);
  if (isRejection(run)) return run;
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded)) return loaded;
  const { children } = loaded.at.run.state as unknown as ConductState;
  return children.map(({ id, key, title, state, archived }) => ({
    id,
    key,
    title,
    workflow_state: state,
    archived,
  }));
}
