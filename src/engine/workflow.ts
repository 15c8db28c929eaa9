import type * as z from 'zod';
import type { ApprovedSpec } from '../contract/approved-spec.ts';
import type { BriefDoc, DecisionRef, Msg, Text } from '../contract/brief.ts';
import type { GateDefinition } from '../contract/gate.ts';
import type { Hash, Instant, RunId } from '../contract/ids.ts';
import type { Move } from '../contract/move.ts';
import type { Outcome, Signal } from '../contract/outcome.ts';
import type { Containment, Policy, RunStatus } from '../contract/run.ts';
import type { Step, WorkerCall } from '../contract/step.ts';
import type { Delegation, DriveMode, TrustLevel } from '../contract/ticket.ts';
import type { Needs } from './operation.ts';
import type { Rejection } from './rejection.ts';

/** Every state has the phase and the language for people. The rest belongs to the workflow. */
export interface BaseState {
  readonly phase: string;
  readonly user_lang: string;
}

/** `order` sorts the phase in listings. `to` lists all legal next phases. Staying is always legal. */
export interface PhaseDefinition {
  readonly label: Msg;
  readonly order: number;
  readonly to: readonly string[];
}
type PhaseTable = Readonly<Record<string, PhaseDefinition>>;

/**
 * Attempts inside one logical call: corrections of a wrong result, fresh attempts, retries after infrastructure faults.
 */
interface Caps {
  readonly correct: number;
  readonly fresh: number;
  readonly infra: number;
}

/** A worker's write access to the tree. The runtime compares the tree after every call, whatever the agent reports. */
export type Profile =
  | { readonly kind: 'read_only' }
  | { readonly kind: 'writes'; readonly globs: readonly string[] };

/** `each`: records fill one block each, with their `text` verbatim, instead of one JSON list. */
export interface SlotDefinition {
  readonly name: string;
  readonly max: number;
  readonly preamble?: string;
  readonly each?: true;
}

export interface RoleDefinition<S> {
  /** A file of src/prompts: the instructions. Data reaches the worker only through slots, each of them fenced. */
  readonly prompt: string;
  /** Text from Baton's own tables for the placeholders of the prompt. */
  readonly words?: Readonly<Record<string, string>>;
  /** Slots in the order of the prompt, each with its maximum size (characters). */
  readonly slots: readonly SlotDefinition[];
  readonly result: z.ZodType;
  /** Rules that a schema cannot express. The correction request to the worker contains each string. */
  readonly check?: (result: never, state: S, call: WorkerCall) => readonly string[];
  /** Locations in the tree that the result depends on. Each must exist, or the result is not valid. */
  readonly cites?: (result: never) => readonly { readonly file: string; readonly line: number }[];
  readonly caps: Caps;
  readonly profile: Profile;
  readonly deadline_minutes: number;
}
export type RoleTable<S> = Readonly<Record<string, RoleDefinition<S>>>;
export type GateTable = Readonly<Record<string, GateDefinition>>;

/** Translates catalogue text. Verbatim text is unchanged. The runtime passes it in. */
export type Translate = (text: Text) => string;

/** The cost of a run. If an agent does not report the price, it is unknown, never zero. */
export interface Cost {
  readonly money_usd: number;
  readonly money_unknown: boolean;
  readonly tokens: number;
  readonly seconds: number;
  readonly attempts: number;
}

/**
 * A document for people, made from a stored artefact or from the run's entries. The output is the same bytes every
 * time.
 */
interface DocumentDefinition {
  readonly file: string;
  /** Made from all entries of this name, instead of an artefact. */
  readonly entries?: string;
  /** The document shows the cost of the run so far. */
  readonly costs?: true;
  /** Names of additional artefacts it reads. */
  readonly reads?: readonly string[];
  /** Documents of the same source whose digests it shows. */
  readonly digests?: readonly string[];
  /** `source` is the text of an artefact, or the data of the entries, oldest first. */
  readonly render: (source: unknown, t: Translate, facts: DocumentFacts) => string;
}

