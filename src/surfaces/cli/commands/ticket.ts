import {
  DESIGN_TRACKS,
  PRIORITIES,
  RISK_CLASSES,
  TICKET_GATES,
  TICKET_STATES,
} from '../../../contract/ticket.ts';
import { type ActionTable, takeAction } from '../actions.ts';
import { badValueLines } from '../bad-value.ts';
import {
  type Context,
  isSet,
  need,
  type OpenContext,
  optionList,
  optionText,
  typedFields,
} from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { readScript } from '../start-command.ts';
import { showChildren, showDone, showTicket, showTickets } from '../ticket-screen.ts';
import { envLang } from '../words.ts';

const ANY = Number.POSITIVE_INFINITY;

const TABLE: ActionTable = {
  command: 'ticket',
  plain: 'list',
  values: { priority: PRIORITIES, state: TICKET_STATES, to: TICKET_GATES, class: RISK_CLASSES },
  absent: (context, [name]) =>
    name === undefined
      ? showTickets(context, [])
      : refuse(EXIT.refused, [context.words('cli.ticket.no_ticket', { name })], { rejection: 'no_such_run' }),
  actions: {
    list: { words: [0, 0], usage: 'list', options: ['state', 'label', 'all', 'limit'], run: list },
    create: {
      words: [1, ANY],
      usage: 'create "<title>"',
      options: ['description', 'label', 'priority', 'script'],
      creates: true,
      run: create,
    },
    show: { usage: 'show <ticket>', run: show },
    edit: {
      usage: 'edit <ticket> [--title ..] [--description ..] [--priority ..]',
      options: ['title', 'description', 'priority'],
      run: edit,
    },
    label: { usage: 'label <ticket> [--add ..] [--remove ..]', options: ['add', 'remove'], run: label },
    archive: { usage: 'archive <ticket>', run: sending('edit', { archived: true }) },
    restore: { usage: 'restore <ticket>', run: sending('edit', { archived: false }) },
    park: { usage: 'park <ticket> [--why ..]', options: ['why'], run: leaving('park') },
    unpark: { usage: 'unpark <ticket>', run: leaving('unpark') },
    cancel: { usage: 'cancel <ticket> [--why ..]', options: ['why'], run: leaving('cancel') },
    reopen: {
      usage: 'reopen <ticket> --to <gate> --why ".." [--fate B-3=keep]',
      options: ['to', 'why', 'fate'],
      needs: ['to', 'why'],
      run: reopen,
    },
    children: {
      usage: 'children <ticket> [--add B-3] [--remove B-4]',
      options: ['add', 'remove'],
      run: children,
    },
    criteria: {
      usage: 'criteria <ticket> [--add ".."] [--set AC-1=".."] [--remove AC-2]',
      options: ['add', 'set', 'remove'],
      run: criteria,
    },
    tracks: {
      usage: `tracks <ticket> --required ${DESIGN_TRACKS.join(',')}`,
      options: ['required'],
      needs: ['required'],
      run: tracks,
    },
    acknowledge: {
      usage: 'acknowledge <ticket> --class <class> --why ".."',
      options: ['class', 'why'],
      needs: ['class', 'why'],
      run: acknowledge,
    },
  },
};

/** Creates, shows and changes tickets. Decisions about a ticket are answers at its gates, never commands here. */
export function ticket(context: Context): Promise<number> {
  return takeAction(context, TABLE);
}

async function list(open: OpenContext): Promise<number> {
  const { api } = open;
  const limit = optionText(open, 'limit');
  if (limit !== null && !/^[1-9]\d{0,3}$/.test(limit))
    return refuse(EXIT.usage, [open.words('cli.bad_number', { option: '--limit', given: limit })]);
  const [label, ...more] = optionList(open, 'label');
  const state = optionText(open, 'state');
  const all = isSet(open, 'all');
  const query = {
    ...(state === null ? {} : { workflow_state: state }),
    ...(label === undefined ? {} : { label }),
    limit: Number(limit ?? 500),
  };
  const found = await need(open, await api.tickets(query));
  const hidden = all ? await need(open, await api.tickets({ ...query, archived: true })) : [];
  const wanted = [...found, ...hidden].filter(({ labels }) => more.every((one) => labels.includes(one)));
  return showTickets(open, state === null && !all ? wanted.filter(isLive) : wanted);
}

function isLive({ workflow_state }: { readonly workflow_state: string }): boolean {
  return workflow_state !== 'Verified' && workflow_state !== 'Cancelled';
}

async function create(open: OpenContext, words: readonly string[]): Promise<number> {
  const { api, deps } = open;
  const input = { title: words.join(' '), labels: optionList(open, 'label'), ...typedFields(open, TEXTS) };
  const script = await readScript(open, envLang(deps.env));
  const made = await need(open, await api.createTicket({ fields: input, script }));
  return showDone(open, made, open.words('cli.ticket.created', { id: made.id }));
}

