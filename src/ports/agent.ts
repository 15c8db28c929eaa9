import type { Capabilities } from '../contract/agent-found.ts';
import type { Instant } from '../contract/ids.ts';
import type { Tier } from '../contract/step.ts';
import type { Profile } from '../engine/workflow.ts';

/** Everything an agent receives for one attempt. The same call and attempt always carry the same bytes. */
export interface AgentCall {
  /** Effect id and attempt, `sp-3aa/2/0.1`: the idempotency key and the call id (`BATON_CALL`). */
  readonly key: string;
  readonly workflow: string;
  readonly role: string;
  /** A named agent or skill of the program for this role. Null: the plain role. */
  readonly bound: string | null;
  /** Number of this logical call of the role in the run, from 1. */
  readonly nth: number;
  readonly attempt: number;
  readonly prompt: string;
  readonly cwd: string;
  readonly tier: Tier;
  /** A model under the program's own name, set for the role. It overrides the tier. */
  readonly model: string | null;
  readonly profile: Profile;
  readonly deadline_ms: number;
  /** The rest of the run's money budget, for programs that accept a limit. Null: no limit. */
  readonly money_left_usd: number | null;
  /** JSON Schema of the wanted result, for agents with structured output. */
  readonly schema: unknown;
  /** Where the worker may write its result: outside the tree, in a folder without Baton's own files. */
  readonly result_file: string;
  /** Folder of this attempt for its streams. It is stored as long as the run's log. */
  readonly dir: string;
  readonly lang: string;
  /** Rendered slots for the rehearsal agent, so that a built-in script can echo the task. */
  readonly slots: Readonly<Record<string, string>>;
}

/** Usage of an attempt so far. Null: unknown, never zero. */
export interface Usage {
  readonly money_usd: number | null;
  readonly tokens: number | null;
}

export type AgentEvent =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'denied'; readonly what: string }
  /** Programs still running after the worker had ended. Baton ended them. */
  | { readonly type: 'left_running'; readonly programs: readonly string[] }
  | { readonly type: 'text'; readonly text: string }
  /** Structured output of the program itself. */
  | { readonly type: 'result'; readonly value: unknown }
  /** Total usage of the attempt so far, not an increment. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /**
   * Exactly one, as the last event. `finished`: the program reported success, which proves nothing about the work.
   * `failed`: it ended with an error. `unavailable`: infrastructure (not started, killed from outside, provider down).
   * `limited`: the provider accepts no calls before `until` (null: time unknown). `blocked`: it accepts none from this
   * person until they act (sign in, pay, name another model), so a retry is useless. `aborted`: Baton ended it.
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
  /** The attempt ended while no process listened. `run` will only replay its stream. */
  isFinished(call: AgentCall): Promise<boolean>;
  /** A worker that Baton cannot end may still be running. `run` then waits for it, and its tree is not touched. */
  isUnderWay?(call: AgentCall): Promise<boolean>;
  /** Names of the program's agents or skills that a role can be bound to. Absent if the program has none. */
  readonly offers?: readonly string[];
  /** True if no model writes the text. Every screen and document then shows it. */
  readonly rehearsal: boolean;
  /**
   * Runs one attempt. If `dir` already holds a finished stream of the same key, it replays the events and starts
   * nothing. `signal` ends the worker and everything it started within 5 s.
   */
  run(call: AgentCall, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
