import type { CommandDefinition } from './command-definition.ts';

/** The commands about tickets, except `conduct`. */
export const TICKET_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'ticket',
    says: 'ticket',
    args: [
      {
        name: '[action]',
        says: 'ticket.action',
      },
      { name: '[words...]', says: 'ticket.words' },
    ],
    options: [
      { flags: '--title <title>', says: 'ticket.title' },
      { flags: '--description <text>', says: 'ticket.description' },
      { flags: '--priority <priority>', says: 'ticket.priority' },
      { flags: '--label <label>', says: 'ticket.label', many: true },
      { flags: '--script <file>', says: 'ticket.script' },
      { flags: '--state <state>', says: 'ticket.state' },
      { flags: '--all', says: 'ticket.all' },
      { flags: '--limit <n>', says: 'ticket.limit' },
      { flags: '--add <text>', says: 'ticket.add', many: true },
      { flags: '--remove <text>', says: 'ticket.remove', many: true },
      { flags: '--set <id=text>', says: 'ticket.set', many: true },
      { flags: '--why <text>', says: 'ticket.why' },
      { flags: '--to <gate>', says: 'ticket.to' },
      {
        flags: '--fate <ticket=fate>',
        says: 'ticket.fate',
        many: true,
      },
      { flags: '--required <tracks>', says: 'ticket.required' },
      { flags: '--class <class>', says: 'ticket.class' },
    ],
    load: async () => (await import('./commands/ticket.ts')).ticket,
  },
  {
    name: 'queue',
    says: 'queue',
    args: [],
    options: [],
    load: async () => (await import('./commands/queue.ts')).queue,
  },
  {
    name: 'next',
    says: 'next',
    args: [],
    options: [],
    load: async () => (await import('./commands/queue.ts')).next,
  },
  {
    name: 'stats',
    says: 'stats',
    args: [],
    options: [],
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  {
    name: 'call',
    says: 'call',
    args: [
      { name: '<operation>', says: 'call.operation' },
      { name: '[json]', says: 'call.json' },
    ],
    options: [],
    load: async () => (await import('./commands/call.ts')).call,
  },
];
