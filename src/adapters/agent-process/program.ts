import type { Capabilities } from '../../contract/agent-found.ts';
import type { AgentCall, AgentEvent, Ended } from '../../ports/agent.ts';
import type { Exit } from '../../ports/processes.ts';

/** The end that a program reported itself. Without it a stream is unfinished. */
export type Closing = Omit<Ended, 'type' | 'outcome'> & {
  readonly type: 'closing';
  readonly outcome: Exclude<Ended['outcome'], 'aborted'>;
};

/**
 * One event from a line of a program's stream, in our terms. `session` names the session that the program could resume.
 */
export type Spoken =
  | Exclude<AgentEvent, { type: 'started' | 'ended' }>
  | { readonly type: 'session'; readonly id: string }
  | Closing;

/** Reads one stream from its first line. It may count and add up, but has no other effects. */
export interface Reader {
  read(line: string): readonly Spoken[];
  /** Called if the process exited without a closing. Interprets its exit and last words. Null: the default applies. */
  gone?(exit: Exit, stderr: string): Ended | null;
  /**
   * Called if the worker was stopped because it was silent for too long. Interprets its last words. Null: the default
   * applies.
   */
  silent?(stderr: string): Ended | null;
  /** Called after the end of the stream. Returns events that only the last words contain, such as refusals. */
  afterwards?(stderr: string): readonly Spoken[];
}

/** A session of the program from an earlier start of the same attempt. `counted`: its tokens that were reported before. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly counted: number;
}

/** The command to start. Its environment is exactly `env`, the call id and the workspace. */
export interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** One agent program: how to start it, and how to read its stream. Everything else is the same for all of them. */
export interface Program {
  readonly name: string;
  readonly rehearsal: boolean;
  readonly capabilities: Capabilities;
  readonly offers?: readonly string[];
  /** The command, or the end of a call that cannot run. `session` is set only if it may be resumed. */
  start(call: AgentCall, session: Session | null): Promise<Command | Ended>;
  reader(call: AgentCall, session: Session | null): Reader;
}

export function ended(outcome: Ended['outcome'], detail: string): Ended {
  return { type: 'ended', outcome, detail };
}
