import type { Answer } from '../contract/answer.ts';
import type { GateId, Hash } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Outcome, Signal } from '../contract/outcome.ts';
import type { AgentPolicy, Run, Trouble } from '../contract/run.ts';
import type { Pause } from '../contract/ticket.ts';
import type { BaseState } from './workflow.ts';

/** A decision that a process with a worker's call id tried to make: the command, and its target gate or run. */
export interface TriedByWorker {
  readonly call_id: string;
  readonly command: string;
  readonly target: string;
}

/** Why a drive pauses at a gate, or which mode it was denied. */
type DriveNote =
  | { readonly type: 'gate_paused'; readonly told: GatePause }
  | { readonly type: 'dial_override'; readonly told: TrustOverride };

export interface GatePause extends Pause, AtGate {
  readonly digest: Hash;
}

/** A gate that a drive decided about. */
export interface AtGate {
  readonly gate: GateId;
  readonly name: string;
  readonly mode: string;
  readonly drive: string;
  /** The part of the gate's work that the brief is about, if the gate has parts. */
  readonly part?: string;
}

export interface TrustOverride {
  readonly flag: string;
  readonly trust: string;
  readonly drive: string;
}

/** Every input of an existing run. */
export type Input =
  | {
      readonly kind: 'outcome';
      readonly outcome: Outcome;
      readonly results: ReadonlyMap<number, unknown>;
      /** The engine's own notices about the step. */
      readonly records?: readonly MoveRecord[];
    }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'signal'; readonly signal: Signal; readonly inbox: string | null }
  | { readonly kind: 'resume' }
  /** A person switches the run to other agents. This many failed attempts of the step no longer count. */
  | { readonly kind: 'agent'; readonly agents: AgentPolicy; readonly forgiven: number }
  | { readonly kind: 'worker_refused'; readonly tried: TriedByWorker }
  /** A record of the drive itself. It does not move the run. */
  | ({ readonly kind: 'drive' } & DriveNote)
  | { readonly kind: 'halt'; readonly halt: NonNullable<Run['halt']> }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Readonly<Record<string, string | number>>;
      readonly records?: readonly MoveRecord[];
    }
  | { readonly kind: 'migrate'; readonly state: BaseState; readonly version: number };
