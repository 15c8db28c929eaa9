import { reject } from '../../src/engine/rejection.ts';
import type { Api } from '../../src/runtime/api.ts';
import type { KnowledgeReads } from '../../src/runtime/knowledge-api.ts';
import type { TicketReads } from '../../src/runtime/ticket-api.ts';

type Writes = Pick<
  Api,
  'recordDecision' | 'supersedeDecision' | 'linkDecision' | 'setTrust' | 'setProjectMode'
>;
type TicketWrites = Pick<Api, 'createTicket' | 'manageChildren' | 'operate'>;

/** A workspace where nothing was decided yet. */
export const NO_DECISIONS: KnowledgeReads & Writes = {
  recordDecision: async () => reject('bad_input'),
  supersedeDecision: async () => reject('bad_input'),
  linkDecision: async ({ id }) => reject('no_such_decision', { id }),
  decisions: async () => [],
  decision: async (id) => reject('no_such_decision', { id }),
  ticketDecisions: async () => [],
  trust: async () => ({ level: 'balanced', raw: null }),
  setTrust: async () => ({ ok: true, change: null }),
  projectMode: async () => 'opinionated',
  setProjectMode: async () => ({ ok: true, change: null }),
  settingChanges: async () => [],
  project: async () => ({
    mode: 'opinionated',
    key: 'B',
    agent_trust: { level: 'balanced', overrides: {} },
  }),
};

/** A workspace without tickets. */
export const NO_TICKETS: TicketReads & TicketWrites = {
  createTicket: async () => reject('bad_input'),
  ticket: async (name) => reject('no_such_run', { run: name }),
  brief: async () => null,
  tickets: async () => [],
  queue: async () => ({ groups: [], stale: [] }),
  nextTicket: async () => null,
  children: async () => [],
  manageChildren: async () => [],
  stats: async () => [],
  operate: async (command) => reject('no_such_command', { command, allowed: '' }),
};
