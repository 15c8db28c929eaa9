import type { Change } from '../../src/contract/change.ts';
import type { MoveRecord } from '../../src/contract/move.ts';
import type { CheckResult, Signal } from '../../src/contract/outcome.ts';
import type { Check, Op, Query, WorkerCall } from '../../src/contract/step.ts';
import type { DriveMode, TrustLevel } from '../../src/contract/ticket.ts';
import type { BaseState, StartFacts, Workflow } from '../../src/engine/workflow.ts';
import type { At } from '../../src/engine/write-change.ts';

/** Something that can come to a run, by the name it has in a path that is shown. */
export interface Named<T> {
  readonly name: string;
  readonly value: T;
}

export interface Start {
  readonly name: string;
  readonly input: unknown;
  readonly facts: StartFacts;
}

/** A worker's valid result. Its address is made from role and name unless said; `denied` is what it did not get. */
export interface Delivered {
  readonly result: unknown;
  readonly artefact?: `sha256:${string}`;
  readonly denied?: readonly string[];
}

/** A signal of nobody at this run: another run, or the world behind its back. */
export interface Sent extends Named<Signal> {
  /** `run`: it comes by itself, and a chain of them must end. `outside`: somebody did something elsewhere. */
  readonly by: 'run' | 'outside';
}

/** How a field stands in the key of a state, and why nothing that decides is lost by it. */
export interface Seen<S> {
  readonly as: (state: S) => unknown;
  readonly because: string;
}

/**
 * What only a person's answer may lead to. The answer counts until its gate is opened again or a record makes it void.
 */
export interface Floor {
  readonly what: string;
  readonly gate: string;
  readonly options: readonly string[];
  readonly reached: (change: Change) => boolean;
  readonly voided?: (record: MoveRecord) => boolean;
}

/** Something counted along the path that must never pass its cap. */
export interface Tally {
  readonly what: string;
  readonly cap: number;
  readonly counts: (before: At, change: Change) => boolean;
  readonly resets?: (before: At, change: Change) => boolean;
}

/** A drive that may answer forward gates for a person. */
interface ModelDrive {
  readonly mode: DriveMode;
  readonly trust: TrustLevel;
}

/**
 * The small world a workflow is searched in: how it can start, and the few things that can come of each thing it does.
 * Answers, holds, stops, troubles and wake-ups are the search's own; a world only adds what it alone can know.
 */
export interface World<S = BaseState> {
  readonly def: Workflow;
  readonly starts: readonly Start[];
  /** Valid results of a call; both ways to fail are added. */
  readonly results: (state: S, call: WorkerCall) => readonly Named<Delivered>[];
  /** What looks find, by name; a failed look is added. */
  readonly looks: Readonly<Record<string, (state: S, query: Query) => readonly Named<unknown>[]>>;
  readonly checks?: (state: S, checks: readonly Check[]) => readonly Named<readonly CheckResult[]>[];
  /** What writes give, by name; a failed write is added. */
  readonly writes: Readonly<Record<string, (state: S, op: Op) => readonly Named<unknown>[]>>;
  /** Texts for `<gate> <option>` where one is required. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** Commands a person may try now, beside a step that runs or where it rests; those a wait names are always tried. */
  readonly commands: (state: S, stops: boolean) => readonly string[];
  /** Commands that give the run up: they count as a way out of a gate, but never as the only one. */
  readonly giving_up: readonly string[];
  readonly signals: (state: S) => readonly Sent[];
  readonly drives?: readonly ModelDrive[];
  /** Where the engine's own questions before a step are tried; it asks them everywhere alike. Everywhere unless said. */
  readonly troubled?: (state: S) => boolean;
  /** Where looks, writes and workers may also fail; everywhere unless said. */
  readonly fails?: (state: S) => boolean;
  /** The workflow is done with the run: of its key only the step that may still run is left. */
  readonly over: (state: S) => boolean;
  /** Fields of the state that stand in the key otherwise than as they are. */
  readonly seen: { readonly [K in keyof S]?: Seen<S> };
  readonly floors: readonly Floor[];
  readonly tallies: readonly Tally[];
  /** Most steps in a row without a person. */
  readonly turns: number;
  /** Phases, gates, roles and options of the tables that no path meets: `gate candidates` -> why not. */
  readonly unmet: Readonly<Record<string, string>>;
}

/** The one place where a world's state type is forgotten, as in `defineWorkflow`. */
export function defineWorld<S extends BaseState>(world: World<S>): World {
  return world as unknown as World;
}
