import { DeliverInput, DeliverState } from '../../contract/deliver.ts';
import { defineWorkflow } from '../../engine/workflow.ts';
import { deliverDocuments } from './documents.ts';
import { deliverGates } from './gates.ts';
import { deliverMessages } from './messages.ts';
import { deliverMigrations } from './migrations.ts';
import { next } from './next.ts';
import { deliverPhases } from './phases.ts';
import { receive } from './receive.ts';
import { deliverRoles } from './roles.ts';
import { settle } from './settle.ts';
import { start } from './start.ts';
import { left, status } from './summary.ts';
import { tellTicket } from './ticket.ts';

/** One task becomes a verified change: plan, generate, verify, evaluate, and a person's word at every turn. */
export const deliverWorkflow = defineWorkflow<DeliverState>({
  name: 'deliver',
  prefix: 'de',
  version: 3,
  own_tree: true,
  own_branch: true,
  measures: true,
  state: DeliverState,
  input: DeliverInput,
  migrations: deliverMigrations,
  phases: deliverPhases,
  roles: deliverRoles,
  gates: deliverGates,
  documents: deliverDocuments,
  messages: deliverMessages,
  start,
  next,
  settle: (state, step, outcome) => tellTicket(state, settle(state, step, outcome)),
  receive: (state, signal) => tellTicket(state, receive(state, signal)),
  title: (state) => state.task,
  status,
  left,
});
