import path from 'node:path';
import { openAgent } from '../../src/adapters/agents.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { type Lab, openLab, openLabAt } from './lab.ts';
import { probeWorkflow } from './probe.ts';

/** The probe, but its workers may write. */
const writingProbe = {
  ...probeWorkflow,
  roles: Object.fromEntries(
    Object.entries(probeWorkflow.roles).map(([name, role]) => [
      name,
      { ...role, profile: { kind: 'writes' as const, globs: ['**'] } },
    ]),
  ),
};

const wrap = (deps: Deps): Deps => ({
  ...deps,
  workflow: async (name) => (name === 'probe' ? writingProbe : deps.workflow(name)),
  agent: (policy) =>
    openAgent('pull', policy, {
      processes: deps.processes,
      root: deps.workspace.root,
      home: path.dirname(deps.calls),
      env: {},
      worker: () => [],
      now: deps.clock.now,
    }),
});

/** A lab whose workers are all outside: `pull` as it is composed, in a new folder or one that exists. */
export function openPullLab(location?: { root: string; home: string }): Promise<Lab> {
  return location ? openLabAt(location, { wrap }) : openLab({ git: true, wrap });
}
