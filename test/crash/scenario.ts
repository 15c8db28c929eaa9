/** One scripted answer of the person in a scenario. */
export interface ScriptedAnswer {
  readonly option: string;
  readonly text?: string;
  readonly fields?: Readonly<Record<string, string | null>>;
  readonly typed?: string;
  /** Typed and kept as a draft before the answer is sent. */
  readonly draft?: Readonly<Record<string, string>>;
}

/** A whole run as data: the folder, the worker's score, and what the person answers at each gate, in order. */
export interface Scenario {
  readonly name: string;
  readonly workflow: string;
  readonly input: unknown;
  readonly score: string;
  readonly git?: true;
  readonly in_place?: true;
  readonly unattended?: true;
  readonly files?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, readonly ScriptedAnswer[]>>;
  /** Commands given where the run is halted, in order. */
  readonly commands?: readonly string[];
  /** After a crash this scenario may ask whether an outside write happened; the person looks and says so. */
  readonly asks?: true;
  /** Runs started before the one under test, left where they rest. */
  readonly before?: readonly Scenario[];
  readonly result: string;
}
