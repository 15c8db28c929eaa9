import type { BriefDoc, Msg, Text } from './brief.ts';
import type { GateId, Hash, Instant, RunId } from './ids.ts';

/**
 * The class decides how a gate may be answered. `forward` may be delegated (only `conduct` has such gates). `decision`
 * is one keystroke of a person. `hard` also requires typing the subject. `trouble` and `question` are never delegated.
 */
type GateClass = 'forward' | 'decision' | 'hard' | 'trouble' | 'question';

/**
 * One way to answer. `effect_on_run`: `settle` moves the run. `hold` records the answer, leaves the gate open and halts
 * the run. `end` also settles, and the run then ends.
 */
export interface OptionSpec {
  readonly text: 'none' | 'optional' | 'required';
  readonly effect_on_run: 'settle' | 'hold' | 'end';
  /** This option carries the values of the gate's form. */
  readonly fields?: true;
  /** Class `hard` requires typing the subject for every option except these, because they commit to nothing. */
  readonly untyped?: true;
  /** Bare text typed at the gate selects this option. At most one per gate. */
  readonly bareText?: true;
  readonly label: Msg;
  readonly description: Msg;
}

export interface GateDefinition {
  readonly class: GateClass;
  readonly title: Msg;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** An answer commits, releases or merges. The gate warns if workers and checks were not sandboxed. */
  readonly says_sandbox?: true;
}

/** One question of a form. `unanswered` is allowed if it is not `required`. */
export interface FieldSpec {
  readonly id: string;
  readonly text: Text;
  readonly why?: Text;
  /** Predefined answers. Free text is always possible. */
  readonly choices?: readonly { readonly key: string; readonly label: Text }[];
  readonly required: boolean;
}

/** A gate as `next` requests it. The options are those of the gate table, or the subset named by `offers`. */
export interface GateSpec {
  readonly name: string;
  readonly brief: BriefDoc;
  readonly offers?: readonly string[];
  /** Replaces an option's description if it depends on the state. */
  readonly describe?: Readonly<Record<string, Msg>>;
  /** Replaces an option's label if it names something found (a file, a run). */
  readonly label?: Readonly<Record<string, Text>>;
  readonly fields?: readonly FieldSpec[];
  /** The shown artefacts: name -> content hash. Part of the digest. */
  readonly artefacts?: Readonly<Record<string, Hash>>;
  /** Class `hard`: the text that the person must type. */
  readonly typed?: string;
  /**
   * The draft number of the brief. It is part of the digest, so that a person cannot accept a text they did not see.
   */
  readonly edition?: number;
}

/** An option as stored on a gate: frozen when the gate opens. */
export interface StoredOption extends Omit<OptionSpec, 'label'> {
  readonly label: Text;
}

export type GateStatus = 'open' | 'answered' | 'withdrawn';

/** A stored question. Brief, options and fields never change under the same digest. The draft may change. */
export interface Gate {
  readonly id: GateId;
  readonly run: RunId;
  readonly turn: number;
  readonly name: string;
  readonly class: GateClass;
  readonly title: Msg;
  readonly iteration: number;
  readonly status: GateStatus;
  readonly digest: Hash;
  readonly brief: BriefDoc;
  readonly options: Readonly<Record<string, StoredOption>>;
  readonly fields: readonly FieldSpec[];
  readonly artefacts: Readonly<Record<string, Hash>>;
  readonly typed: string | null;
  /** Absent if the gate has only one edition. */
  readonly edition?: number;
  readonly opened_at: Instant;
  readonly closed_at: Instant | null;
}

/** Text typed so far: field id -> text, with `text` for the option text. Not part of the digest. */
export type Draft = Readonly<Record<string, string>>;
