import type { ChildRow, LeanTicket, ShownTicket, Waiting } from '../../contract/ticket-views.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit.ts';
import { showColumns, showRows } from './stop-blocks.ts';
import type { Words } from './words.ts';

/** The command that continues the ticket from its current state. Null if the ticket has ended. */
function nextCommand(
  { id, workflow_state, awaiting_human_input, trouble, stale }: ShownTicket,
  children: readonly ChildRow[] = [],
): string | null {
  if (workflow_state === 'Verified' || workflow_state === 'Cancelled') return null;
  if (workflow_state === 'Parked') return `baton ticket unpark ${id}`;
  if (awaiting_human_input || trouble) return `baton answer ${id}`;
  const carried = workflow_state === 'Decomposed' && !stale && children.some(({ archived }) => !archived);
  return carried ? `baton conduct --children ${id}` : `baton conduct ${id}`;
}

/** Shows what was done, the ticket's current state and the next command. */
export function showDone(context: Context, ticket: ShownTicket, said: string): number {
  const { screen, words } = context;
  const next = nextCommand(ticket);
  if (screen.json) screen.printJson({ ok: true, ticket, next });
  screen.text(`${said}  ${ticket.title}`, '  ');
  const rows: [string, string][] = [[words('cli.ticket.label.state'), ticket.workflow_state]];
  if (next !== null) rows.push([words('cli.ticket.label.next'), next]);
  showRows(screen, rows);
  return EXIT.done;
}

/** One line each: id, state, priority, title. */
export function showTickets(context: Context, tickets: readonly LeanTicket[]): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson(tickets);
  if (tickets.length === 0) {
    screen.text(words('cli.ticket.no_tickets'));
    showRows(screen, [
      [words('cli.ticket.label.next'), `baton ticket create "${words('cli.ticket.new_ticket')}"`],
    ]);
  }
  showColumns(
    screen,
    tickets.map(({ id, workflow_state, priority, title }) => [id, workflow_state, priority, title]),
  );
  return EXIT.done;
}

export function showChildren(context: Context, id: string, children: readonly ChildRow[]): number {
  const { screen } = context;
  if (screen.json) screen.printJson(children);
  screen.text(context.words('cli.ticket.children_of', { id, n: children.length }));
  showColumns(
    screen,
    children.map((child) => [`  ${child.id ?? child.key}`, child.workflow_state, child.title]),
  );
  return EXIT.done;
}

/** Shows one ticket in full, with its brief last. */
export function showTicket(
  context: Context,
  ticket: ShownTicket,
  { children, content }: { readonly children: readonly ChildRow[]; readonly content: string | null },
): number {
  const { screen } = context;
  const next = nextCommand(ticket, children);
  if (screen.json) screen.printJson({ ...ticket, children, content, next });
  screen.text(`${screen.paint('strong', ticket.id)}  ${ticket.title}`, '  ');
  const rows = [
    ...ticketRows(ticket, context.words),
    [
      context.words('cli.ticket.label.children'),
      children.map(({ id, key }) => id ?? key).join(', '),
    ] as const,
    [context.words('cli.ticket.label.next'), next ?? ''] as const,
  ];
  showRows(
    screen,
    rows.filter(([, value]) => value !== ''),
  );
  for (const text of [ticket.description ?? '', criteriaText(ticket), content ?? '']) {
    if (text === '') continue;
    screen.line();
    screen.text(text);
  }
  return EXIT.done;
}

function ticketRows(ticket: ShownTicket, words: Words): (readonly [string, string])[] {
  const { awaiting_human_reason: reason, stale_ref, labels = [], risk_classes = [] } = ticket;
  return [
    [words('cli.ticket.label.state'), ticket.workflow_state],
    [words('cli.ticket.label.was'), ticket.prev_state ?? ''],
    [words('cli.ticket.label.why'), ticket.left_why ?? ''],
    [words('cli.ticket.label.priority'), ticket.priority ?? ''],
    [words('cli.ticket.label.labels'), labels.join(', ')],
    [words('cli.ticket.label.parent'), ticket.parent ?? ''],
    [
      words('cli.ticket.label.waits'),
      reason
        ? words(`cli.ticket.reason.${reason}`)
        : ticket.trouble
          ? words('cli.ticket.reason.trouble')
          : '',
    ],
    [words('cli.ticket.label.stale'), stale_ref ? words('cli.ticket.superseded', { id: stale_ref.id }) : ''],
    [words('cli.ticket.label.risks'), risk_classes.join(', ')],
    [words('cli.ticket.label.build'), ticket.build_run ? `baton show ${ticket.build_run} evidence` : ''],
    [words('cli.ticket.label.pull'), ticket.build_pr?.pr_url ?? ''],
    [words('cli.ticket.label.merged'), ticket.merged_sha?.slice(0, 12) ?? ''],
    [words('cli.ticket.label.archived'), ticket.archived ? words('cli.ticket.archived') : ''],
  ];
}

function criteriaText({ criteria = [] }: ShownTicket): string {
  return criteria.map(({ id, text, checked }) => `[${checked ? 'x' : ' '}] ${id}: ${text}`).join('\n');
}

/** Shows one waiting ticket: its state, and below it the decision. */
export function showWaiting(context: Context, { id, title, track, decide, ...one }: Waiting): void {
  const { screen } = context;
  const named = track === null ? title : `${title} (${track})`;
  screen.text(`  ${id}  ${one.workflow_state}, ${one.priority}  ${named}`, '    ');
  screen.text(`    ${decide ?? context.words('cli.ticket.no_patch_yet')}`, '    ');
}
