/** One scripted answer of the person in a scenario. */
export interface ScriptedAnswer {
  readonly option: string;
  readonly text?: string;
  readonly fields?: Readonly<Record<string, string | null>>;
  readonly typed?: string;
  /** Typed and kept as a draft before the answer is sent. */
  readonly draft?: Readonly<Record<string, string>>;
}

/**
 * Something the person does beside answering: exactly one of `command`, `trust`, `record`, `supersede`, `file` and
 * `push`. Each leaves a trace, so that a person who comes back after a crash knows what they had done.
 */
export interface Move {
  /** The gate it is done at instead of an answer; `halt` where the run waits for a command. */
  readonly at: string;
  /** The run a command is for, `build` for the build at work; the run under test otherwise. */
  readonly on?: string;
  readonly command?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** `conduct` alone: the mode of the drive it opens. */
  readonly mode?: string;
  /** Turns the trust level. */
  readonly trust?: string;
  /** Title of a decision the person states. */
  readonly record?: string;
  /** An entry of the ledger that a new one of this title takes the place of. */
  readonly supersede?: { readonly id: string; readonly title: string };
  /** An empty file beside the folder: commands of the project look for it. */
  readonly file?: string;
  /** What somebody else brings to main of the remote as `sums.txt`; the person takes it into their own main. */
  readonly push?: string;
}

/** A whole run as data: the folder, the worker's script, and what the person answers at each gate, in order. */
export interface Scenario {
  readonly name: string;
  readonly workflow: string;
  readonly input: unknown;
  readonly script: string;
  readonly git?: true;
  readonly in_place?: true;
  readonly unattended?: true;
  readonly files?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, readonly ScriptedAnswer[]>>;
  /** Commands given where the run is halted, in order. */
  readonly commands?: readonly string[];
  /** What the person does beside answering, in order. */
  readonly moves?: readonly Move[];
  /** After a crash this scenario may ask whether an outside write happened; the person looks and says so. */
  readonly asks?: true;
  /** Runs started before the one under test, left where they rest. */
  readonly before?: readonly Scenario[];
  readonly result: string;
}