/** Data for a document besides its source. Cost, texts and digests are set only if its definition requests them. */
export interface DocumentFacts {
  readonly run: RunId;
  readonly title: string;
  /** The run is a rehearsal: no model wrote any of it. */
  readonly rehearsal: boolean;
  /** The agent of the run, then each role that used another one, as `role: agent`. */
  readonly agents: readonly string[];
  readonly cost: Cost | null;
  /** How workers and checks were contained. Absent in older runs. */
  readonly containment?: Containment;
  /** Why some workers or checks were not sandboxed. Absent if all were. */
  readonly unsandboxed?: string;
  /** Newest text of each additional artefact. Missing artefacts are left out. */
  readonly artefacts: Readonly<Partial<Record<string, string>>>;
  readonly digests: Readonly<Partial<Record<string, Hash>>>;
}
export type DocumentTable = Readonly<Record<string, DocumentDefinition>>;

export interface LiveRun {
  readonly run: RunId;
  readonly workflow: string;
  readonly subject: string;
  readonly phase: string;
  readonly status: RunStatus;
  readonly title: string;
}

/** The fixed set of facts that the runtime collects before a run exists. */
export interface StartFacts {
  readonly now: Instant;
  readonly run: RunId;
  readonly short_id: string;
  readonly folder: string;
  readonly git: { readonly branch: string | null; readonly head: string | null } | null;
  readonly policy: Policy;
  /** The reference file after its whole check chain, if the input names one. */
  readonly reference: { readonly path: string; readonly hash: Hash } | null;
  /** Roles bound to names that the agent program does not have. The plain role is used (WF-96). */
  readonly unbound: readonly { readonly role: string; readonly name: string }[];
  /** The approved specification that the input names, found and compared. Null if the input names none. */
  readonly approved_spec: ApprovedSpec | null;
  readonly live: readonly LiveRun[];
  /**
   * The newest runs of the workflow that have a cost, including live ones. Empty if the workflow does not set
   * `measures`.
   */
  readonly measured: readonly { readonly state: Readonly<Record<string, unknown>>; readonly cost: Cost }[];
  /** A globally unique id of the run, independent of the machine. */
  readonly uuid: string;
}

interface Migration {
  readonly from: number;
  readonly migrate: (state: Record<string, unknown>) => Record<string, unknown>;
}

/** A line of the status block: label and value. */
export interface StatusLine {
  readonly label: Msg;
  readonly value: Text;
}

