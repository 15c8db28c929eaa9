import type { Instant, RunId } from './ids.ts';

/** Top-level keys set and removed. Values are whole: nested patches would have to be understood to be folded. */
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
  /** The drive leaves the open gate to a person, and why (CON-35). */
  | 'gate_paused'
  /** A mode was asked for that the dial does not allow: the run goes on controlled (CON-12). */
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
  /** A person has it go on with another agent, or with agents as baton.yaml says them now. */
  | 'agent_changed'
  /** A process of a worker or check gave a command that only a person may give. */
  | 'worker_refused';

/**
 * What has happened: what came in and what it changed. Appended once, never edited. `patch` is about the workflow's
 * state, `row` about the engine's own fields of the run; folding applies both and runs no workflow code.
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
