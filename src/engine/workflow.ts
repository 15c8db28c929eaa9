import type * as z from 'zod';
import type { ApprovedSpec } from '../contract/approved-spec.ts';
import type { DecisionRef, Msg, Text } from '../contract/brief.ts';
import type { GateDefinition } from '../contract/gate.ts';
import type { Hash, Instant, RunId } from '../contract/ids.ts';
import type { Move } from '../contract/move.ts';
import type { Outcome, Signal } from '../contract/outcome.ts';
import type { Policy, RunStatus } from '../contract/run.ts';
import type { Step, WorkerCall } from '../contract/step.ts';
import type { Delegation, DialLevel, DriveMode } from '../contract/ticket.ts';
import type { Catalogue } from './messages.ts';
import type { Rejection } from './rejection.ts';

/** Every state says where it is and in which language people are spoken to. The rest is the workflow's own. */
export interface BaseState {
  readonly phase: string;
  readonly user_lang: string;
}

/** `order` places the phase in listings; `to` is the whole set of legal next phases (staying is always legal). */
export interface PhaseDefinition {
  readonly label: Msg;
  readonly order: number;
  readonly to: readonly string[];
}
type PhaseTable = Readonly<Record<string, PhaseDefinition>>;

/** Tries inside one logical call: corrections of a wrong result, fresh tries, infrastructure repeats. */
interface Caps {
  readonly correct: number;
  readonly fresh: number;
  readonly infra: number;
}

/** What a worker may do to the tree. The runtime compares the tree after every call, whatever the agent says. */
export type Profile =
  | { readonly kind: 'read_only' }
  | { readonly kind: 'writes'; readonly globs: readonly string[] };

/** `each`: a slot of records becomes one block per record with its `text` verbatim, instead of one JSON list. */
export interface SlotDefinition {
  readonly name: string;
  readonly max: number;
  readonly preamble?: string;
  readonly each?: true;
}

export interface RoleDefinition<S> {
  /** The words with authority. Data reaches the worker only through slots, each fenced. */
  readonly template: string;
  /** Slots in the order they stand in the prompt, with the size each is cut at (characters). */
  readonly slots: readonly SlotDefinition[];
  readonly result: z.ZodType;
  /** Rules a schema cannot say; each string is told to the worker when it is asked to correct. */
  readonly check?: (result: never, state: S, call: WorkerCall) => readonly string[];
  /** Places in the tree the result rests on: each must be there, or the result is not valid. */
  readonly cites?: (result: never) => readonly { readonly file: string; readonly line: number }[];
  readonly caps: Caps;
  readonly profile: Profile;
  readonly deadline_minutes: number;
}
export type RoleTable<S> = Readonly<Record<string, RoleDefinition<S>>>;
export type GateTable = Readonly<Record<string, GateDefinition>>;

/** Puts catalogue text into a language; verbatim text stays as it is. Handed in by the runtime. */
export type Translate = (text: Text) => string;

/** What a run has used. Money that an agent did not tell is unknown, never zero. */
export interface Cost {
  readonly money_usd: number;
  readonly money_unknown: boolean;
  readonly tokens: number;
  readonly seconds: number;
  readonly attempts: number;
}

/** A document people read, made from a stored artefact or from the run's entries; the same bytes every time. */
interface DocumentDefinition {
  readonly file: string;
  /** Made from all entries of this name instead of an artefact. */
  readonly entries?: string;
  /** It says what the run has cost so far. */
  readonly costs?: true;
  /** Artefacts it reads along, by name. */
  readonly reads?: readonly string[];
  /** Documents of the same source whose digests it states. */
  readonly digests?: readonly string[];
  /** `source` is an artefact's text, or the data of the entries, oldest first. */
  readonly render: (source: unknown, t: Translate, facts: DocumentFacts) => string;
}