/** Results of an ended run for the person: the branch to merge, and documents on it or in the folder. */
export interface Left {
  readonly branch: string | null;
  readonly documents: readonly string[];
  readonly commit: string | null;
  /** Null if a run has no evidence. `path` is null if that document does not exist as a file. */
  readonly evidence: { readonly path: string | null } | null;
  /**
   * Criteria met with evidence, out of all. Null if none was judged, or if the change was modified after the
   * evaluation.
   */
  readonly criteria: { readonly met: number; readonly of: number } | null;
  /** Check failures that existed before the run. Absent if there are none. */
  readonly old_failures?: number;
  /** Number of changed files. Null for a workflow that is not meant to change files. */
  readonly files: number | null;
  /** Lines added and removed. Null if they are not counted. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

export const NOTHING_LEFT: Left = {
  branch: null,
  documents: [],
  commit: null,
  evidence: null,
  criteria: null,
  files: null,
  lines: null,
};

/**
 * A workflow is pure functions over its own typed, bounded state, plus tables. It has no clock, no ids, no I/O and no
 * randomness. The runtime passes in what it needs.
 */
export interface Workflow<S extends BaseState = BaseState> {
  readonly name: string;
  /** The two letters that start the ids of its runs. */
  readonly prefix: string;
  readonly version: number;
  /** Its workers write. With git, each run gets its own tree, unless it is started in place. */
  readonly own_tree?: true;
  /** Its gates show what earlier runs cost. */
  readonly measures?: true;
  readonly state: z.ZodType<S>;
  readonly input: z.ZodType;
  readonly migrations: readonly Migration[];
  readonly phases: PhaseTable;
  readonly roles: RoleTable<S>;
  readonly gates: GateTable;
  readonly documents: DocumentTable;
  start(input: unknown, facts: StartFacts): Move<S> | Rejection;
  /** Total. Called again while the step runs, it returns the same step. */
  next(state: S): Step;
  /** Total for outcomes of effects. Only an answer can get a Rejection. */
  settle(state: S, step: Step, outcome: Outcome): Move<S> | Rejection;
  receive(state: S, signal: Signal): Move<S> | Rejection;
  /**
   * The document that a command judges. The runtime adds its text in English as the argument `content`. Undefined: the
   * command does not judge a document. Null: the document does not exist now.
   */
  judged?(command: string, state: S): BriefDoc | null | undefined;
  /** What a caller needs to give one of its commands. Absent or undefined: proof of a person. */
  needs?(command: string, args: Readonly<Record<string, unknown>>): Needs | undefined;
  /**
   * Receives the engine's notices about workers before a step settles. The state must stay bounded: calls can repeat.
   */
  onNotices?(state: S, notices: readonly Msg[]): S;
  /** The accepted plan that another run may start from. Null: no plan is accepted now. Absent: its runs never have a plan. */
  plan?(state: S): AcceptedPlan | null;
  title(state: S): string;
  status(state: S): readonly StatusLine[];
  /** Called only for a run that has ended. */
  left?(state: S): Left;
  /** Its runs are tickets. Their ids are the project's key and the next number. */
  readonly numbered?: true;
  /** Only for a workflow with forward gates: whether a drive may answer the open gate for the person (CON-35). */
  delegate?(state: S, ask: DelegationAsk): Delegation;
  /** The decision that the brief at the open gate is about. Null: the brief is not about a decision. */
  about?(state: S): DecisionRef | null;
  /** The part of the gate's work that the brief is about: the track of a design. Null: the gate has no parts. */
  part?(state: S): string | null;
  /** Messages about a drive: its start, a pause, its end. */
  announce?(state: S, what: Announcement): readonly Text[];
  /** The progress of the run as lines for people. Computed each time and never stored (CON-103). */
  overview?(state: S, mode: DriveMode): readonly OverviewLine[];
}

/** A plan that a person or a drive accepted. It takes the place of an approved specification. */
export interface AcceptedPlan extends Pick<ApprovedSpec, 'slug' | 'docs_path' | 'criteria'> {
  /** The document that contains it. */
  readonly document: string;
  readonly accepted: NonNullable<ApprovedSpec['accepted']>;
}

/** Input of the policy besides the row: the drive's mode, the workspace's trust level, and the brief as shown. */
export interface DelegationAsk {
  readonly mode: DriveMode;
  readonly trust: TrustLevel;
  readonly content: string;
}

/** An event or plan of a drive that a workflow puts into words for a surface. */
export type Announcement =
  | { readonly kind: 'start'; readonly mode: DriveMode }
  /** The current trust level does not allow this mode. */
  | { readonly kind: 'denied'; readonly mode: DriveMode; readonly trust: string | null }
  | {
      readonly kind: 'pause';
      readonly mode: DriveMode;
      readonly trust: string | null;
      readonly pause: Extract<Delegation, { kind: 'pause' }>;
      readonly drive_open: boolean;
      /** The gate is asked in this terminal, so the message need not explain how to answer it from elsewhere. */
      readonly asked_here?: boolean;
      readonly content: string;
    }
  | { readonly kind: 'end'; readonly began: string }
  /** The decision of the mode at each gate, before anything runs. */
  | { readonly kind: 'plan'; readonly mode: DriveMode; readonly trust: string | null };

/** One phase of the overview: done, in progress or pending, and what this drive would do there. */
export interface OverviewLine {
  readonly phase: string;
  readonly status: 'completed' | 'in_progress' | 'pending';
  readonly label: Msg;
  /** The status as text. */
  readonly says: Msg;
  /** The effect of the drive's mode on this phase. Absent in controlled mode. */
  readonly plan?: Msg;
  /** Labels of the phase in progress: the current gate, and its design track. */
  readonly badges: readonly Text[];
}

/** The only cast that drops a workflow's state type. The runtime only passes states back. */
export function defineWorkflow<S extends BaseState>(workflow: Workflow<S>): Workflow {
  return workflow as unknown as Workflow;
}
