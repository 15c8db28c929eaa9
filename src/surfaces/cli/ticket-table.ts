import type { CommandDefinition } from './command-definition.ts';

/** The commands about tickets, beside `conduct` itself. */
export const TICKET_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'ticket',
    says: 'make, see and change tickets',
    args: [
      {
        name: '[action]',
        says: 'list (without one), create, show, edit, label, archive, restore, park, unpark, cancel, reopen, children, criteria, tracks or acknowledge',
      },
      { name: '[words...]', says: 'create: the title; otherwise the ticket, as 12, B-12 or its UUID' },
    ],
    options: [
      { flags: '--title <title>', says: 'edit: the title' },
      { flags: '--description <text>', says: 'create, edit: what it is about' },
      { flags: '--priority <priority>', says: 'create, edit: high, medium or low (medium)' },
      { flags: '--label <label>', says: 'create, list: a label; may be repeated', many: true },
      { flags: '--score <file>', says: 'create: what the rehearsal agent plays for it' },
      { flags: '--state <state>', says: 'list: only tickets in this state' },
      { flags: '--all', says: 'list: verified, cancelled and archived ones too' },
      { flags: '--limit <n>', says: 'list: at most so many (500)' },
      { flags: '--add <text>', says: 'label, children, criteria: one more; may be repeated', many: true },
      { flags: '--remove <text>', says: 'label, children, criteria: one less; may be repeated', many: true },
      { flags: '--set <id=text>', says: 'criteria: other words for one; may be repeated', many: true },
      { flags: '--why <text>', says: 'park, cancel, reopen, acknowledge: your reason' },
      { flags: '--to <gate>', says: 'reopen: the gate to go back to' },
      {
        flags: '--fate <ticket=fate>',
        says: 'reopen: keep or cancel a child that has work; may be repeated',
        many: true,
      },
      { flags: '--required <tracks>', says: 'tracks: the design tracks this ticket needs, commas between' },
      { flags: '--class <class>', says: 'acknowledge: the risk class' },
    ],
    load: async () => (await import('./commands/ticket.ts')).ticket,
  },
  {
    name: 'queue',
    says: 'the tickets that wait for you, by what they wait with',
    args: [],
    options: [],
    load: async () => (await import('./commands/queue.ts')).queue,
  },
  {
    name: 'next',
    says: 'the one ticket to look at next',
    args: [],
    options: [],
    load: async () => (await import('./commands/queue.ts')).next,
  },
  {
    name: 'stats',
    says: 'how the judge that only watches compares with what you did',
    args: [],
    options: [],
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  {
    name: 'call',
    says: 'one operation for programs, JSON in and JSON out',
    args: [
      { name: '<operation>', says: 'get_task, query_tasks, ...; an unknown one names them all' },
      { name: '[json]', says: 'its input, an object' },
    ],
    options: [],
    load: async () => (await import('./commands/call.ts')).call,
  },
];
