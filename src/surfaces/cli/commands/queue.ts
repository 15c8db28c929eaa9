import type { GateAgreement, NextTicket, Queue } from '../../../contract/ticket-views.ts';
import { type Context, need, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { showRows } from '../stop-blocks.ts';
import { showWaiting } from '../ticket-screen.ts';

/**
 * Shows the tickets that wait for a person, grouped by what they wait with, and stale ones apart (CON-102). Read-only.
 */
export async function queue(context: Context): Promise<number> {
  return withApi(context, async (open) => showQueue(context, await need(open, await open.api.queue())), {
    absent: () => showQueue(context, { groups: [], stale: [] }),
  });
}

function showQueue(context: Context, { groups, stale }: Queue): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson({ groups, stale });
  const parts = [
    ...groups.map(({ reason, tickets }) => ({ head: words(`cli.ticket.reason.${reason}`), tickets })),
    { head: words('cli.ticket.stale_head'), tickets: stale },
  ].filter(({ tickets }) => tickets.length > 0);
  if (parts.length === 0) screen.text(words('cli.ticket.queue_empty'));
  for (const { head, tickets } of parts) {
    screen.text(screen.paint('waits', head));
    for (const one of tickets) showWaiting(context, one);
  }
  showRows(screen, [[words('cli.ticket.label.next'), 'baton next']]);
  return EXIT.done;
}

/** Shows the one ticket to look at next, and the commands for it. Read-only: a captured ticket stays captured. */
export async function next(context: Context): Promise<number> {
  return withApi(context, async (open) => showNext(context, await need(open, await open.api.nextTicket())), {
    absent: () => showNext(context, null),
  });
}

function showNext(context: Context, found: NextTicket | null): number {
  const { screen, words } = context;
  if (found === null) {
    if (screen.json) screen.printJson(null);
    screen.text(words('cli.ticket.queue_empty'));
    showRows(screen, [
      [words('cli.ticket.label.next'), `baton ticket create "${words('cli.ticket.new_ticket')}"`],
    ]);
    return EXIT.done;
  }
  const { ask, ticket } = found;
  const { id } = ticket;
  const ways: Readonly<Record<NextTicket['ask'], readonly [string, string][]>> = {
    answer: [[words('cli.ticket.answer_it'), `baton answer ${id}`]],
    patch: [[words('cli.ticket.draft_it'), `baton conduct ${id}`]],
    triage: [
      [words('cli.ticket.take_up'), `baton conduct ${id}`],
      [words('cli.ticket.or_leave'), `baton ticket park ${id}`],
    ],
  };
  if (screen.json) screen.printJson({ ...found, commands: ways[ask].map(([, command]) => command) });
  screen.text(words(`cli.ticket.ask.${ask}`));
  if (ask === 'triage') screen.text(`  ${id}  ${ticket.priority}  ${ticket.title}`, '    ');
  else showWaiting(context, ticket);
  showRows(screen, ways[ask]);
  return EXIT.done;
}

/** Shows for each gate how well the shadow judge would have chosen where to pause. */
export async function stats(context: Context): Promise<number> {
  return withApi(context, async ({ api }) => showStats(context, await api.stats()), {
    absent: () => showStats(context, []),
  });
}

function showStats(context: Context, gates: readonly GateAgreement[]): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson(gates);
  screen.text(gates.length === 0 ? words('cli.ticket.no_stats') : words('cli.ticket.stats_head'));
  showRows(
    screen,
    gates.map((one): [string, string] => [one.gate, words('cli.ticket.stats', { ...one })]),
  );
  return EXIT.done;
}
