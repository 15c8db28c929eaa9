import type { BriefDoc, Msg, Text } from './brief.ts';
import type { GateId, Hash, Instant, RunId } from './ids.ts';

/**
 * Who may answer. `forward` may be delegated (only `conduct` has such gates); `decision` is one keystroke of a
 * person; `hard` also asks to type the subject; `trouble` and `question` are never delegated.
 */
type GateClass = 'forward' | 'decision' | 'hard' | 'trouble' | 'question';

/**
 * One way to answer. `leads`: `settle` moves the run, `hold` records the answer, leaves the gate open and halts
 * the run, `end` settles too and says that the run ends by it.
 */
export interface OptionSpec {
  readonly text: 'none' | 'optional' | 'required';
  readonly leads: 'settle' | 'hold' | 'end';
  /** This option carries the values of the gate's form. */
  readonly fields?: true;
  /** A gate of class `hard` asks to type the subject for every option but these: they commit to nothing. */
  readonly untyped?: true;
  /** Bare text typed at the gate means this option; at most one per gate. */
  readonly bareText?: true;
  readonly label: Msg;
  readonly description: Msg;
}

export interface GateDefinition {
  readonly class: GateClass;
  readonly title: Msg;
  readonly options: Readonly<Record<string, OptionSpec>>;
}

/** One question of a form. `unanswered` is allowed unless `required`. */
export interface FieldSpec {
  readonly id: string;
  readonly text: Text;
  readonly why?: Text;
  /** Ready-made answers; free text stays possible. */
  readonly choices?: readonly { readonly key: string; readonly label: Text }[];
  readonly required: boolean;
}

/** What `next` asks for. The option set is the table's, or the subset named by `offers`. */
export interface GateSpec {
  readonly name: string;
  readonly brief: BriefDoc;
  readonly offers?: readonly string[];
  /** Replaces an option's description where it depends on the state. */
  readonly describe?: Readonly<Record<string, Msg>>;
  /** Replaces an option's label where it names a thing found (a file, a run). */
  readonly label?: Readonly<Record<string, Text>>;
  readonly fields?: readonly FieldSpec[];
  /** What is shown: name -> content hash. Part of the digest. */
  readonly artefacts?: Readonly<Record<string, Hash>>;
  /** Class `hard`: what the person types. */
  readonly typed?: string;
  /** Which draft of the same brief this is; part of the digest, so that nobody accepts a text they did not see. */
  readonly edition?: number;
}

/** An option as stored on a gate: frozen when the gate opens. */
export interface StoredOption extends Omit<OptionSpec, 'label'> {
  readonly label: Text;
}

export type GateStatus = 'open' | 'answered' | 'withdrawn';

/** A stored question. Brief, options and fields never change under a digest; the draft may. */
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
  /** Absent where a gate has only one. */
  readonly edition?: number;
  readonly opened_at: Instant;
  readonly closed_at: Instant | null;
}

/** What was typed so far: field id -> text, `text` for the option text being written. Not part of the digest. */
export type Draft = Readonly<Record<string, string>>;
