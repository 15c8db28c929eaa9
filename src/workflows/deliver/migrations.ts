import type { Workflow } from '../../engine/workflow.ts';

/**
 * Forward only. Version 1 stored neither its run id nor where its baton.yaml came from, which counts as committed. It
 * took its base in place only once, so such a run takes one again before its next author. Version 2 was never the build
 * of a ticket.
 */
export const deliverMigrations: Workflow['migrations'] = [
  { from: 1, migrate: (state) => ({ ...state, version: 2, run: null, config: 'committed', based: false }) },
  { from: 2, migrate: (state) => ({ ...state, version: 3, ticket: null }) },
];
