import type { BriefDoc, DecisionRef, Msg } from './brief.ts';
import type { GateSpec } from './gate.ts';
import type { Hash, Instant, RunId } from './ids.ts';

/** Model tier of a call. The adapter maps it to a model. `inherit` is the adapter's default. */
export type Tier = 'inherit' | 'opus' | 'sonnet' | 'haiku';

/** A slot is filled by reference, so that a retry sends the same bytes and the state stays small. */
export type SlotRef =
  | { readonly text: string }
  | { readonly artefact: Hash }
  | { readonly json: unknown }
  /** A brief as people read it, in English. The content is the rendered document and is not stored. */
  | { readonly brief: BriefDoc; readonly ref: DecisionRef | null }
  /** All records of this kind of this run, oldest first. */
  | { readonly records: string };

/** One logical call of a worker in a role. The role table has template, schema, caps, profile and deadline. */
export interface WorkerCall {
  readonly role: string;
  readonly slots: Readonly<Record<string, SlotRef>>;
  readonly tier: Tier;
}

/** A command that Baton runs. `source` says where it was found. The checks of a step run one after another. */
export interface Check {
  readonly name: string;
  readonly command: string;
  readonly source: string;
  readonly timeout_seconds: number;
  /** Names of earlier checks of the step. If one of them failed, this check is skipped. */
  readonly skip_if_failed?: readonly string[];
  /** Run on a clean checkout of the commit of these paths, after `install` has installed its packages there. */
  readonly clean?: {
    readonly paths: readonly string[];
    readonly since: string;
    readonly install: string | null;
  };
  /** The tests of the untouched tree by name, for comparison. */
  readonly names_before?: Hash;
}

/** A read of the world. `what` names an entry of the workspace's query table. `input` is its input. */
export interface Query {
  readonly what: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Exactly one outside write. `op` names an entry of the port's table. */
export interface Op {
  readonly op: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Why a run waits for a command although nothing is wrong: its style waits after each phase, its children do the work,
 * or no drive conducts the ticket now.
 */
type Idle = 'style' | 'children' | 'ticket';

/** `command`: the run is halted, and only one of the named commands moves it. */
export type Wait =
  | {
      readonly kind: 'command';
      readonly commands: readonly string[];
      readonly why: Msg;
      readonly idle?: Idle;
    }
  | { readonly kind: 'time'; readonly at: Instant; readonly why: Msg }
  | { readonly kind: 'run_ended'; readonly run: RunId; readonly why: Msg }
  | { readonly kind: 'children'; readonly why: Msg };

/** A watched fact may withdraw the gate that depends on it. It is never an answer. A live drive checks it. */
interface Fact extends Query {
  /** The value when the gate was created. Any other value becomes a `fact` signal. */
  readonly was: unknown;
}

/**
 * Placeholder for a successor with an unknown id: the run that the ending move spawns. A workflow creates no ids, so
 * the runtime replaces it with the real id everywhere. Such a move spawns exactly one run.
 */
export const CHILD = 'child';

/** How a run ended. Claims such as `passed` are in the workflow's own `result`. */
export interface RunOutcome {
  readonly result: string;
  readonly why?: Msg;
  /** The run that continues the subject, if any. `CHILD` means the run that this move spawns. */
  readonly successor?: RunId;
}

export type EffectKind = 'work' | 'check' | 'query' | 'workspace' | 'tracker' | 'deploy';

export type Step =
  | { readonly kind: 'gate'; readonly gate: GateSpec; readonly watch?: readonly Fact[] }
  | { readonly kind: 'work'; readonly during: string; readonly calls: readonly WorkerCall[] }
  | { readonly kind: 'check'; readonly during: string; readonly checks: readonly Check[] }
  | { readonly kind: 'query'; readonly during: string; readonly what: Query }
  | { readonly kind: 'workspace' | 'tracker' | 'deploy'; readonly during: string; readonly op: Op }
  | { readonly kind: 'wait'; readonly until: Wait }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

export type EffectStep = Exclude<Step, { kind: 'gate' | 'wait' | 'end' }>;
