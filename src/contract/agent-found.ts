/** The abilities of an agent that matter to the runtime and to people. */
export interface Capabilities {
  /** An interrupted call can be resumed, if the role is read-only. */
  readonly resume: boolean;
  readonly cost: boolean;
  readonly tokens: boolean;
  /** The program itself makes its answer match a JSON Schema. */
  readonly schema: boolean;
  /** How Baton asks the agent to stop, before it ends every process the agent started. */
  readonly cancel: 'interrupt' | 'protocol' | 'terminate';
  /** The agent asks for permission before an action. Baton answers from the profile. */
  readonly permission_requests: boolean;
  /** The program has a read-only mode. Baton compares and restores the tree anyway. */
  readonly read_only: boolean;
}

/** Result of the query of this machine for one agent. The query costs nothing. */
export interface AgentFound {
  /** As `--agent` takes it. */
  readonly name: string;
  readonly title: string;
  /** The file that Baton would start. Null: not installed. */
  readonly program: string | null;
  readonly version: string | null;
  /** The version query timed out (`silent`) or failed without a version (`failed`). The agent would not work either. */
  readonly problem: 'silent' | 'failed' | null;
  /** Null: unknown, because checking would cost a call. */
  readonly signed_in: boolean | null;
  /** The command that signs in. Null: only the agent's vendor knows it. */
  readonly sign_in: string | null;
  readonly capabilities: Capabilities;
}
