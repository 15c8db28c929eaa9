import {
  DESIGN_TRACKS,
  PRIORITIES,
  RISK_CLASSES,
  TICKET_GATES,
  TICKET_STATES,
} from '../../../contract/ticket.ts';
import { isRejection } from '../../../engine/rejection.ts';
import type { Api } from '../../../runtime/api.ts';
import { type ActionTable, takeAction, typedValues } from '../actions.ts';
import { badValueLines } from '../bad-value.ts';
import { type Context, fail, failWorker, isSet, optionList, optionText, userName } from '../context.ts';
import { EXIT } from '../exit.ts';
import { tell } from '../notify-ticket.ts';
import { readScript } from '../start-command.ts';
import {
  failTicket,
  orFailTicket,
  showChildren,
  showDone,
  showTicket,
  showTickets,
} from '../ticket-screen.ts';
import { envLang } from '../words.ts';

const ANY = Number.POSITIVE_INFINITY;

const TABLE: ActionTable = {
  command: 'ticket',
  plain: 'list',
  values: { priority: PRIORITIES, state: TICKET_STATES, to: TICKET_GATES, class: RISK_CLASSES },
  absent: (context, [name]) =>
    name === undefined
      ? showTickets(context, [])
      : fail(context, EXIT.refused, [context.words('cli.ticket.no_ticket', { name })], {
          rejection: 'no_such_run',
        }),
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
    archive: { usage: 'archive <ticket>', run: telling('edit', { archived: true }) },
    restore: { usage: 'restore <ticket>', run: telling('edit', { archived: false }) },
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

async function list(context: Context, api: Api): Promise<number> {
  const { values } = context;
  const limit = optionText(values, 'limit');
  if (limit !== null && !/^[1-9]\d{0,3}$/.test(limit))
    return fail(context, EXIT.usage, [context.words('cli.bad_number', { option: '--limit', given: limit })]);
  const [label, ...more] = optionList(values, 'label');
  const state = optionText(values, 'state');
  const query = {
    ...(state === null ? {} : { workflow_state: state }),
    ...(label === undefined ? {} : { label }),
    limit: Number(limit ?? 500),
  };
  const found = await orFailTicket(context, api, await api.tickets(query));
  if ('exit' in found) return found.exit;
  const hidden = isSet(values, 'all') ? await api.tickets({ ...query, archived: true }) : [];
  if (isRejection(hidden)) return failTicket(context, api, hidden);
  const wanted = [...found.value, ...hidden].filter(({ labels }) =>
    more.every((one) => labels.includes(one)),
  );
  const shown = state === null && !isSet(values, 'all') ? wanted.filter(isLive) : wanted;
  return showTickets(context, shown);
}

function isLive({ workflow_state }: { readonly workflow_state: string }): boolean {
  return workflow_state !== 'Verified' && workflow_state !== 'Cancelled';
}

async function create(context: Context, api: Api, words: readonly string[]): Promise<number> {
  const refused = await failWorker(context, api, { command: 'ticket create' });
  if (refused !== null) return refused;
  const input = { title: words.join(' '), labels: optionList(context.values, 'label'), ...given(context) };
  const script = await readScript(context, envLang(context.deps.env));
  if (typeof script === 'number') return script;
  const made = await orFailTicket(
    context,
    api,
    await api.createTicket(input, userName(context.deps), script.text),
  );
  if ('exit' in made) return made.exit;
  return showDone(context, made.value, context.words('cli.ticket.created', { id: made.value.id }));
}

/** The fields whose option was typed. */
function given({ values }: Context): Record<string, string> {
  const typed = ['title', 'description', 'priority'].map((name) => [name, optionText(values, name)] as const);
  return Object.fromEntries(typed.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

async function show(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const found = await orFailTicket(context, api, await api.ticket(name));
  if ('exit' in found) return found.exit;
  const { id } = found.value;
  const brief = await orFailTicket(context, api, await api.brief(id));
  if ('exit' in brief) return brief.exit;
  const listed = await orFailTicket(context, api, await api.children(id));
  if ('exit' in listed) return listed.exit;
  const content = brief.value === null ? null : String(brief.value.content);
  return showTicket(context, found.value, { children: listed.value, content });
}

type Run = ActionTable['actions'][string]['run'];

function telling(command: string, args: Readonly<Record<string, unknown>>): Run {
  return (context, api, [name = '']) => tell(context, api, name, { command, args });
}

/** Parks, unparks or cancels a ticket. Only a person may do this (CON-105, S11). */
function leaving(command: 'park' | 'unpark' | 'cancel'): Run {
  return (context, api, [name = '']) => {
    const args = command === 'unpark' ? {} : { why: optionText(context.values, 'why') };
    return tell(context, api, name, { command, args, person: true });
  };
}

async function edit(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const args = given(context);
  if (Object.keys(args).length === 0) return nothing(context, 'edit');
  return tell(context, api, name, { command: 'edit', args });
}

function nothing(context: Context, action: string): number {
  const usage = `baton ticket ${TABLE.actions[action]?.usage ?? action}`;
  return fail(context, EXIT.usage, [context.words('cli.ticket.nothing_to_change', { usage })]);
}

/** Labels are evidence of risk, so only a person may remove one. */
async function label(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const [add, remove] = [optionList(context.values, 'add'), optionList(context.values, 'remove')];
  if (add.length + remove.length === 0) return nothing(context, 'label');
  const args = { labels_add: add, labels_remove: remove };
  return tell(context, api, name, { command: 'edit', args, person: remove.length > 0 });
}

async function reopen(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const fates: Record<string, string> = {};
  for (const typed of optionList(context.values, 'fate')) {
    const [id, fate] = assignment(typed) ?? ['', ''];
    if (id === '' || !['keep', 'cancel'].includes(fate))
      return notAssigned(context, '--fate', typed, 'B-3=keep, B-3=cancel');
    const child = await orFailTicket(context, api, await api.findTicket(id));
    if ('exit' in child) return child.exit;
    fates[child.value] = fate;
  }
  const args = { to: optionText(context.values, 'to'), why: optionText(context.values, 'why'), fates };
  return tell(context, api, name, { command: 'reopen', args });
}

function assignment(typed: string): readonly [string, string] | null {
  const at = typed.indexOf('=');
  return at < 1 ? null : [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
}

function notAssigned(context: Context, option: string, typed: string, form: string): number {
  return fail(context, EXIT.usage, [
    context.words('cli.ticket.not_an_assignment', { option, value: typed, form }),
  ]);
}

async function children(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const run = await orFailTicket(context, api, await api.findTicket(name));
  if ('exit' in run) return run.exit;
  const change = { add: optionList(context.values, 'add'), remove: optionList(context.values, 'remove') };
  if (change.add.length + change.remove.length > 0) {
    const refused = await failWorker(context, api, { command: 'ticket children', run: run.value });
    if (refused !== null) return refused;
    const done = await orFailTicket(
      context,
      api,
      await api.manageChildren(run.value, change, userName(context.deps)),
    );
    if ('exit' in done) return done.exit;
  }
  const listed = await orFailTicket(context, api, await api.children(run.value));
  return 'exit' in listed ? listed.exit : showChildren(context, run.value, listed.value);
}

async function criteria(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const [add, remove] = [optionList(context.values, 'add'), optionList(context.values, 'remove')];
  const set: Record<string, string> = {};
  for (const typed of optionList(context.values, 'set')) {
    const pair = assignment(typed);
    if (!pair || pair[1] === '') return notAssigned(context, '--set', typed, 'AC-1="..."');
    set[pair[0]] = pair[1];
  }
  if (add.length + remove.length + Object.keys(set).length === 0) return show(context, api, [name]);
  return tell(context, api, name, { command: 'criteria', args: { add, set, remove } });
}

/** A person sets the required tracks, and the gate uses them (CON-82). */
async function tracks(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const required = typedValues(context, 'required').flatMap((text) =>
    text.split(',').map((one) => one.trim()),
  );
  const bad = required.find((one) => !(DESIGN_TRACKS as readonly string[]).includes(one));
  if (bad !== undefined)
    return fail(context, EXIT.usage, badValueLines('--required', bad, DESIGN_TRACKS, context.words));
  return tell(context, api, name, { command: 'tracks', args: { required }, person: true });
}

/** Acknowledges the current evidence, including the words of the brief. */
async function acknowledge(context: Context, api: Api, [name = '']: readonly string[]): Promise<number> {
  const brief = await orFailTicket(context, api, await api.brief(name, 'en'));
  if ('exit' in brief) return brief.exit;
  const content = brief.value === null ? '' : String(brief.value.content);
  const args = {
    class: optionText(context.values, 'class'),
    why: optionText(context.values, 'why'),
    content,
  };
  return tell(context, api, name, { command: 'acknowledge', args, person: true });
}
