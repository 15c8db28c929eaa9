import type { Capabilities } from '../../contract/agent-found.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { Tier } from '../../contract/step.ts';
import type { Program } from './program.ts';

/** Input for creating a program of this kind. */
export interface Setup {
  /** Its name in baton.yaml, or the name of the kind if there is no entry. */
  readonly name: string;
  readonly settings: AgentSettings;
  /** Our own environment. The kind takes only the variables that it declares. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that starts a worker of ours, for kinds that need one: `[node, acp-worker.cjs]`. */
  readonly worker: (name: 'acp' | 'command') => readonly string[];
  /** Its workers run in Baton's sandbox. Absent: they do not. */
  readonly contained?: boolean;
}

/** A cloud that a program can use instead of its own provider. The person also uses its login for other work. */
export interface Cloud {
  /** Variables that reach the program when this cloud is chosen. */
  readonly env: readonly string[];
  /** Location of the login in the person's home. If the cloud is chosen, a sandbox shows it read-only. */
  readonly login: readonly string[];
}

/** One row of the table of agents. Discovery, the README's matrix and the adapters all read it. */
export interface AgentKind {
  /** The product's name, as its makers write it. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** Program and first arguments. Null if baton.yaml must name them. */
  readonly command: readonly string[] | null;
  /** Arguments that print its version. */
  readonly version: readonly string[];
  /** Its own environment variables that it may see: keys, addresses, folders. */
  readonly env: readonly string[];
  /** Clouds by the variable that chooses them. */
  readonly clouds?: Readonly<Record<string, Cloud>>;
  /**
   * Folders of its login and sessions. They are created if missing, because the program could not create them in a
   * sandbox.
   */
  readonly folders: (env: Setup['env'], home: string) => readonly string[];
  /** Further paths that it may write, if they exist. */
  readonly others?: (env: Setup['env'], home: string) => readonly string[];
  /** Further paths in the home that it reads: settings and instructions of the person. */
  readonly reads?: (env: Setup['env'], home: string) => readonly string[];
  /** Its models for the tiers. For a missing tier the program uses its own default. */
  readonly models: Partial<Readonly<Record<Tier, string>>>;
  /** Whether it is signed in, according to files and variables. Null: unknown, because checking would cost a call. */
  readonly signedIn: (env: Setup['env'], home: string) => boolean | null;
  /** The command that signs in. */
  readonly sign_in?: string;
  /** Its own named agents, to which a role can be bound. */
  readonly offers?: (setup: Setup) => readonly string[];
  /** `Program.start`, for the program with this setup. */
  readonly start: (setup: Setup, ...of: Parameters<Program['start']>) => ReturnType<Program['start']>;
  readonly reader: Program['reader'];
}

/** Creates the program of a kind from its setup. */
export function programOf(kind: AgentKind, setup: Setup): Program {
  return {
    name: setup.name,
    rehearsal: false,
    capabilities: kind.capabilities,
    ...(kind.offers && { offers: kind.offers(setup) }),
    start: (call, session) => kind.start(setup, call, session),
    reader: kind.reader,
  };
}
