import type { Profile } from '../../engine/workflow.ts';
import { commandOf, environmentOf, modelOf } from '../agent-process/command-line.ts';
import type { AgentKind } from '../agent-process/kind.ts';
import type { Session } from '../agent-process/program.ts';
import { ANY_PROGRAM, workerLine } from '../agent-process/record.ts';

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

/**
 * Settings for Claude Code, the agent that is run this way most often. Other agents ignore them. Without them it
 * retries an overloaded provider ten times without reporting it, and its shells continue in the background.
 */
const QUIET = { CLAUDE_CODE_MAX_RETRIES: '2', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };

/** Any agent that speaks the Agent Client Protocol on its stdin and stdout. */
export const acp: AgentKind = {
  title: 'Any ACP agent',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: false,
    cancel: 'protocol',
    permission_requests: true,
    // Each agent decides whether it asks before it writes.
    read_only: false,
  },
  ...ANY_PROGRAM,
  start: async (setup, call, session) => {
    const part: Part = {
      argv: commandOf(acp, setup),
      cwd: call.cwd,
      profile: call.profile.kind,
      result_file: call.result_file,
      model: modelOf(acp, setup, call),
      session,
    };
    return await workerLine(setup.worker('acp'), call, part, { ...QUIET, ...environmentOf(acp, setup) });
  },
};
