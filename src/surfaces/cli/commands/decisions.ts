import {
  DOMAINS,
  KNOWLEDGE_STATUSES,
  KNOWLEDGE_TYPES,
  SOURCE_TYPES,
  type StoredKnowledge,
} from '../../../contract/knowledge.ts';
import type { Api } from '../../../runtime/api.ts';
import { badValueLines } from '../bad-value.ts';
import {
  type Context,
  fail,
  localWords,
  optionList,
  optionText,
  orFail,
  orFailPerson,
  withApi,
} from '../context.ts';
import { showDecision, showDecisions } from '../decision-screen.ts';
import { EXIT } from '../exit.ts';

interface Action {
  /** How many words it takes. */
  readonly least: number;
  readonly most: number;
  readonly usage: string;
  /** Options it takes, by their long names. */
  readonly options: readonly string[];
  /** Options it cannot do without. */
  readonly needs?: readonly string[];
  /** It may make the store. */
  readonly creates?: true;
  readonly run: (context: Context, api: Api, words: readonly string[]) => Promise<number>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    least: 0,
    most: 0,
    usage: 'list',
    options: ['domain', 'type', 'status', 'search', 'limit', 'ticket'],
    run: list,
  },
  show: { least: 1, most: 1, usage: 'show <id>', options: [], run: show },
  record: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    usage: 'record <title> --type <type>',
    options: ['domain', 'type', 'status', 'body', 'reviewBy', 'source'],
    needs: ['type'],
    creates: true,
    run: record,
  },
  supersede: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    usage: 'supersede <id> [title] --type <type>',
    options: ['domain', 'type', 'body'],
    run: supersede,
  },
  link: { least: 2, most: 2, usage: 'link <ticket> <id>', options: [], run: link },
};

/** Options with a fixed set of values. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  domain: DOMAINS,
  type: KNOWLEDGE_TYPES,
  status: KNOWLEDGE_STATUSES,
  source: SOURCE_TYPES,
};
const OPTIONS = ['domain', 'type', 'status', 'search', 'limit', 'ticket', 'body', 'reviewBy', 'source'];

/** The decision ledger: list it, show, record, supersede and link entries. */
export async function decisions(context: Context): Promise<number> {
  const [name = 'list', ...words] = context.values.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const wrong = action ? misused(context, name, action, words.length) : noAction(context, name);
  if (!action || wrong) return fail(context, EXIT.usage, wrong ?? []);
  return withApi(
    context,
    action.creates === true,
    (api) => action.run(context, api, words),
    () => absent(context, words[name === 'link' ? 1 : 0]),
  );
}

function noAction(context: Context, name: string): string[] {
  return badValueLines('baton decisions', name, Object.keys(ACTIONS), localWords(context));
}

/** What is wrong with the words and options, before anything is opened. */
function misused(context: Context, name: string, action: Action, given: number): string[] | null {
  const words = localWords(context);
  const usage = words.usage(`baton decisions ${action.usage}`);
  if (given < action.least || given > action.most)
    return [given < action.least ? words.too_few(name) : words.too_many(name), usage];
  const limit = optionText(context.values, 'limit');
  if (limit !== null && !/^[1-9]\d*$/.test(limit)) return [words.bad_number('--limit', limit)];
  const typed = OPTIONS.filter((option) => valuesOf(context, option).length > 0);
  const foreign = typed.find((option) => !action.options.includes(option));
  if (foreign !== undefined) return [words.not_taken(flagOf(foreign), `baton decisions ${name}`), usage];
  const missing = action.needs?.find((option) => !typed.includes(option));
  if (missing !== undefined)
    return [words.option_needed(flagOf(missing)), `${words.allowed}: ${VALUES[missing]?.join(', ')}`];
  for (const option of typed) {
    const bad = valuesOf(context, option).find((value) => VALUES[option]?.includes(value) === false);
    if (bad !== undefined) return badValueLines(flagOf(option), bad, VALUES[option] ?? [], words);
  }
  return null;
}

function valuesOf({ values }: Context, option: string): readonly string[] {
  const one = optionText(values, option);
  return one === null ? optionList(values, option) : [one];
}

function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Nothing was ever recorded here. */
function absent(context: Context, id: string | undefined): number {
  if (id === undefined) return showDecisions(context, []);
  const words = localWords(context);
  return fail(context, EXIT.refused, [words.no_decision(id)], { rejection: 'no_such_decision' });
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
  const asked = OPTIONS.filter((option) => valuesOf(context, option).length > 0);
  if (ticket !== null && asked.length > 1) {
    const flags = asked.map(flagOf).join(' ');
    return fail(context, EXIT.usage, [localWords(context).one_way_only(flags)]);
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
      review_by: 'reviewBy',
      source_type: 'source',
    }),
    domains: optionList(values, 'domain'),
  };
  const recorded = await orFail(context, api, await api.recordDecision(input, person.value), null);
  if ('exit' in recorded) return recorded.exit;
  return told(
    context,
    { decision: recorded.value },
    localWords(context).decision_recorded(...named(recorded.value)),
  );
}

/** Fields whose option was given, so that the defaults stay the ledger's. */
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
  const words = localWords(context);
  const lines = [words.decision_superseded(entry.id, successor?.id ?? null)];
  if (tickets.length > 0) lines.push(words.tickets_told(tickets.join(', ')));
  return told(context, { decision: entry, successor, told: tickets }, ...lines);
}

async function link(context: Context, api: Api, [ticket = '', id = '']: readonly string[]): Promise<number> {
  const person = await orFailPerson(context, api, { command: 'decisions link', target: id });
  if ('exit' in person) return person.exit;
  const linked = await orFail(context, api, await api.linkDecision(ticket, id, person.value), null);
  if ('exit' in linked) return linked.exit;
  const { entry, ...links } = linked.value;
  const line = localWords(context).decision_linked(entry.id, links.tickets.join(', '));
  return told(context, { decision: entry, ...links }, line);
}

function told({ screen }: Context, value: Readonly<Record<string, unknown>>, ...lines: string[]): number {
  if (screen.json) screen.printJson({ ok: true, ...value });
  for (const line of lines) screen.text(line);
  return EXIT.done;
}

function named({ id, title }: StoredKnowledge): [string, string] {
  return [id, title];
}
