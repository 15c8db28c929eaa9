import type { BriefDoc, DecisionRef, Msg } from './brief.ts';
import type { GateSpec } from './gate.ts';
import type { Hash, Instant, RunId } from './ids.ts';

/** Model tier of a call; the adapter maps it to a model. `inherit` is the adapter's own default. */
export type Tier = 'inherit' | 'opus' | 'sonnet' | 'haiku';

/** A slot is filled by reference, so that a repeat sends the same bytes and the state stays small. */
export type SlotRef =
  | { readonly text: string }
  | { readonly artefact: Hash }
  | { readonly json: unknown }
  /** A brief as people read it, in English: content is the document rendered and is stored nowhere. */
  | { readonly brief: BriefDoc; readonly ref: DecisionRef | null }
  /** All records of this kind of this run, oldest first. */
  | { readonly records: string };

/** One logical call of a worker in a role. The role table has template, schema, caps, profile and deadline. */
export interface WorkerCall {
  readonly role: string;
  readonly slots: Readonly<Record<string, SlotRef>>;
  readonly tier: Tier;
}

/** A command run by us. `source` says where it was found. The checks of a step run one after the other. */
export interface Check {
  readonly name: string;
  readonly command: string;
  readonly source: string;
  readonly timeout_seconds: number;
  /** Names of earlier checks of the step; when one of them failed, this one is skipped. */
  readonly skip_if_failed?: readonly string[];
}

/** Reading the world. `what` names an entry of the workspace's look table; the rest is its input. */
export interface Look {
  readonly what: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Exactly one outside write. `op` names an entry of the port's table. */
export interface Op {
  readonly op: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `command`: the run is halted and only one of the named commands moves it. */
export type Wait =
  | { readonly kind: 'command'; readonly commands: readonly string[]; readonly why: Msg }
  | { readonly kind: 'time'; readonly at: Instant; readonly why: Msg }
  | { readonly kind: 'run_ended'; readonly run: RunId; readonly why: Msg }
  | { readonly kind: 'children'; readonly why: Msg };

/** A watched fact may withdraw the gate it stands on; it is never an answer. Looked at by a live drive. */
interface Fact extends Look {
  /** What it was when the gate was made; anything else becomes a `fact` signal. */
  readonly was: unknown;
}

/**
 * A successor whose id is not known yet: the run spawned by the move that ends this one. A workflow makes no ids; the
 * runtime puts the real one in its place wherever it tells the successor. Such a move spawns exactly one run.
 */
export const CHILD = 'child';

/** How a run ended. `passed` style claims live in the workflow's own `result` word. */
export interface RunOutcome {
  readonly result: string;
  readonly why?: Msg;
  /** The run that goes on with the subject, if any; `CHILD` stands for the one this move spawns. */
  readonly successor?: RunId;
}

export type EffectKind = 'work' | 'check' | 'look' | 'workspace' | 'tracker' | 'deploy';

export type Step =
  | { readonly kind: 'gate'; readonly gate: GateSpec; readonly watch?: readonly Fact[] }
  | { readonly kind: 'work'; readonly during: string; readonly calls: readonly WorkerCall[] }
  | { readonly kind: 'check'; readonly during: string; readonly checks: readonly Check[] }
  | { readonly kind: 'look'; readonly during: string; readonly what: Look }
  | { readonly kind: 'workspace' | 'tracker' | 'deploy'; readonly during: string; readonly op: Op }
  | { readonly kind: 'wait'; readonly until: Wait }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

export type EffectStep = Exclude<Step, { kind: 'gate' | 'wait' | 'end' }>;
