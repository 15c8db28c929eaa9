import type { Profile } from '../../engine/workflow.ts';
import type { Session } from '../agent-process/program.ts';

/** Input of the worker that drives an agent over the protocol. */
export interface Part {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly profile: Profile['kind'];
  /** Outside the tree. It is the only file there that the agent may write. */
  readonly result_file: string;
  /** The agent's own name of a model. Null: the agent chooses. */
  readonly model: string | null;
  readonly session: Session | null;
}
