import type { Instant, RunId } from './ids.ts';

/**
 * Top-level keys that were set or removed. Values are complete, so that folding needs no knowledge of nested patches.
 */
export interface Patch {
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset: readonly string[];
}

export type EventType =
  | 'run_created'
  | 'step_settled'
  | 'step_started'
  | 'gate_opened'
  | 'gate_answered'
  /** The drive answered for the person (CON-55). */
  | 'auto_accepted'
  /** The drive leaves the open gate to a person and records why (CON-35). */
  | 'gate_paused'
  /** The trust level does not allow the requested mode, so the run continues as `controlled` (CON-12). */
  | 'dial_override'
  | 'gate_held'
  | 'gate_withdrawn'
  | 'signal_received'
  | 'trouble_opened'
  | 'trouble_answered'
  | 'run_slept'
  | 'run_halted'
  | 'run_resumed'
  | 'run_ended'
  | 'run_migrated'
  /** A person switched the run to another agent, or to the agents that baton.yaml names now. */
  | 'agent_changed'
  /** A process of a worker or check ran a command that only a person may run. */
  | 'worker_refused';

/**
 * A past event: the input and its changes. Appended once, never edited. `patch` changes the workflow's state,
 * `row` changes the engine's own fields of the run. Folding applies both and does not run workflow code.
 */
export interface RunEvent {
  readonly run: RunId;
  readonly seq: number;
  readonly type: EventType;
  readonly turn: number;
  readonly at: Instant;
  readonly by: string;
  readonly input: unknown;
  readonly patch: Patch;
  readonly row: Patch;
}
