import type { Capabilities } from '../contract/agent-found.ts';
import type { Instant } from '../contract/ids.ts';
import type { Tier } from '../contract/step.ts';
import type { Profile } from '../engine/workflow.ts';

/** Everything an agent is told about one attempt. The same call and attempt always carry the same bytes. */
export interface AgentCall {
  /** Effect id and attempt, `sp-3aa/2/0.1`: the idempotency key and the process mark. */
  readonly key: string;
  readonly workflow: string;
  readonly role: string;
  /** A named agent or skill of the program that plays the role; null is the plain role. */
  readonly bound: string | null;
  /** n-th logical call of this role in the run, from 1. */
  readonly nth: number;
  readonly attempt: number;
  readonly prompt: string;
  readonly cwd: string;
  readonly tier: Tier;
  /** A model of the program by its own name, set for the role; wins over the tier. */
  readonly model: string | null;
  readonly profile: Profile;
  readonly deadline_ms: number;
  /** What the run may still spend, for programs that can be told; null is no limit. */
  readonly money_left_usd: number | null;
  /** JSON Schema of the wanted result, for agents with structured output. */
  readonly schema: unknown;
  /** Where the worker may put its result: outside the tree, in a folder that holds nothing of ours. */
  readonly result_file: string;
  /** Folder of this attempt for streams; kept as long as the run's log. */
  readonly dir: string;
  readonly lang: string;
  /** Rendered slots for the rehearsal agent, so that a built-in score can echo the task. */
  readonly slots: Readonly<Record<string, string>>;
}

/** What an attempt has used so far; null is unknown, never zero. */
export interface Usage {
  readonly money_usd: number | null;
  readonly tokens: number | null;
}

export type AgentEvent =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'denied'; readonly what: string }
  /** Programs that were still there when the worker had ended; they were ended. */
  | { readonly type: 'left_running'; readonly programs: readonly string[] }
  | { readonly type: 'text'; readonly text: string }
  /** Structured output of the program itself. */
  | { readonly type: 'result'; readonly value: unknown }
  /** All the attempt has used so far, every time. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /**
   * Exactly one, last. `finished`: the program said it was done (which proves nothing about the work); `failed`: it
   * ended badly; `unavailable`: infrastructure (not started, killed from outside, provider down); `limited`: the
   * provider takes no calls before `until` (null: it did not say); `blocked`: it takes none from this person until they
   * have done something (signed in, paid, named another model), so asking again is useless; `aborted`: by us.
   */
  | {
      readonly type: 'ended';
      readonly outcome: 'finished' | 'failed' | 'unavailable' | 'limited' | 'blocked' | 'aborted';
      readonly detail: string;
      readonly until?: Instant | null;
    };

export type Ended = Extract<AgentEvent, { type: 'ended' }>;

export interface Agent {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** The attempt came to its end while nobody listened: `run` will only play its stream again. */
  isFinished(call: AgentCall): Promise<boolean>;
  /** A worker that is not ours to end may still be at it: `run` goes on waiting for it, and its tree is left alone. */
  isUnderWay?(call: AgentCall): Promise<boolean>;
  /** Names of agents or skills of the program a role can be bound to; none where it has no such thing. */
  readonly offers?: readonly string[];
  /** Said on every screen and document when no model writes the words. */
  readonly rehearsal: boolean;
  /**
   * Runs one attempt. If `dir` already holds a finished stream of the same key, its events are played again and
   * nothing is started. `signal` ends the worker and everything it started within 5 s.
   */
  run(call: AgentCall, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
