import type { Profile } from '../../engine/workflow.ts';
import type { Session } from '../agent-process/program.ts';

/** What the worker that drives an agent over the protocol is told. */
export interface Part {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly profile: Profile['kind'];
  /** Outside the tree; the one file there the agent may write. */
  readonly result_file: string;
  /** The agent's own name of a model; null leaves it to the agent. */
  readonly model: string | null;
  readonly session: Session | null;
}
