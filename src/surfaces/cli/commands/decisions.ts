import { DOMAINS, KNOWLEDGE_STATUSES, KNOWLEDGE_TYPES, SOURCE_TYPES } from '../../../contract/knowledge.ts';
import type { Api } from '../../../runtime/api.ts';
import { type ActionTable, takeAction, typedValues } from '../actions.ts';
import { type Context, fail, optionList, optionText, orFail } from '../context.ts';
import { showDecision, showDecisions } from '../decision-screen.ts';
import { EXIT } from '../exit.ts';
import { orFailPerson } from '../proof.ts';

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
  const { words } = context;
  const limit = optionText(context.values, 'limit');
  if (limit !== null && !/^[1-9]\d*$/.test(limit))
    return fail(context, EXIT.usage, [words('cli.bad_number', { option: '--limit', given: limit })]);
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
  return fail(context, EXIT.refused, [context.words('cli.no_decision', { id })], {
    rejection: 'no_such_decision',
  });
}

async function list(context: Context, api: Api): Promise<number> {
  const { values } = context;
  const ticket = optionText(values, 'ticket');
  const limit = optionText(values, 'limit');
  const query = {
    domains: optionList(values, 'domain'),
    type: optionText(values, 'type'),
    status: optionText(values, 'status'),
    search: optionText(values, 'search'),
    ...(limit === null ? {} : { limit: Number(limit) }),
  };
  const asked = OPTIONS.filter((option) => typedValues(context, option).length > 0);
  if (ticket !== null && asked.length > 1) {
    const flags = asked.map((option) => `--${option}`).join(' ');
    return fail(context, EXIT.usage, [context.words('cli.one_way_only', { flags })]);
  }
  const entries = ticket === null ? await api.decisions(query) : await api.ticketDecisions(ticket);
  const found = await orFail(context, api, entries, null);
  return 'exit' in found ? found.exit : showDecisions(context, found.value);
}

async function show(context: Context, api: Api, [id = '']: readonly string[]): Promise<number> {
  const found = await orFail(context, api, await api.decision(id), null);
  return 'exit' in found ? found.exit : showDecision(context, found.value);
}

async function record(context: Context, api: Api, words: readonly string[]): Promise<number> {
  const { values } = context;
  const person = await orFailPerson(context, api, { command: 'decisions record' });
  if ('exit' in person) return person.exit;
  const input = {
    title: words.join(' '),
    ...given(context, {
      type: 'type',
      status: 'status',
      body: 'body',
      review_by: 'review-by',
      source_type: 'source',
    }),
    domains: optionList(values, 'domain'),
  };
  const recorded = await orFail(context, api, await api.recordDecision(input, person.value), null);
  if ('exit' in recorded) return recorded.exit;
  return told(
    context,
    { decision: recorded.value },
    context.words('cli.decision_recorded', { id: recorded.value.id, title: recorded.value.title }),
  );
}

/** The fields whose option was given, so that the ledger's defaults apply to the others. */
function given({ values }: Context, fields: Readonly<Record<string, string>>): Record<string, string> {
  const typed = Object.entries(fields).map(([field, option]) => [field, optionText(values, option)] as const);
  return Object.fromEntries(typed.flatMap(([field, value]) => (value === null ? [] : [[field, value]])));
}

async function supersede(context: Context, api: Api, typed: readonly string[]): Promise<number> {
  const [id = '', ...title] = typed;
  const person = await orFailPerson(context, api, { command: 'decisions supersede', target: id });
  if ('exit' in person) return person.exit;
  const input = {
    id,
    ...(title.length > 0 ? { title: title.join(' ') } : {}),
    ...given(context, { type: 'type', body: 'body' }),
    domains: optionList(context.values, 'domain'),
  };
  const done = await orFail(context, api, await api.supersedeDecision(input, person.value), null);
  if ('exit' in done) return done.exit;
  const { entry, successor, told: tickets } = done.value;
  const { words } = context;
  const lines = [
    successor
      ? words('cli.decision_superseded', { id: entry.id, by: successor.id })
      : words('cli.decision_retired', { id: entry.id }),
  ];
  if (tickets.length > 0) lines.push(words('cli.tickets_told', { tickets: tickets.join(', ') }));
  return told(context, { decision: entry, successor, told: tickets }, ...lines);
}

async function link(context: Context, api: Api, [ticket = '', id = '']: readonly string[]): Promise<number> {
  const person = await orFailPerson(context, api, { command: 'decisions link', target: id });
  if ('exit' in person) return person.exit;
  const linked = await orFail(context, api, await api.linkDecision(ticket, id, person.value), null);
  if ('exit' in linked) return linked.exit;
  const { entry, ...links } = linked.value;
  const line = context.words('cli.decision_linked', { id: entry.id, tickets: links.tickets.join(', ') });
  return told(context, { decision: entry, ...links }, line);
}

function told({ screen }: Context, value: Readonly<Record<string, unknown>>, ...lines: string[]): number {
  if (screen.json) screen.printJson({ ok: true, ...value });
  for (const line of lines) screen.text(line);
  return EXIT.done;
}
