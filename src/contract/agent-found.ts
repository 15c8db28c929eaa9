/** What an agent can do, as far as the runtime and people need to know. */
export interface Capabilities {
  /** A call cut off is taken up where it was, where the role only reads. */
  readonly resume: boolean;
  readonly cost: boolean;
  readonly tokens: boolean;
  /** The program itself makes its answer fit a JSON Schema. */
  readonly schema: boolean;
  /** How it is asked to stop before everything it started is ended. */
  readonly cancel: 'interrupt' | 'protocol' | 'terminate';
  /** It asks before it does something; we answer from the profile. */
  readonly permission_requests: boolean;
  /** The program has a mode that only reads; the tree is compared and put back anyway. */
  readonly read_only: boolean;
}

/** What a look at the machine tells about one agent; nothing is spent for it. */
export interface AgentFound {
  /** As `--agent` takes it. */
  readonly name: string;
  readonly title: string;
  /** The file that would be started; null: not installed. */
  readonly program: string | null;
  readonly version: string | null;
  /** Asked for its version it said nothing in time, or came to a bad end without one: it would not work either. */
  readonly problem: 'silent' | 'failed' | null;
  /** Null: cannot be told without spending. */
  readonly signed_in: boolean | null;
  /** The command that signs in; null where only its maker knows. */
  readonly sign_in: string | null;
  readonly capabilities: Capabilities;
}