/** Fields of a ticket that are typed as options. */
const TEXTS = { title: 'title', description: 'description', priority: 'priority' };

async function show(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const { api } = open;
  const ticket = await need(open, await api.ticket(name));
  const brief = await need(open, await api.brief(ticket.id));
  const listed = await need(open, await api.children(ticket.id));
  const content = brief === null ? null : String(brief.content);
  return showTicket(open, ticket, { children: listed, content });
}

interface Order {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Sends one command to a ticket and shows the ticket afterwards. */
async function send(open: OpenContext, name: string, order: Order): Promise<number> {
  const { api } = open;
  const run = await need(open, await api.findTicket(name));
  await need(open, await api.command({ run, ...order }));
  return showDone(
    open,
    await need(open, await api.ticket(run)),
    open.words('cli.ticket.changed', { id: run }),
  );
}

type Run = ActionTable['actions'][string]['run'];

function sending(command: string, args: Readonly<Record<string, unknown>>): Run {
  return (open, [name = '']) => send(open, name, { command, args });
}

/** Parks, unparks or cancels a ticket. Only a person may do this (CON-105, S11). */
function leaving(command: 'park' | 'unpark' | 'cancel'): Run {
  return (open, [name = '']) => {
    const args = command === 'unpark' ? {} : { why: optionText(open, 'why') };
    return send(open, name, { command, args });
  };
}

async function edit(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const args = typedFields(open, TEXTS);
  if (Object.keys(args).length === 0) return nothing(open, 'edit');
  return send(open, name, { command: 'edit', args });
}

function nothing(context: Context, action: string): never {
  const usage = `baton ticket ${TABLE.actions[action]?.usage ?? action}`;
  return refuse(EXIT.usage, [context.words('cli.ticket.nothing_to_change', { usage })]);
}

/** The additions and removals that were typed. */
function changesOf(context: Context) {
  const [add, remove] = [optionList(context, 'add'), optionList(context, 'remove')];
  return { add, remove, none: add.length + remove.length === 0 };
}

/** Labels are evidence of risk, so only a person may remove one. */
async function label(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const { add, remove, none } = changesOf(open);
  if (none) return nothing(open, 'label');
  const args = { labels_add: add, labels_remove: remove };
  return send(open, name, { command: 'edit', args });
}

async function reopen(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const fates: Record<string, string> = {};
  for (const typed of optionList(open, 'fate')) {
    const [id, fate] = assignment(typed) ?? ['', ''];
    if (id === '' || !['keep', 'cancel'].includes(fate))
      return notAssigned(open, '--fate', typed, 'B-3=keep, B-3=cancel');
    fates[await need(open, await open.api.findTicket(id))] = fate;
  }
  const args = { to: optionText(open, 'to'), why: optionText(open, 'why'), fates };
  return send(open, name, { command: 'reopen', args });
}

function assignment(typed: string): readonly [string, string] | null {
  const at = typed.indexOf('=');
  return at < 1 ? null : [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
}

function notAssigned(context: Context, option: string, typed: string, form: string): never {
  return refuse(EXIT.usage, [context.words('cli.ticket.not_an_assignment', { option, value: typed, form })]);
}

async function children(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const { api } = open;
  const run = await need(open, await api.findTicket(name));
  const { none, ...change } = changesOf(open);
  if (!none) {
    await need(open, await api.manageChildren(run, change));
  }
  return showChildren(open, run, await need(open, await api.children(run)));
}

async function criteria(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const { add, remove, none } = changesOf(open);
  const set: Record<string, string> = {};
  for (const typed of optionList(open, 'set')) {
    const pair = assignment(typed);
    if (!pair || pair[1] === '') return notAssigned(open, '--set', typed, 'AC-1="..."');
    set[pair[0]] = pair[1];
  }
  if (none && Object.keys(set).length === 0) return show(open, [name]);
  return send(open, name, { command: 'criteria', args: { add, set, remove } });
}

/** A person sets the required tracks, and the gate uses them (CON-82). */
async function tracks(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const required = (optionText(open, 'required') ?? '').split(',').map((one) => one.trim());
  const bad = required.find((one) => !(DESIGN_TRACKS as readonly string[]).includes(one));
  if (bad !== undefined)
    return refuse(EXIT.usage, badValueLines('--required', bad, DESIGN_TRACKS, open.words));
  return send(open, name, { command: 'tracks', args: { required } });
}

/** Acknowledges the current evidence, including the words of the brief. */
async function acknowledge(open: OpenContext, [name = '']: readonly string[]): Promise<number> {
  const args = { class: optionText(open, 'class'), why: optionText(open, 'why') };
  return send(open, name, { command: 'acknowledge', args });
}
