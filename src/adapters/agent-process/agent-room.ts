import path from 'node:path';
import type { Policy } from '../../contract/run.ts';
import { isContained } from '../../engine/containment.ts';
import type { AgentCall } from '../../ports/agent.ts';
import type { Room } from '../../ports/processes.ts';

/** The sandbox of one call; null: no sandbox. An agent has network access, because it calls its provider. */
export type RoomOf = (call: AgentCall) => Room | null;

interface AgentFiles {
  readonly programs: readonly string[];
  readonly show: readonly string[];
  readonly write: readonly string[];
}

const NOTHING: AgentFiles = { programs: [], show: [], write: [] };

/**
 * `files` are those of the agent program. The attempt's folder is readable. Only the folder of the result is writable.
 */
export function agentRoom(policy: Policy, files: AgentFiles = NOTHING): RoomOf {
  if (!isContained(policy)) return () => null;
  return ({ dir, result_file, profile }) => ({
    own: policy.tree === 'clone',
    writes: profile.kind === 'writes',
    programs: files.programs,
    show: [...files.show, dir],
    write: [...files.write, path.dirname(result_file)],
    network: true,
    cache: { of: 'agents' },
  });
}
