import type { Answer, AnswerInput, Person } from '../contract/answer.ts';
import type { Msg, Text } from '../contract/brief.ts';
import type { RunEvent } from '../contract/event.ts';
import type { Draft, Gate } from '../contract/gate.ts';
import type { GateId, Hash, Instant, RunId } from '../contract/ids.ts';
import type { Halt, Run, RunStatus } from '../contract/run.ts';
import type { Wait } from '../contract/step.ts';
import type { Pause } from '../contract/ticket.ts';
import type { AtGate, TriedByWorker } from '../engine/input.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { Left, OverviewLine, StatusLine } from '../engine/workflow.ts';
import type { Orders, TakenOrder } from '../ports/orders.ts';
import type { RunSummary, SpendTotal, StoredRecord } from '../ports/store.ts';
import type { Asked } from './announce.ts';
import type { KnowledgeApi } from './knowledge-api.ts';
import type { TicketApi } from './ticket-api.ts';
import type { WatchEnd } from './watch.ts';

/** What happens while a run is driven, for live lines and for `--json`. Everything here is also in the log. */
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
  /** A call waits by itself: for the provider, after a fault, or because its agent keeps failing. */
  | ({ readonly type: 'asleep'; readonly run: RunId; readonly role: string; readonly n: number } & Asleep)
  | { readonly type: 'notice'; readonly run: RunId; readonly level: 'info' | 'warning'; readonly text: Msg }
  | { readonly type: 'recovered'; readonly run: RunId; readonly text: Msg }
  | { readonly type: 'gate_opened'; readonly run: RunId; readonly gate: GateId; readonly name: string }
  /** Where the run stands on its way, made anew from the row before each decision (CON-23). */
  | {
      readonly type: 'overview';
      readonly run: RunId;
      readonly phase: string;
      readonly lines: readonly OverviewLine[];
    }
  | ({ readonly type: 'auto_accepted'; readonly run: RunId } & AtGate)
  | ({ readonly type: 'paused'; readonly run: RunId; readonly delegation: Pause } & AtGate);

/** Where a run stands when nothing more happens by itself. */
export interface Rest {
  readonly run: RunId;
  /** The run that waits for this one: its drive came to rest because a child of it did. Null for the drive's own run. */
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
  /** Why the drive leaves the gate to a person; only where gates may be delegated. */
  readonly pause: RestPause | null;
  /** The mode of the drive; null where gates are never delegated or somebody else drives. */
  readonly mode: string | null;
}

/** An answer until then is carried on in the drive's mode; null: by a controlled drive. */
export interface RestPause extends Pause {
  readonly until: Instant | null;
}

/** How a run is to be driven from now on; `one_shot` closes the drive at its first pause. */
export interface Invocation {
  readonly mode: string;
  readonly one_shot: boolean;
}

/** A drive in this process: it holds the lease until it is closed. */
export interface DriveHandle {
  readonly run: RunId;
  /** Carries the run on to its next rest; answers at once when it already rests. */
  advance(): Promise<Rest>;
  /** Resolves when somebody else changed the run since the last `advance`; rejects with the signal's reason. */
  changed(signal: AbortSignal): Promise<void>;
  /** Ends what is running, keeps all results, gives the lease back. Safe to call twice and during `advance`. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly agent: string | null;
  /** Text of a rehearsal score, already validated by the surface through `validateScore`. */
  readonly score: string | null;
  readonly in_place: boolean;
  readonly unattended: boolean;
  readonly opened_by: string;
  /** This process stays and shows gates; otherwise the lease is given back in the commit that opens a gate. */
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
  /** Set when another living process drives the run and goes on by itself. */
  readonly driven_elsewhere: string | null;
  /** The drive this process opened with the answer, when it asked for one and nobody else has the run. */
  readonly handle: DriveHandle | null;
}

/** Which orders a worker would take. */
export interface OrderWish {
  readonly run?: RunId;
  readonly role?: string;
}

/** Carry the run on from the same commit as an answer: by the drive that is open, else by a controlled one (CON-111). */
export interface DriveWish {
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
  readonly left: Left;
  /** Set while every open call of the step sleeps: then the run goes on by itself. */
  readonly asleep_until: Instant | null;
  /** Calls of the present step: role, how many tries so far, done or not, asleep until when and why. */
  readonly calls: readonly {
    readonly role: string;
    readonly attempts: number;
    readonly done: boolean;
    readonly since: Instant;
    readonly asleep: Asleep | null;
  }[];
}

