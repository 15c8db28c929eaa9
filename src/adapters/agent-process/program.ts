import type { Capabilities } from '../../contract/agent-found.ts';
import type { AgentCall, AgentEvent, Ended } from '../../ports/agent.ts';
import type { Exit } from '../../ports/processes.ts';

/** How a program said that it has come to its end; without it a stream is unfinished. */
export type Closing = Omit<Ended, 'type' | 'outcome'> & {
  readonly type: 'closing';
  readonly outcome: Exclude<Ended['outcome'], 'aborted'>;
};

/** What one line of a program's stream says, in our words. `session` names where the program could be taken up. */
export type Spoken =
  | Exclude<AgentEvent, { type: 'started' | 'ended' }>
  | { readonly type: 'session'; readonly id: string }
  | Closing;

/** Reads one stream from its first line; may count and add up, and does nothing else. */
export interface Reader {
  read(line: string): readonly Spoken[];
  /** The process is gone and no closing came: what its exit and last words mean. Null: the usual reading. */
  gone?(exit: Exit, stderr: string): Ended | null;
  /** It was ended because it said nothing for too long: what its last words tell about why. Null: the usual reading. */
  silent?(stderr: string): Ended | null;
  /** What its last words tell beside the stream once it has ended: refusals the stream is silent about. */
  afterwards?(stderr: string): readonly Spoken[];
}

/** A session of the program that an earlier start of the same attempt left. `told`: its tokens counted before. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly told: number;
}

/** What to start. Its environment is exactly `env` and the mark. */
export interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** One agent program: how it is started, and how its stream reads. Everything else is the same for all of them. */
export interface Program {
  readonly name: string;
  readonly rehearsal: boolean;
  readonly capabilities: Capabilities;
  readonly offers?: readonly string[];
  /** A command, or the end of a call that cannot be played. `session` is given only where it may be taken up. */
  start(call: AgentCall, session: Session | null): Promise<Command | Ended>;
  reader(call: AgentCall, session: Session | null): Reader;
}

export function ended(outcome: Ended['outcome'], detail: string): Ended {
  return { type: 'ended', outcome, detail };
}
