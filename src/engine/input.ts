import type { Answer } from '../contract/answer.ts';
import type { GateId, Hash } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Outcome, Signal } from '../contract/outcome.ts';
import type { AgentPolicy, Run, Trouble } from '../contract/run.ts';
import type { Pause } from '../contract/ticket.ts';
import type { BaseState } from './workflow.ts';

/** What a process with a worker's mark tried to decide: the command, and the gate or run it was for. */
export interface TriedByWorker {
  readonly mark: string;
  readonly command: string;
  readonly target: string;
}

/** Why a drive pauses at a gate, or what it was not allowed to be. */
type DriveNote =
  | { readonly type: 'gate_paused'; readonly told: GatePause }
  | { readonly type: 'dial_override'; readonly told: DialOverride };

export interface GatePause extends Pause, AtGate {
  readonly digest: Hash;
}

/** A gate that a drive decided about. */
export interface AtGate {
  readonly gate: GateId;
  readonly name: string;
  readonly mode: string;
  readonly drive: string;
  /** The part of the gate's work the brief is about, where it has parts. */
  readonly part?: string;
}

export interface DialOverride {
  readonly flag: string;
  readonly dial: string;
  readonly drive: string;
}

/** Everything that can come in to a run that exists. */
export type Input =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly results: ReadonlyMap<number, unknown>;
      /** What the engine itself has to tell of how the step went. */
      readonly records?: readonly MoveRecord[];
    }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'signal'; readonly signal: Signal; readonly inbox: string | null }
  | { readonly kind: 'resume' }
  /** Who works from here on, by a person's word; faults of so many attempts of the step are forgiven. */
  | { readonly kind: 'agent'; readonly agents: AgentPolicy; readonly forgiven: number }
  | { readonly kind: 'worker_refused'; readonly tried: TriedByWorker }
  /** What the drive itself puts on record; it moves nothing. */
  | ({ readonly kind: 'drive' } & DriveNote)
  | { readonly kind: 'halt'; readonly halt: NonNullable<Run['halt']> }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Readonly<Record<string, string | number>>;
      readonly records?: readonly MoveRecord[];
    }
  | { readonly kind: 'migrate'; readonly state: BaseState; readonly version: number };
