import type { Capabilities } from '../../contract/agent-found.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { Tier } from '../../contract/step.ts';
import type { Program } from './program.ts';

/** What a program of this kind is made with. */
export interface Setup {
  /** Its name in baton.yaml; the kind's own where there is no entry. */
  readonly name: string;
  readonly settings: AgentSettings;
  /** Our own environment; the kind picks what it declares. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Starts a worker of ours by name, for kinds that need one: `[node, acp-worker.cjs]`. */
  readonly worker: (name: 'acp' | 'command') => readonly string[];
}

/** A cloud a program can ask instead of its own provider: the login there belongs to the person's other work as well. */
export interface Cloud {
  /** Variables that reach the program when this cloud is chosen. */
  readonly env: readonly string[];
  /** Where the login lies in the person's home; a sandbox shows it then, to be read. */
  readonly login: readonly string[];
}

/** One row of the table of agents: discovery, the README's matrix and the adapters all read it. */
export interface AgentKind {
  /** The product's name, as its makers write it. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** Program and first arguments; null where baton.yaml must name one. */
  readonly command: readonly string[] | null;
  /** Arguments that print its version. */
  readonly version: readonly string[];
  /** Environment variables of its own it may see: keys, addresses, folders. */
  readonly env: readonly string[];
  /** By the variable that chooses it. */
  readonly clouds?: Readonly<Record<string, Cloud>>;
  /** Where it keeps its login and sessions: made where they are missing, since in a sandbox it could not. */
  readonly folders: (env: Setup['env'], home: string) => readonly string[];
  /** What else it may write, where it exists. */
  readonly others?: (env: Setup['env'], home: string) => readonly string[];
  /** Its models for the tiers; none: its own default. */
  readonly models: Partial<Readonly<Record<Tier, string>>>;
  /** Signed in, as far as files and variables tell without spending; null: cannot be told. */
  readonly signedIn: (env: Setup['env'], home: string) => boolean | null;
  /** The command that signs in. */
  readonly sign_in?: string;
  /** Its own named agents, which a role can be played by. */
  readonly offers?: (setup: Setup) => readonly string[];
  /** As of a program, for one that is made with this setup. */
  readonly start: (setup: Setup, ...of: Parameters<Program['start']>) => ReturnType<Program['start']>;
  readonly reader: Program['reader'];
}

/** The program of a kind, as it is driven. */
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