/** A call that waits by itself. */
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

/** The service every surface calls. Each operation either does the whole thing or returns a Rejection and writes nothing. */
export interface Api extends KnowledgeApi, TicketApi {
  /** Creates the run; its first step waits for `advance`. */
  start(workflow: string, input: unknown, options: StartOptions): Promise<DriveHandle | Rejection>;
  /**
   * Takes the lease, or says who has it. An invocation opens a new drive; without one the open drive goes on. A child
   * whose parent waits for it is driven from the parent: that one is opened.
   */
  open(
    run: RunId,
    opened_by: string,
    attended: boolean,
    invocation?: Invocation,
  ): Promise<DriveHandle | Rejection>;
  /** `baton resume`: lifts a halt, or gives the workflow's own command (`reopen`, `restart`, `abandon`). */
  command(
    run: RunId,
    command: string,
    by: string,
    args?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly ok: true; readonly run: RunId } | Rejection>;
  /** A person's word who works on from here: this agent, and agents and roles as baton.yaml says them now. */
  changeAgent(
    run: RunId,
    agent: string,
    by: string,
  ): Promise<{ readonly ok: true; readonly run: RunId } | Rejection>;
  /** Halts the run where it stands; running workers are ended, a started outside write is not. */
  stop(run: RunId, by: string): Promise<{ readonly ok: true; readonly run: RunId } | Rejection>;
  answer(gate: GateId, input: AnswerInput, by: Person, drive?: DriveWish): Promise<Receipt | Rejection>;
  /** A worker's process gave a command that only a person may give: refused by the surface, put on record here. */
  noteWorker(run: RunId, tried: TriedByWorker): Promise<void>;
  /** An order for an outside worker, with the token that is the worker's right to it; null when none fits. */
  takeOrder(worker: string, wish: OrderWish): Promise<TakenOrder | null>;
  keepOrder: Orders['keep'];
  /** `{ result }` or `{ text }`, with `usage` where it is known. The run goes on when its drive sees it. */
  handIn(token: string, given: unknown): ReturnType<Orders['handIn']>;
  giveBack: Orders['giveBack'];
  /** The workflow's own words about a drive: its start, a pause, its end, its plan. */
  announce(run: RunId, what: Asked): Promise<readonly Text[]>;
  /** A ticket by its number, key and number, or UUID. */
  findTicket(name: string): Promise<RunId | Rejection>;
  keepDraft(gate: GateId, digest: Hash, draft: Draft): Promise<boolean>;
  /** A run id, a unique prefix of one, or a gate id. */
  find(name: string): Promise<RunId | Rejection>;
  findGate(name: string): Promise<Gate | Rejection>;
  list(all: boolean): Promise<RunSummary[]>;
  gates(run?: RunId): Promise<ShownGate[]>;
  view(run: RunId): Promise<RunView | Rejection>;
  /** Waits until the open gate is answered, or the next one that opens, no longer than a watch lasts (CON-74). */
  watch(run: RunId, signal: AbortSignal): Promise<WatchEnd | 'expired' | Rejection>;
  log(run: RunId, after: number): Promise<RunEvent[] | Rejection>;
  records(run: RunId): Promise<StoredRecord[]>;
  /** Documents and results of a run, newest of each name; `name` picks one. */
  artefacts(run: RunId): Promise<ShownArtefact[] | Rejection>;
  /** Puts a text into a language with the catalogues of the run's workflow. */
  translator(workflow: string | null, lang: string): Promise<(text: Text) => string>;
  /** Progress of every drive of this process. Returns the unsubscribe function. */
  onProgress(listener: (progress: Progress) => void): () => void;
  /** Folds every log and compares (deep), checks the file and every artefact named. */
  doctor(deep: boolean): Promise<DoctorReport>;
  close(): Promise<void>;
}

export interface DoctorReport {
  readonly runs: number;
  readonly events: number;
  readonly problems: readonly { readonly run: RunId | null; readonly problem: string }[];
}
