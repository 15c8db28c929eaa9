/** What a scripted model wants done, in words of no program; `translate` finds the words of the one that asks. */
export type ScriptedCall =
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly shell: { readonly command: string } }
  /** The wanted result as a value: by the program's own tool where it offers one, as text where not. */
  | { readonly structured: { readonly value: unknown } };

/** Instead of the step's reply, or done to it. Without `times` always, else only that often for one prompt and step. */
export type Fault = { readonly times?: number } & (
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Seconds until the provider takes calls again; told in the headers and words of each provider. */
      readonly retry_after_s?: number;
      /** The provider's own word for it, where one status has several. */
      readonly type?: string;
    }
  /** The connection breaks in the middle of the reply. */
  | { readonly kind: 'cut' }
  /** Every piece of the reply comes this much later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** A piece in the middle of the reply is no JSON. */
  | { readonly kind: 'malformed' }
  /** The reply begins and never goes on. */
  | { readonly kind: 'hang' }
);

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** One reply of the model. The last step of a script without wishes ends the turn. */
export interface Step {
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly usage?: Tokens;
  readonly fault?: Fault;
}

export type Program = 'claude' | 'codex' | 'gemini' | 'opencode' | 'unknown';

/** What a script is chosen by. */
export interface ModelRequest {
  /** One text of the person, with the program's own additions to it. */
  readonly prompt: string;
  readonly system: string;
  readonly tools: readonly string[];
  readonly program: Program;
  readonly model: string;
  /** Tool results that came back since that prompt. */
  readonly turn: number;
}

/** Null: that text is no prompt of ours (a reminder of the program, its environment), so an earlier one is tried. */
export type Script = (asked: ModelRequest) => readonly Step[] | null;
