import type { Workflow } from '../../engine/workflow.ts';

/**
 * Forward only. Version 1 did not know its own id, did not tell whose baton.yaml it read, which is told only where it differs, and took its base
 * in place once; a run of it takes one before its next author. Version 2 was never the build of a ticket.
 */
export const deliverMigrations: Workflow['migrations'] = [
  { from: 1, migrate: (state) => ({ ...state, version: 2, run: null, config: 'committed', based: false }) },
  { from: 2, migrate: (state) => ({ ...state, version: 3, ticket: null }) },
];
