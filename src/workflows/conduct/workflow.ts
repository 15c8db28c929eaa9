import { ConductInput, ConductState } from '../../contract/conduct.ts';
import { defineWorkflow } from '../../engine/workflow.ts';
import { acceptedPlan } from './accepted-plan.ts';
import { announce } from './announcements.ts';
import { commandNeeds } from './commands.ts';
import { next, settle } from './decide.ts';
import { delegate } from './delegate.ts';
import { ticketPhases } from './edges.ts';
import { conductGates } from './gates.ts';
import { ticketOverview } from './overview.ts';
import { receive } from './receive.ts';
import { conductRoles } from './roles.ts';
import { runFacts } from './run-facts.ts';
import { start } from './start.ts';
import { conductDocuments, status } from './summary.ts';

/** Takes one ticket through seven gates, from a captured idea to a verified release. The drive decides who answers. */
export const conductWorkflow = defineWorkflow<ConductState>({
  name: 'conduct',
  prefix: 'B',
  version: 1,
  numbered: true,
  state: ConductState,
  input: ConductInput,
  migrations: [],
  phases: ticketPhases,
  roles: conductRoles,
  gates: conductGates,
  documents: conductDocuments,
  start,
  next,
  settle,
  receive,
  needs: commandNeeds,
  judged: (command, { brief }) => (command === 'acknowledge' ? (brief?.doc ?? null) : undefined),
  plan: acceptedPlan,
  title: ({ title }) => title,
  status,
  delegate,
  announce,
  about: ({ brief, round, trouble, reopening }) =>
    round || trouble || reopening ? null : (brief?.decision_ref ?? null),
  part: ({ brief }) => brief?.track ?? null,
  // The trust level is already applied to the drive's mode.
  overview: (state, mode) => ticketOverview(runFacts(state, mode, 'balanced')),
});
