import {
  DOMAINS,
  KNOWLEDGE_STATUSES,
  KNOWLEDGE_TYPES,
  SOURCE_TYPES,
  type StoredKnowledge,
} from '../../../contract/knowledge.ts';
import type { ShownDecision } from '../../../contract/knowledge-views.ts';
import { type ActionTable, takeAction, typedValues } from '../actions.ts';
import { type Context, need, type OpenContext, optionList, optionText, typedFields } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { showColumns, showRows } from '../stop-blocks.ts';

const ACTIONS: ActionTable['actions'] = {
  list: {
    words: [0, 0],
    usage: 'list',
    options: ['domain', 'type', 'status', 'search', 'limit', 'ticket'],
    run: list,
  },
  show: { usage: 'show <id>', run: show },
  record: {
    words: [1, Number.POSITIVE_INFINITY],
    usage: 'record <title> --type <type>',
    options: ['domain', 'type', 'status', 'body', 'review-by', 'source'],
    needs: ['type'],
    creates: true,
    run: record,
  },
  supersede: {
    words: [1, Number.POSITIVE_INFINITY],
    usage: 'supersede <id> [title] --type <type>',
    options: ['domain', 'type', 'body'],
    run: supersede,
  },
  link: { words: [2, 2], usage: 'link <ticket> <id>', run: link },
};

/** Options with a fixed set of values. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  domain: DOMAINS,
  type: KNOWLEDGE_TYPES,
  status: KNOWLEDGE_STATUSES,
  source: SOURCE_TYPES,
};
const OPTIONS = ['domain', 'type', 'status', 'search', 'limit', 'ticket', 'body', 'review-by', 'source'];

/** The decision ledger: list it, show, record, supersede and link entries. */
export async function decisions(context: Context): Promise<number> {
  const limit = optionText(context, 'limit');
  if (limit !== null && !/^[1-9]\d*$/.test(limit))
    return refuse(EXIT.usage, [context.words('cli.bad_number', { option: '--limit', given: limit })]);
  return takeAction(context, {
    command: 'decisions',
    plain: 'list',
    actions: ACTIONS,
    values: VALUES,
    absent,
  });
}

/** Called if there is no store: no decision was ever recorded here. */
function absent(context: Context, words: readonly string[], action: string): number {
  const id = words[action === 'link' ? 1 : 0];
  if (id === undefined) return showDecisions(context, []);
  return refuse(EXIT.refused, [context.words('cli.no_decision', { id })], { rejection: 'no_such_decision' });
}

async function list(open: OpenContext): Promise<number> {
  const { api } = open;
  const ticket = optionText(open, 'ticket');
  const limit = optionText(open, 'limit');
  const query = {
    domains: optionList(open, 'domain'),
    type: optionText(open, 'type'),
    status: optionText(open, 'status'),
    search: optionText(open, 'search'),
    ...(limit === null ? {} : { limit: Number(limit) }),
  };
  const typed = OPTIONS.filter((option) => typedValues(open, option).length > 0);
  if (ticket !== null && typed.length > 1) {
    const flags = typed.map((option) => `--${option}`).join(' ');
    return refuse(EXIT.usage, [open.words('cli.one_way_only', { flags })]);
  }
  const entries = ticket === null ? await api.decisions(query) : await api.ticketDecisions(ticket);
  return showDecisions(open, await need(open, entries));
}

async function show(open: OpenContext, [id = '']: readonly string[]): Promise<number> {
  return showDecision(open, await need(open, await open.api.decision(id)));
}

async function record(open: OpenContext, words: readonly string[]): Promise<number> {
  const input = { title: words.join(' '), ...typedFields(open, FIELDS), domains: optionList(open, 'domain') };
  const decision = await need(open, await open.api.recordDecision(input));
  return showDone(
    open,
    { decision },
    open.words('cli.decision_recorded', { id: decision.id, title: decision.title }),
  );
}

/** The option of each field of a decision. The ledger's defaults apply to the others. */
const FIELDS = {
  type: 'type',
  status: 'status',
  body: 'body',
  review_by: 'review-by',
  source_type: 'source',
};

async function supersede(open: OpenContext, typed: readonly string[]): Promise<number> {
  const [id = '', ...title] = typed;
  const input = {
    id,
    ...(title.length > 0 ? { title: title.join(' ') } : {}),
    ...typedFields(open, { type: 'type', body: 'body' }),
    domains: optionList(open, 'domain'),
  };
  const done = await need(open, await open.api.supersedeDecision(input));
  const { entry, successor, told: tickets } = done;
  const { words } = open;
  const lines = [
    successor
      ? words('cli.decision_superseded', { id: entry.id, by: successor.id })
      : words('cli.decision_retired', { id: entry.id }),
  ];
  if (tickets.length > 0) lines.push(words('cli.tickets_notified', { tickets: tickets.join(', ') }));
  return showDone(open, { decision: entry, successor, told: tickets }, ...lines);
}

async function link(open: OpenContext, [ticket = '', id = '']: readonly string[]): Promise<number> {
  const { entry, ...links } = await need(open, await open.api.linkDecision({ ticket, id }));
  const line = open.words('cli.decision_linked', { id: entry.id, tickets: links.tickets.join(', ') });
  return showDone(open, { decision: entry, ...links }, line);
}

function showDone({ screen }: Context, value: Readonly<Record<string, unknown>>, ...lines: string[]): number {
  if (screen.json) screen.printJson({ ok: true, ...value });
  for (const line of lines) screen.text(line);
  return EXIT.done;
}

/** One line each: id, status, type, title. */
function showDecisions(context: Context, entries: readonly StoredKnowledge[]): number {
  const { screen } = context;
  if (screen.json) screen.printJson(entries);
  if (entries.length === 0) screen.text(context.words('cli.no_decisions'));
  showColumns(
    screen,
    entries.map(({ id, status, type, title }) => [id, status, type, title]),
    ([, status = '']) => ['Superseded', 'Archived'].includes(status),
  );
  return EXIT.done;
}

/** Shows one entry in full, with its body unchanged. */
function showDecision(context: Context, { entry, supersedes, tickets }: ShownDecision): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson({ ...entry, supersedes, tickets });
  screen.text(`${screen.paint('strong', entry.id)}  ${entry.title}`, '  ');
  const status = entry.superseded_by === null ? entry.status : `${entry.status} (${entry.superseded_by})`;
  const source = [entry.source_type, entry.source_activity, entry.source_task_id].filter(Boolean).join(', ');
  const rows: [string, string][] = [
    [words('cli.decision_label.type'), entry.type],
    [words('cli.decision_label.status'), status],
    [words('cli.decision_label.domains'), entry.domains.join(', ')],
    [words('cli.decision_label.source'), source],
    [words('cli.decision_label.recorded'), `${entry.recorded_at.slice(0, 10)}, ${entry.recorded_by}`],
    [words('cli.decision_label.review'), entry.review_by ?? ''],
    [words('cli.decision_label.supersedes'), supersedes.join(', ')],
    [words('cli.decision_label.tickets'), tickets.join(', ')],
  ];
  showRows(
    screen,
    rows.filter(([, value]) => value !== ''),
  );
  if (entry.body !== '') {
    screen.line();
    screen.text(entry.body);
  }
  return EXIT.done;
}
