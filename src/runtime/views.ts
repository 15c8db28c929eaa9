import type { Answer, Person } from '../contract/answer.ts';
import type { Msg, Text } from '../contract/brief.ts';
import type { Draft, Gate } from '../contract/gate.ts';
import type { GateId, Hash, Instant, RunId } from '../contract/ids.ts';
import type { NoticeTopic } from '../contract/move.ts';
import type { Halt, Run, RunStatus } from '../contract/run.ts';
import type { Wait } from '../contract/step.ts';
import type { Pause } from '../contract/ticket.ts';
import type { AtGate } from '../engine/input.ts';
import type { Left, OverviewLine, StatusLine } from '../engine/workflow.ts';
import type { SpendTotal } from '../ports/store.ts';
import type { Leftover } from '../ports/workspace.ts';

/** Events of a driven run, for live lines and for `--json`. Everything here is also in the log. */
export type Progress =
  | {
      readonly type: 'run_created';
      readonly run: RunId;
      readonly title: string;
      readonly status: readonly StatusLine[];
    }
  | {
      readonly type: 'step_started';
      readonly run: RunId;
      readonly turn: number;
      readonly phase: string;
      readonly kind: string;
      readonly calls: readonly string[];
    }
  | {
      readonly type: 'call';
      readonly run: RunId;
      readonly role: string;
      readonly n: number;
      readonly state: 'started' | 'line' | 'retry' | 'done' | 'failed';
      readonly attempt: number;
      readonly text: Text | null;
    }
  /** A call is asleep: until the provider takes calls again, after a fault, or because its agent keeps failing. */
  | ({ readonly type: 'asleep'; readonly run: RunId; readonly role: string; readonly n: number } & Asleep)
  | {
      readonly type: 'notice';
      readonly run: RunId;
      readonly level: 'info' | 'warning';
      readonly text: Msg;
      readonly about?: NoticeTopic;
    }
  | { readonly type: 'recovered'; readonly run: RunId; readonly text: Msg }
  | { readonly type: 'gate_opened'; readonly run: RunId; readonly gate: GateId; readonly name: string }
  /** How far the run has come, computed from the row before each decision (CON-23). */
  | {
      readonly type: 'overview';
      readonly run: RunId;
      readonly phase: string;
      readonly lines: readonly OverviewLine[];
    }
  | ({ readonly type: 'auto_accepted'; readonly run: RunId } & AtGate)
  | ({ readonly type: 'paused'; readonly run: RunId; readonly delegation: Pause } & AtGate);

/** Where a run waits, or has ended, when nothing more happens by itself. */
export interface StopPoint {
  readonly run: RunId;
  /**
   * The run that waits for this one. Set if a drive stopped because a child of its run did. Null for the drive's own
   * run.
   */
  readonly parent: RunId | null;
  readonly status: Exclude<RunStatus, 'working'> | 'working';
  readonly phase: string;
  readonly gate: Gate | null;
  readonly wait: Wait | null;
  readonly halt: Halt | null;
  readonly outcome: string | null;
  /** The process that took the run over, if one did. */
  readonly elsewhere: string | null;
  readonly successor: RunId | null;
  /** Why the drive leaves the gate to a person. Only where gates may be delegated. */
  readonly pause: StopPause | null;
  /** The mode of the drive. Null where gates are never delegated or another process drives the run. */
  readonly mode: string | null;
}

/**
 * `until`: an answer before this time continues in the drive's mode, a later one in a controlled drive. Null: always a
 * controlled drive.
 */
export interface StopPause extends Pause {
  readonly until: Instant | null;
}

/** How to drive a run from now on. `one_shot` closes the drive at its first pause. */
export interface Invocation {
  readonly mode: string;
  readonly one_shot: boolean;
  /** The person who hands gates over. Without it, a mode that delegates is refused (CON-116). */
  readonly person?: Person;
}

/** A drive in this process: it holds the lease until it is closed. */
export interface DriveHandle {
  readonly run: RunId;
  /** Drives the run to its next stop point. Returns at once if it is there already. */
  advance(): Promise<StopPoint>;
  /**
   * Resolves when the row changes, a fact its gate depends on changes, or its wait is over. Rejects with the signal's
   * reason, or when the drive is closed.
   */
  changed(signal: AbortSignal): Promise<void>;
  /** Ends running work, stores all results and gives the lease back. Safe to call twice and during `advance`. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly agent: string | null;
  /** Text of a rehearsal script, already validated by the surface through `validateScript`. */
  readonly script: string | null;
  readonly in_place: boolean;
  readonly unattended: boolean;
  readonly opened_by: string;
  /** This process stays and shows gates. Otherwise the commit that opens a gate gives the lease back. */
  readonly attended: boolean;
  readonly invocation?: Invocation;
}

export interface Receipt {
  readonly ok: true;
  readonly receipt: string;
  readonly repeated: boolean;
  readonly run: RunId;
  readonly answer: Answer;
  readonly status: RunStatus;
  /** Set if the workflow has a different question by now. The answer is stored but has no effect. */
  readonly not_applied?: true;
  /** Set if another live process drives the run and continues it. */
  readonly driven_elsewhere: string | null;
  /**
   * The drive that this process opened with the answer. Null if the caller did not request one or another process has
   * the run.
   */
  readonly handle: DriveHandle | null;
}

/** Filters the orders that a worker would take. */
export interface OrderFilter {
  readonly run?: RunId;
  readonly role?: string;
}

/** Options to drive the run on from the commit of an answer: in the open drive, else in a controlled one (CON-111). */
export interface DriveOptions {
  readonly opened_by: string;
  readonly attended: boolean;
}

/** A gate with what a surface needs to show it. */
export interface ShownGate {
  readonly gate: Gate;
  readonly draft: Draft;
  readonly title: string;
  readonly lang: string;
  /** The brief in the run's language. */
  readonly text: string;
}

export interface RunView {
  readonly run: Run;
  readonly lines: readonly StatusLine[];
  readonly phase_label: Msg;
  readonly gate: Gate | null;
  readonly spend: SpendTotal;
  readonly driven_by: string | null;
  /** Set while the process that drives the run is stopped: how to continue or end that process. */
  readonly driver_stopped: Msg | null;
  readonly left: Left;
  /** Set while every open call of the step is asleep. The run then continues by itself. */
  readonly asleep_until: Instant | null;
  /** Calls of the current step: role, number of attempts so far, done or not, and until when and why it sleeps. */
  readonly calls: readonly {
    readonly role: string;
    readonly attempts: number;
    readonly done: boolean;
    readonly since: Instant;
    readonly asleep: Asleep | null;
  }[];
}

/** A call that is asleep. */
export interface Asleep {
  readonly agent: string;
  readonly why: 'limited' | 'infrastructure' | 'breaker';
  /** Null: not known yet. */
  readonly asleep_until: Instant | null;
}

export interface ShownArtefact {
  readonly name: string;
  readonly file: string;
  readonly hash: Hash;
  readonly text: string;
  readonly at: Instant;
}

/** The command or change was taken. */
export interface Done {
  readonly ok: true;
  readonly run: RunId;
}

export interface DoctorReport {
  readonly runs: number;
  readonly events: number;
  readonly problems: readonly { readonly run: RunId | null; readonly problem: string }[];
  readonly leftovers: readonly Leftover[];
}