/** What a document may say beside its source; cost, texts and digests where its definition asks for them. */
export interface DocumentFacts {
  readonly run: RunId;
  readonly title: string;
  /** The run is a rehearsal: no model wrote any of it. */
  readonly rehearsal: boolean;
  /** Who worked: the agent of the run, then each role that had another one, as `role: agent`. */
  readonly agents: readonly string[];
  readonly cost: Cost | null;
  /** Newest text of each artefact read along; those that do not exist are left out. */
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

/** The one fixed set the runtime gathers before a run exists. */
export interface StartFacts {
  readonly now: Instant;
  readonly run: RunId;
  readonly short_id: string;
  readonly folder: string;
  readonly git: { readonly branch: string | null; readonly head: string | null } | null;
  readonly policy: Policy;
  /** The reference file after its whole check chain, when the input names one. */
  readonly reference: { readonly path: string; readonly hash: Hash } | null;
  /** Bindings of roles the agent program does not have: the plain role is used (WF-96). */
  readonly unbound: readonly { readonly role: string; readonly name: string }[];
  /** The approved specification the input names, looked up and compared; null when it names none. */
  readonly approved_spec: ApprovedSpec | null;
  readonly live: readonly LiveRun[];
  /** A name for the run that is the same on every machine. */
  readonly uuid: string;
}

interface Migration {
  readonly from: number;
  readonly migrate: (state: Record<string, unknown>) => Record<string, unknown>;
}

/** A line of the status block: what it is, and its value. */
export interface StatusLine {
  readonly label: Msg;
  readonly value: Text;
}

/** What an ended run left for the person: the branch to merge, and documents that stand on it or in the folder. */
export interface Left {
  readonly branch: string | null;
  readonly documents: readonly string[];
  readonly commit: string | null;
  /** Null where a run has no evidence; a path only where that document stands as a file. */
  readonly evidence: { readonly path: string | null } | null;
  /** Criteria met with evidence, of all; null where none was judged, or the change is not the judged one any more. */
  readonly criteria: { readonly met: number; readonly of: number } | null;
  /** How many files it changed; null where changing files is not what a run is for. */
  readonly files: number | null;
  /** Lines that came and went; null where nobody counts them. */
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
 * A workflow is pure functions over its own typed, bounded state, plus tables. No clock, no ids, no I/O, no
 * randomness: what it needs comes in.
 */
export interface Workflow<S extends BaseState = BaseState> {
  readonly name: string;
  /** Two letters that begin the ids of its runs. */
  readonly prefix: string;
  readonly version: number;
  /** Its workers write: with git each run gets a tree of its own, unless it is started in place. */
  readonly own_tree?: true;
  /** With git what it writes goes to a branch of its own and the checkout is left alone, unless it is started in place. */
  readonly own_branch?: true;
  readonly state: z.ZodType<S>;
  readonly input: z.ZodType;
  readonly migrations: readonly Migration[];
  readonly phases: PhaseTable;
  readonly roles: RoleTable<S>;
  readonly gates: GateTable;
  readonly documents: DocumentTable;
  readonly messages: Readonly<Record<'en' | 'ko', Catalogue>>;
  start(input: unknown, facts: StartFacts): Move<S> | Rejection;
  /** Total. Law: asked again while the step runs, it answers the same. */
  next(state: S): Step;
  /** Total for outcomes of effects; a Rejection is only for answers. */
  settle(state: S, step: Step, outcome: Outcome): Move<S> | Rejection;
  receive(state: S, signal: Signal): Move<S> | Rejection;
  title(state: S): string;
  status(state: S): readonly StatusLine[];
  /** Asked of a run that has ended. */
  left?(state: S): Left;
  /** Its runs are tickets: their ids are the project's key and the next number. */
  readonly numbered?: true;
  /** Only of a workflow with forward gates: whether a drive may answer the open gate for the person (CON-35). */
  delegate?(state: S, ask: DelegationAsk): Delegation;
  /** The decision the brief at the open gate is about; null when it is about none. */
  about?(state: S): DecisionRef | null;
  /** Which part of its gate's work the brief is about: the track of a design; null where there are no parts. */
  part?(state: S): string | null;
  /** What people are told about a drive of it: its start, a pause, its end. */
  announce?(state: S, what: Announcement): readonly Text[];
  /** Where the run stands on its way, as lines for people; made anew each time and never stored (CON-103). */
  overview?(state: S, mode: DriveMode): readonly OverviewLine[];
}

/** What the policy needs beside the row: the drive's mode, the workspace's dial, and the brief as people read it. */
export interface DelegationAsk {
  readonly mode: DriveMode;
  readonly dial: DialLevel;
  readonly content: string;
}

/** What a surface asks a workflow to put into words. */
export type Announcement =
  | { readonly kind: 'start'; readonly mode: DriveMode }
  /** The dial as it stands took this mode away. */
  | { readonly kind: 'denied'; readonly mode: DriveMode; readonly dial: string | null }
  | {
      readonly kind: 'pause';
      readonly mode: DriveMode;
      readonly dial: string | null;
      readonly pause: Extract<Delegation, { kind: 'pause' }>;
      readonly drive_open: boolean;
      /** The gate is asked right here: how to answer it from elsewhere need not be said. */
      readonly asked_here?: boolean;
      readonly content: string;
    }
  | { readonly kind: 'end'; readonly began: string }
  /** What the mode would do at each gate, before anything is run. */
  | { readonly kind: 'plan'; readonly mode: DriveMode; readonly dial: string | null };

/** One phase of the way: done, under way or to come, and what this drive would do there. */
export interface OverviewLine {
  readonly phase: string;
  readonly status: 'completed' | 'in_progress' | 'pending';
  readonly label: Msg;
  /** The status in words. */
  readonly says: Msg;
  /** What the drive's mode means for it; absent in controlled mode. */
  readonly plan?: Msg;
  /** What makes it the one under way: that it is the current gate, and its design track. */
  readonly marks: readonly Text[];
}

/** The one place where a workflow's state type is forgotten; the runtime only passes states back. */
export function defineWorkflow<S extends BaseState>(workflow: Workflow<S>): Workflow {
  return workflow as unknown as Workflow;
}
