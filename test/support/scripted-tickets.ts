import type { TicketOperations } from '../../src/engine/operation-host.ts';
import { reject } from '../../src/engine/rejection.ts';
import type { Api } from '../../src/runtime/api.ts';

type Writes = Pick<
  Api,
  'recordDecision' | 'supersedeDecision' | 'linkDecision' | 'setTrust' | 'setProjectMode'
>;
type Reads =
  | 'decisions'
  | 'decision'
  | 'ticketDecisions'
  | 'trust'
  | 'projectMode'
  | 'settingChanges'
  | 'project';

/** A workspace where nothing was decided yet. */
export const NO_DECISIONS: Pick<Api, Reads> & Writes = {
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
export const NO_TICKETS: TicketOperations & Pick<Api, 'operate'> = {
  findTicket: async (name) => name,
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
